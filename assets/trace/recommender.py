"""Recommenders: embedding look-ups and multi-layer perceptrons. Tables count as parameters; traffic counts the rows touched."""

import torch
import torch.nn as nn
import torch.nn.functional as F


def mlp(*widths, last=True, dropout=0.0):
    """Linear layers with ReLU, and dropout where there is any, between them, and after them unless `last` is False."""
    layers = []
    for i, (a, b) in enumerate(zip(widths, widths[1:])):
        layers.append(nn.Linear(a, b))
        if last or i < len(widths) - 2:
            layers += [nn.ReLU()] + ([nn.Dropout(dropout)] if dropout else [])
    return nn.Sequential(*layers)


class Ncf(nn.Module):
    """NeuMF on MovieLens-20M with the dropout of NVIDIA's recipe (`ncf.py`, `--dropout`); a sample is one interaction."""

    def __init__(self, users=138493, items=26744, factors=64, widths=(256, 256, 128, 64)):
        super().__init__()
        self.user_mf, self.item_mf = nn.Embedding(users, factors), nn.Embedding(items, factors)
        self.user_mlp, self.item_mlp = nn.Embedding(users, widths[0] // 2), nn.Embedding(items, widths[0] // 2)
        self.mlp, self.out = mlp(*widths, dropout=0.5), nn.Linear(widths[-1] + factors, 1)

    def example_inputs(self, batch):
        ids = torch.zeros(batch, dtype=torch.long)
        return ids, ids

    def forward(self, user, item):
        product = self.user_mf(user) * self.item_mf(item)
        deep = self.mlp(torch.cat([self.user_mlp(user), self.item_mlp(item)], 1))
        return self.out(torch.cat([product, deep], 1))


class LowRankCross(nn.Module):
    """DCNv2's cross layers with projected weights."""

    def __init__(self, width, layers, rank):
        super().__init__()
        self.down = nn.ModuleList(nn.Linear(width, rank, bias=False) for _ in range(layers))
        self.up = nn.ModuleList(nn.Linear(rank, width) for _ in range(layers))

    def forward(self, x):
        y = x
        for down, up in zip(self.down, self.up):
            y = x * up(down(y)) + y
        return y


class Dlrm(nn.Module):
    """DLRM, and with `cross` DCNv2: 26 categorical features of which `lookups` rows are summed in all.

    `rows` is the total of all tables, kept in one here.
    """

    def __init__(self, rows, width=128, dense=13, features=26, lookups=26, cross=0, rank=512):
        super().__init__()
        self.features, self.lookups, self.dense = features, lookups, dense
        self.table = nn.Embedding(rows, width)
        self.bottom = mlp(dense, 512, 256, width)
        if cross:
            self.cross, inputs = LowRankCross((features + 1) * width, cross, rank), (features + 1) * width
        else:
            self.cross, inputs = None, (features + 1) * features // 2 + width
        self.top = mlp(inputs, 1024, 1024, 512, 256, 1, last=False)

    def example_inputs(self, batch):
        return torch.empty(batch, self.dense), torch.zeros(batch, self.lookups, dtype=torch.long)

    def forward(self, dense, ids):
        bottom = self.bottom(dense)
        if self.lookups > self.features:  # several rows a feature, summed
            found = torch.stack([self.table(part).sum(1) for part in ids.tensor_split(self.features, 1)], 1)
        else:
            found = self.table(ids)
        x = torch.cat([bottom.unsqueeze(1), found], 1)
        if self.cross is not None:
            return self.top(self.cross(x.flatten(1)))
        pairs = (x @ x.transpose(1, 2)).flatten(1)[:, : (self.features + 1) * self.features // 2]
        return self.top(torch.cat([bottom, pairs.clone()], 1))


class WideAndDeep(nn.Module):
    """Wide & Deep on Outbrain: five layers of 1024 over embeddings of 1328 in all."""

    def __init__(self, inputs=1328, rows=2_600_000, lookups=22, width=60):
        super().__init__()
        self.lookups, self.inputs, self.width = lookups, inputs, width
        self.table, self.wide = nn.Embedding(rows, width), nn.Embedding(rows, 1)
        self.deep = mlp(inputs, 1024, 1024, 1024, 1024, 1024, 1, last=False)

    def example_inputs(self, batch):
        return torch.empty(batch, self.inputs - self.lookups * self.width), torch.zeros(batch, self.lookups, dtype=torch.long)

    def forward(self, numeric, ids):
        return self.deep(torch.cat([numeric, self.table(ids).flatten(1)], 1)) + self.wide(ids).sum(1)


class VaeCf(nn.Module):
    """Mult-VAE on MovieLens-20M; a sample is one user's row of items."""

    def __init__(self, items=20108, hidden=600, latent=200):
        super().__init__()
        self.encode = nn.Sequential(nn.Linear(items, hidden), nn.Tanh(), nn.Linear(hidden, 2 * latent))
        self.decode = nn.Sequential(nn.Linear(latent, hidden), nn.Tanh(), nn.Linear(hidden, items))
        self.items = items

    def example_inputs(self, batch):
        return (torch.empty(batch, self.items),)

    def forward(self, x):
        mean, spread = self.encode(F.dropout(F.normalize(x))).chunk(2, -1)
        return F.log_softmax(self.decode(mean + torch.randn_like(mean) * torch.exp(0.5 * spread)), -1)


class Recoder(nn.Module):
    """The autoencoder recommender of Gavel's trace: one hidden layer of 200 on MovieLens-20M."""

    def __init__(self, items=26744, hidden=200):
        super().__init__()
        self.items, self.encode, self.decode = items, nn.Linear(items, hidden), nn.Linear(hidden, items)

    def example_inputs(self, batch):
        return (torch.empty(batch, self.items),)

    def forward(self, x):
        return self.decode(F.selu(self.encode(x)))


class Sim(nn.Module):
    """Search-based Interest Model: attention over the long history and DIEN over the short one (Amazon Books)."""

    def __init__(self, long=90, short=10, width=16, features=2, rows=1_500_000):
        super().__init__()
        self.long, self.short, self.features, inputs = long, short, features, width * features
        self.table = nn.Embedding(rows, width)
        self.gru, self.augru = nn.Linear(2 * inputs, 3 * inputs), nn.Linear(2 * inputs, 3 * inputs)
        self.score, self.auxiliary = mlp(4 * inputs, 80, 40, 1, last=False), mlp(2 * inputs, 100, 50, 1, last=False)
        self.out = mlp(6 * inputs, 200, 80, 2, last=False)

    def example_inputs(self, batch):
        ids = lambda n: torch.zeros(batch, n, self.features, dtype=torch.long)  # noqa: E731
        return ids(self.long), ids(self.short), ids(self.short), ids(1)

    def attend(self, history, target):
        wide = target.expand_as(history)
        return self.score(torch.cat([history, wide, history - wide, history * wide], -1))

    def recur(self, cell, xs):
        state, states = torch.zeros_like(xs[:, 0]), []
        for x in xs.unbind(1):
            reset, update, new = cell(torch.cat([x, state], -1)).chunk(3, -1)
            state = torch.lerp(state, torch.tanh(new + torch.sigmoid(reset) * state), torch.sigmoid(update))
            states.append(state)
        return torch.stack(states, 1)

    def forward(self, long, short, negative, target):
        lengths = [ids.shape[1] for ids in (long, short, negative, target)]
        rows = self.table(torch.cat([long, short, negative, target], 1)).flatten(2)
        long, short, negative, target = rows.split(lengths, 1)
        searched = (F.softmax(self.attend(long, target), 1) * long).sum(1)
        states = self.recur(self.gru, short)
        auxiliary = [self.auxiliary(torch.cat([states, other], -1)) for other in (short, negative)]
        evolved = self.recur(self.augru, states * F.softmax(self.attend(states, target), 1))[:, -1]
        target = target[:, 0]
        mixed = [target, searched, evolved, target * searched, target * evolved, long.sum(1)]
        return [self.out(torch.cat(mixed, -1)), *auxiliary]
