"""Recurrent networks: a fused LSTM, GNMT, an LSTM language model, TFT and Transformer-XL.

A layer that sees its whole sequence at once runs as in cuDNN: one matrix multiplication over all inputs, then steps one
after another within one operator, each of one matrix multiplication over the state and one pass over the gates. A cell
that a model calls step by step, between other layers, is an operator of its own each time.
"""

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.overrides import handle_torch_function, has_torch_function
from trace_model import Autocast


@torch.library.custom_op("mantissa::lstm_gates", mutates_args=())
def lstm_gates(gates: torch.Tensor, cell: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    raise NotImplementedError("only shapes are traced")


@lstm_gates.register_fake
def _(gates, cell):
    return torch.empty_like(cell), torch.empty_like(cell)


@torch.library.custom_op("mantissa::lstm_gates_backward", mutates_args=())
def lstm_gates_backward(
    grad_hidden: torch.Tensor, grad_cell: torch.Tensor, gates: torch.Tensor, cell: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    raise NotImplementedError("only shapes are traced")


@lstm_gates_backward.register_fake
def _(grad_hidden, grad_cell, gates, cell):
    return torch.empty_like(gates), torch.empty_like(cell)


lstm_gates.register_autograd(
    lambda ctx, grad_hidden, grad_cell: lstm_gates_backward(grad_hidden, grad_cell, *ctx.saved_tensors),
    setup_context=lambda ctx, inputs, output: ctx.save_for_backward(*inputs),
)


@torch.library.custom_op("mantissa::recurrence", mutates_args=())
def recurrence(projected: torch.Tensor, weight: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Hidden states, cells and gates of every step, from what the inputs add to the gates; batch first."""
    raise NotImplementedError("only shapes are traced")


@recurrence.register_fake
def _(projected, weight):
    states = projected.new_empty(*projected.shape[:-1], weight.shape[1])
    return states, torch.empty_like(states), torch.empty_like(projected)


@torch.library.custom_op("mantissa::recurrence_backward", mutates_args=())
def recurrence_backward(
    grad: torch.Tensor, hidden: torch.Tensor, cell: torch.Tensor, gates: torch.Tensor, weight: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    raise NotImplementedError("only shapes are traced")


@recurrence_backward.register_fake
def _(grad, hidden, cell, gates, weight):
    return torch.empty_like(gates), torch.empty_like(weight)


recurrence.register_autograd(
    lambda ctx, grad, *_: recurrence_backward(grad, *ctx.saved_tensors),
    setup_context=lambda ctx, inputs, output: ctx.save_for_backward(*output, inputs[1]),
)


def lstm_step(x, hidden, cell, weight, bias):
    """One step of a cell: the next hidden state and cell."""
    if has_torch_function((x,)):
        return handle_torch_function(lstm_step, (x,), x, hidden, cell, weight, bias)
    return lstm_gates(F.linear(torch.cat([x, hidden], -1), weight, bias), cell)


def lstm_layer(x, inner, weight, bias):
    """Hidden states of a whole sequence; `inner` are the weights of the state."""
    if has_torch_function((x,)):
        return handle_torch_function(lstm_layer, (x,), x, inner, weight, bias)
    return recurrence(F.linear(x, weight, bias), inner)[0]


# As `lstm`, which these stand for.
Autocast.low |= {lstm_step, lstm_layer}


class LstmCell(nn.Module):
    """An LSTM cell that its model calls step by step."""

    def __init__(self, inputs, hidden):
        super().__init__()
        self.hidden = hidden
        self.linear = nn.Linear(inputs + hidden, 4 * hidden)
        self.bias = nn.Parameter(torch.empty(4 * hidden))  # PyTorch keeps two biases

    def step(self, x, state):
        return lstm_step(x, *state, self.linear.weight, self.linear.bias)

    def start(self, x):
        return torch.zeros(x.shape[0], self.hidden), torch.zeros(x.shape[0], self.hidden)


class Lstm(nn.Module):
    """One LSTM layer; `both` runs a second one backwards and joins the two."""

    def __init__(self, inputs, hidden, both=False):
        super().__init__()
        directions = range(2 if both else 1)
        self.outer = nn.ModuleList(nn.Linear(inputs, 4 * hidden) for _ in directions)
        # PyTorch keeps two biases; the second is added with the state.
        self.inner = nn.ModuleList(nn.Linear(hidden, 4 * hidden) for _ in directions)

    def forward(self, x):
        runs = [lstm_layer(x, i.weight, o.weight, o.bias) for o, i in zip(self.outer, self.inner)]
        return runs[0] if len(runs) == 1 else torch.cat(runs, -1)


class LanguageModel(nn.Module):
    """The word-level LSTM of PyTorch's examples (WikiText-2)."""

    def __init__(self, vocab=33278, hidden=200, layers=2, steps=35):
        super().__init__()
        self.vocab, self.steps = vocab, steps
        self.embedding = nn.Embedding(vocab, hidden)
        self.layers = nn.ModuleList(Lstm(hidden, hidden) for _ in range(layers))
        self.out = nn.Linear(hidden, vocab)

    def example_inputs(self, batch):
        return (torch.zeros(batch, self.steps, dtype=torch.long),)

    def forward(self, ids):
        x = self.embedding(ids)
        for layer in self.layers:
            x = F.dropout(layer(x), 0.2)
        return self.out(x)


class BahdanauAttention(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.query, self.key = nn.Linear(width, width, bias=False), nn.Linear(width, width, bias=False)
        self.score = nn.Parameter(torch.empty(width))

    def forward(self, query, keys, values):
        mixed = torch.tanh(self.query(query).unsqueeze(2) + keys.unsqueeze(1))
        weights = F.softmax((mixed * self.score).sum(-1), -1)
        return torch.bmm(weights, values)


class Gnmt(nn.Module):
    """GNMT v2: four encoder layers, the first in both directions; four decoder layers, all of which see the context."""

    def __init__(self, hidden=1024, vocab=32320, steps=28):
        super().__init__()
        self.steps = steps
        self.embedding = nn.Embedding(vocab, hidden)
        self.encoder = nn.ModuleList(
            [Lstm(hidden, hidden, both=True), Lstm(2 * hidden, hidden), Lstm(hidden, hidden), Lstm(hidden, hidden)]
        )
        self.attention = BahdanauAttention(hidden)
        self.first = Lstm(hidden, hidden)
        self.decoder = nn.ModuleList(Lstm(2 * hidden, hidden) for _ in range(3))
        self.out = nn.Linear(hidden, vocab)

    def example_inputs(self, batch):
        ids = torch.zeros(batch, self.steps, dtype=torch.long)
        return ids, ids

    def forward(self, source, target):
        x = self.embedding(source)
        for i, layer in enumerate(self.encoder):
            y = F.dropout(layer(x), 0.2)
            x = x + y if i >= 2 else y
        y = self.first(self.embedding(target))
        context = self.attention(y, self.attention.key(x), x)
        for i, layer in enumerate(self.decoder):
            z = F.dropout(layer(torch.cat([y, context], -1)), 0.2)
            y = y + z if i else z
        return self.out(y)


class A3c(nn.Module):
    """The Atari actor-critic of pytorch-a3c: four convolutions and an LSTM over 20 steps of 42 x 42 pixels."""

    def __init__(self, steps=20, actions=6):
        super().__init__()
        self.steps = steps
        self.convs = nn.ModuleList(nn.Conv2d(i, 32, 3, 2, 1) for i in (1, 32, 32, 32))
        self.lstm, self.critic, self.actor = LstmCell(288, 256), nn.Linear(256, 1), nn.Linear(256, actions)

    def example_inputs(self, batch):
        return (torch.empty(batch, self.steps, 1, 42, 42),)

    def forward(self, frames):
        found, state = [], None
        for x in frames.unbind(1):
            for conv in self.convs:
                x = F.elu(conv(x))
            x = x.flatten(1)
            state = self.lstm.step(x, state or self.lstm.start(x))
            found += [self.critic(state[0]), self.actor(state[0])]
        return found


class GatedResidual(nn.Module):
    def __init__(self, inputs, width):
        super().__init__()
        self.skip = nn.Linear(inputs, width) if inputs != width else nn.Identity()
        self.one, self.two, self.gate, self.norm = (
            nn.Linear(inputs, width),
            nn.Linear(width, width),
            nn.Linear(width, 2 * width),
            nn.LayerNorm(width),
        )

    def forward(self, x):
        return self.norm(self.skip(x) + F.glu(self.gate(F.dropout(self.two(F.elu(self.one(x))), 0.1))))


class VariableSelection(nn.Module):
    def __init__(self, variables, width):
        super().__init__()
        self.weights = GatedResidual(variables * width, variables)
        self.each = nn.ModuleList(GatedResidual(width, width) for _ in range(variables))

    def forward(self, x):  # ..., variables, width
        weights = F.softmax(self.weights(x.flatten(-2)), -1).unsqueeze(-1)
        return (torch.stack([net(v) for net, v in zip(self.each, x.unbind(-2))], -2) * weights).sum(-2)


class Tft(nn.Module):
    """Temporal Fusion Transformer in the size of the electricity and traffic recipes (168 + 24 steps, width 128)."""

    def __init__(self, width=128, heads=4, past=168, future=24, observed=5, known=4):
        super().__init__()
        self.width, self.heads, self.past, self.future, self.observed, self.known = width, heads, past, future, observed, known
        self.embed = nn.Linear(1, width)
        self.static = VariableSelection(1, width)
        self.contexts = nn.ModuleList(GatedResidual(width, width) for _ in range(4))
        self.history, self.horizon = VariableSelection(observed, width), VariableSelection(known, width)
        self.encoder, self.decoder = Lstm(width, width), Lstm(width, width)
        self.enrich, self.feed = GatedResidual(width, width), GatedResidual(width, width)
        self.qkv, self.project = nn.Linear(width, (2 * heads + 1) * width // heads), nn.Linear(width // heads, width)
        self.out = nn.Linear(width, 3)

    def example_inputs(self, batch):
        return (
            torch.empty(batch, self.past, self.observed, 1),
            torch.empty(batch, self.future, self.known, 1),
            torch.empty(batch, 1, 1),
        )

    def forward(self, observed, known, static):
        context = self.static(self.embed(static))
        contexts = [net(context) for net in self.contexts]
        past = self.encoder(self.history(self.embed(observed)) + contexts[0].unsqueeze(1))
        future = self.decoder(self.horizon(self.embed(known)) + contexts[1].unsqueeze(1))
        x = self.enrich(torch.cat([past, future], 1) + contexts[2].unsqueeze(1))
        size = self.width // self.heads
        q, k, v = self.qkv(x).split([self.width, self.width, size], -1)
        q, k = (t.unflatten(-1, (self.heads, size)).transpose(1, 2) for t in (q, k))
        scores = F.softmax((q @ k.transpose(-1, -2)).mul(size**-0.5), -1)
        x = x + self.project((scores @ v.unsqueeze(1)).mean(1))
        return self.out(self.feed(x[:, -self.future :]))


class TransformerXl(nn.Module):
    """Transformer-XL with segment memory, relative positions and, unless told otherwise, an adaptive softmax (WikiText-103)."""

    CUTS = (0, 19997, 39997, 199997, 267735)

    SHARES = (1.0, 0.08, 0.09, 0.01)  # of the words, those whose loss needs each cluster (recalled from WikiText-103)

    def __init__(self, layers=16, width=512, heads=8, ffn=2048, steps=192, memory=192, divide=1, adaptive=True):
        super().__init__()
        if not adaptive:
            self.CUTS, self.SHARES = (self.CUTS[0], self.CUTS[-1]), (1.0,)
        self.width, self.heads, self.steps, self.memory = width, heads, steps, memory
        widths = [width // divide**i for i in range(len(self.SHARES))]
        self.tables = nn.ModuleList(nn.Embedding(b - a, w) for a, b, w in zip(self.CUTS, self.CUTS[1:], widths))
        self.projections = nn.ModuleList(nn.Linear(w, width, bias=False) if divide > 1 else nn.Identity() for w in widths)
        part = lambda: nn.ModuleDict(  # noqa: E731
            {  # noqa: E731
                "q": nn.Linear(width, width, bias=False),
                "kv": nn.Linear(width, 2 * width, bias=False),
                "r": nn.Linear(width, width, bias=False),
                "o": nn.Linear(width, width, bias=False),
                "up": nn.Linear(width, ffn),
                "down": nn.Linear(ffn, width),
                "norm1": nn.LayerNorm(width),
                "norm2": nn.LayerNorm(width),
            }
        )
        self.layers = nn.ModuleList(part() for _ in range(layers))
        self.clusters = nn.Parameter(torch.empty(len(self.CUTS) - 2, width))

    def example_inputs(self, batch):
        ids = torch.zeros(batch, self.steps, dtype=torch.long)
        return ids, torch.empty(len(self.layers), batch, self.memory, self.width)

    def split(self, x):
        return x.unflatten(-1, (self.heads, self.width // self.heads)).transpose(1, 2)

    def forward(self, ids, memory):
        batch, steps = ids.shape
        x = F.dropout(self.embed(ids.flatten()).view(batch, steps, -1), 0.1)
        distance = torch.empty(1, steps + self.memory, self.width)
        for layer, past in zip(self.layers, memory):
            q = self.split(layer["q"](x))
            k, v = (self.split(t) for t in layer["kv"](torch.cat([past, x], 1)).chunk(2, -1))
            r = self.split(layer["r"](distance)).expand(batch, -1, -1, -1)
            position = q @ r.transpose(-1, -2)
            position = F.pad(position, (1, 0)).view(batch, self.heads, -1, steps)[:, :, 1:].reshape_as(position)
            weights = F.dropout(F.softmax((q @ k.transpose(-1, -2) + position).masked_fill(position > 0, 0), -1), 0.1)
            x = layer["norm1"](x + layer["o"]((weights @ v).transpose(1, 2).flatten(2)))
            x = layer["norm2"](x + layer["down"](F.dropout(F.relu(layer["up"](x)), 0.1)))
        return self.logits(x.flatten(0, 1))

    def rows(self, x):
        """How many of the words belong to each cluster; the head takes the rest."""
        tails = [max(1, int(len(x) * share)) for share in self.SHARES[1:]]
        return [len(x) - sum(tails), *tails]

    def embed(self, ids):
        parts = ids.split(self.rows(ids))
        return torch.cat([project(table(part)) for table, project, part in zip(self.tables, self.projections, parts)])

    def logits(self, x):
        """Every word scores the head; a tail is scored by the words that fall in it."""
        found = []
        for i, (table, project, rows) in enumerate(zip(self.tables, self.projections, self.rows(x))):
            words = x if i == 0 else x[:rows]
            if isinstance(project, nn.Linear):
                words = F.linear(words, project.weight.t())
            weight = torch.cat([table.weight, self.clusters]) if i == 0 else table.weight
            found.append(F.log_softmax(F.linear(words, weight), -1))
        return found
