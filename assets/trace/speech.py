"""Speech: Jasper and QuartzNet, RNN-T, wav2vec 2.0; and synthesis: Tacotron 2, FastPitch, WaveGlow, HiFi-GAN."""

import torch
import torch.nn as nn
import torch.nn.functional as F
from recurrent import Lstm, LstmCell


class MaskedConv1d(nn.Conv1d):
    """A convolution that first empties what lies past the end of each recording, as NVIDIA's recipes do (`use_conv_masks`)."""

    def forward(self, x):
        ends = torch.empty(len(x), 1, dtype=torch.long, device=x.device)
        past = torch.arange(x.shape[-1], device=x.device) >= ends
        return super().forward(x.masked_fill(past.unsqueeze(1), 0))


def dropout(separable):
    """Share that Jasper's activations drop; QuartzNet, which is separable, drops none."""
    return 0.0 if separable else 0.2


def conv1d(inputs, outputs, kernel, stride=1, dilation=1, separable=False, act=True, masked=True):
    """The convolution, norm and activation of Jasper; separable and without dropout in QuartzNet."""
    conv = MaskedConv1d if masked else nn.Conv1d
    where = dict(stride=stride, padding=kernel // 2 * dilation, dilation=dilation, bias=False)
    if separable and kernel > 1:
        layers = [conv(inputs, inputs, kernel, groups=inputs, **where), conv(inputs, outputs, 1, bias=False)]
    else:
        layers = [conv(inputs, outputs, kernel, **where)]
    layers.append(nn.BatchNorm1d(outputs))
    return layers + ([nn.ReLU(True), nn.Dropout(dropout(separable))] if act else [])


class Jasper(nn.Module):
    """Jasper 10x5 with dense residuals, or QuartzNet 15x5; a sample is `frames` of 64 mel bands (10 ms each)."""

    def __init__(self, quartznet=False, masked=True, frames=1500, classes=29):
        super().__init__()
        self.frames, self.dense, self.dropout = frames, not quartznet, dropout(quartznet)
        kind = dict(separable=quartznet, masked=masked)
        if quartznet:
            blocks, last, kernels = (
                [w for w in ((256, 33), (256, 39), (512, 51), (512, 63), (512, 75)) for _ in range(3)],
                512,
                (33, 87),
            )
        else:
            blocks, last, kernels = (
                [w for w in ((256, 11), (384, 13), (512, 17), (640, 21), (768, 25)) for _ in range(2)],
                896,
                (11, 29),
            )
        self.first = nn.Sequential(*conv1d(64, 256, kernels[0], 2, **kind))
        self.blocks, self.residuals, widths = nn.ModuleList(), nn.ModuleList(), [256]
        for width, kernel in blocks:
            layers = []
            for i in range(5):
                layers += conv1d(widths[-1] if i == 0 else width, width, kernel, act=i < 4, **kind)
            self.blocks.append(nn.Sequential(*layers))
            inputs = widths if self.dense else widths[-1:]
            self.residuals.append(nn.ModuleList(nn.Sequential(*conv1d(w, width, 1, act=False, **kind)) for w in inputs))
            widths.append(width)
        self.last = nn.Sequential(
            *conv1d(widths[-1], last, kernels[1], dilation=2, **kind),
            *conv1d(last, 1024, 1, **kind),
            nn.Conv1d(1024, classes, 1),
        )

    def example_inputs(self, batch):
        return (torch.empty(batch, 64, self.frames),)

    def forward(self, x):
        seen = [self.first(x)]
        for block, residuals in zip(self.blocks, self.residuals):
            y = block(seen[-1])
            for residual, past in zip(residuals, seen if self.dense else seen[-1:]):
                y = y + residual(past)
            seen.append(F.dropout(F.relu(y), self.dropout))
        return F.log_softmax(self.last(seen[-1]), 1)


class RnnT(nn.Module):
    """MLPerf's RNN-T: encoder of 2 + 3 LSTMs with time stacking, prediction of 2, and the joint lattice."""

    def __init__(self, features=240, frames=420, tokens=60, classes=1024):
        super().__init__()
        self.frames, self.tokens, self.features = frames, tokens, features
        self.before = nn.ModuleList([Lstm(features, 1024), Lstm(1024, 1024)])
        self.after = nn.ModuleList([Lstm(2048, 1024), Lstm(1024, 1024), Lstm(1024, 1024)])
        self.embedding = nn.Embedding(classes, 512)
        self.prediction = nn.ModuleList([Lstm(512, 512), Lstm(512, 512)])
        self.join_encoder, self.join_prediction, self.out = nn.Linear(1024, 512), nn.Linear(512, 512), nn.Linear(512, classes)

    def example_inputs(self, batch):
        return torch.empty(batch, self.frames, self.features), torch.zeros(batch, self.tokens, dtype=torch.long)

    def forward(self, audio, ids):
        for layer in self.before:
            audio = F.dropout(layer(audio), 0.1)
        audio = audio.reshape(audio.shape[0], -1, 2048)
        for layer in self.after:
            audio = F.dropout(layer(audio), 0.1)
        text = self.embedding(ids)
        for layer in self.prediction:
            text = F.dropout(layer(text), 0.3)
        lattice = self.join_encoder(audio).unsqueeze(2) + self.join_prediction(text).unsqueeze(1)
        return F.log_softmax(self.out(F.dropout(F.relu(lattice), 0.3)), -1)


class Wav2Vec2(nn.Module):
    """wav2vec 2.0: seven convolutions over raw audio and a transformer encoder; the quantiser's codebooks are counted."""

    def __init__(self, layers=12, width=768, heads=12, ffn=3072, samples=250000):
        super().__init__()
        self.samples, self.heads = samples, heads
        shapes = [(1, 10, 5)] + [(512, 3, 2)] * 4 + [(512, 2, 2)] * 2
        self.convs = nn.ModuleList(nn.Conv1d(i, 512, k, s, bias=False) for i, k, s in shapes)
        self.group = nn.GroupNorm(512, 512)
        self.norm, self.project = nn.LayerNorm(512), nn.Linear(512, width)
        self.position = nn.Conv1d(width, width, 128, padding=64, groups=16)
        self.layers = nn.ModuleList(
            nn.TransformerEncoderLayer(width, heads, ffn, activation=F.gelu, batch_first=True) for _ in range(layers)
        )
        self.codes, self.codebook = nn.Linear(512, 640), nn.Parameter(torch.empty(640, 128))
        self.final, self.target = nn.Linear(width, 256), nn.Linear(256, 256)

    def example_inputs(self, batch):
        return (torch.empty(batch, 1, self.samples),)

    def forward(self, x):
        for i, conv in enumerate(self.convs):
            x = conv(x)
            x = F.gelu(self.group(x) if i == 0 else x)
        local = self.norm(x.transpose(1, 2))
        x = F.dropout(self.project(local), 0.1)
        x = x + F.gelu(self.position(x.transpose(1, 2))[..., :-1]).transpose(1, 2)
        for layer in self.layers:
            x = layer(x)
        codes = F.softmax(self.codes(local).unflatten(-1, (2, 320)), -1).flatten(-2)
        target = torch.cat([h @ b for h, b in zip(codes.chunk(2, -1), self.codebook.chunk(2))], -1)
        return [self.final(x), self.target(target)]


class Tacotron2(nn.Module):
    """Tacotron 2: text encoder, attention and two LSTMs that write one mel frame a step, and a postnet."""

    def __init__(self, text=160, frames=850, mels=80):
        super().__init__()
        self.text, self.frames, self.mels = text, frames, mels
        self.embedding = nn.Embedding(148, 512)
        norm_conv = lambda i, o: nn.Sequential(nn.Conv1d(i, o, 5, padding=2), nn.BatchNorm1d(o))  # noqa: E731
        self.convs = nn.ModuleList(norm_conv(512, 512) for _ in range(3))
        self.encoder = Lstm(512, 256, both=True)
        self.prenet = nn.Sequential(
            nn.Linear(mels, 256, bias=False), nn.ReLU(), nn.Dropout(), nn.Linear(256, 256, bias=False), nn.ReLU(), nn.Dropout()
        )
        self.attention, self.decoder = LstmCell(768, 1024), LstmCell(1536, 1024)
        self.query, self.memory, self.score = (
            nn.Linear(1024, 128, bias=False),
            nn.Linear(512, 128, bias=False),
            nn.Linear(128, 1, bias=False),
        )
        self.location, self.locate = nn.Conv1d(2, 32, 31, padding=15, bias=False), nn.Linear(32, 128, bias=False)
        self.frame, self.gate = nn.Linear(1536, mels), nn.Linear(1536, 1)
        self.postnet = nn.ModuleList(norm_conv(a, b) for a, b in ((mels, 512), (512, 512), (512, 512), (512, 512), (512, mels)))

    def example_inputs(self, batch):
        return torch.zeros(batch, self.text, dtype=torch.long), torch.empty(batch, self.frames, self.mels)

    def forward(self, ids, mel):
        x = self.embedding(ids).transpose(1, 2)
        for conv in self.convs:
            x = F.dropout(F.relu(conv(x)), 0.5)
        x = self.encoder(x.transpose(1, 2))
        keys, batch = self.memory(x), x.shape[0]
        first, second = self.attention.start(x), self.decoder.start(x)
        context, weights, total, frames = (
            torch.zeros(batch, 512),
            torch.zeros(batch, self.text),
            torch.zeros(batch, self.text),
            [],
        )
        for part in self.prenet(mel).unbind(1):
            first = self.attention.step(torch.cat([part, context], -1), first)
            place = self.locate(self.location(torch.stack([weights, total], 1)).transpose(1, 2))
            weights = F.softmax(self.score(torch.tanh(self.query(first[0]).unsqueeze(1) + place + keys)).squeeze(-1), -1)
            context = torch.bmm(weights.unsqueeze(1), x).squeeze(1)
            total = total + weights
            second = self.decoder.step(torch.cat([F.dropout(first[0], 0.1), context], -1), second)
            out = torch.cat([second[0], context], -1)
            frames.append((self.frame(out), self.gate(out)))
        mel = torch.stack([f for f, _ in frames], 2)
        y = mel
        for i, conv in enumerate(self.postnet):
            y = F.dropout(torch.tanh(conv(y)) if i < 4 else conv(y), 0.5)
        return [mel + y, torch.stack([g for _, g in frames], 1)]


class FftBlock(nn.Module):
    """One feed-forward transformer block of FastPitch: one-head attention and a two-convolution feed-forward."""

    def __init__(self, width=384, head=64, heads=1, ffn=1536, kernel=3):
        super().__init__()
        self.heads, self.head = heads, head
        self.qkv, self.out = nn.Linear(width, 3 * heads * head), nn.Linear(heads * head, width, bias=False)
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.up, self.down = (
            nn.Conv1d(width, ffn, kernel, padding=kernel // 2),
            nn.Conv1d(ffn, width, kernel, padding=kernel // 2),
        )

    def forward(self, x):
        q, k, v = self.qkv(x).unflatten(-1, (3, self.heads, self.head)).permute(2, 0, 3, 1, 4)
        weights = F.dropout(F.softmax((q @ k.transpose(-1, -2)).mul(self.head**-0.5), -1), 0.1)
        x = self.norm1(x + F.dropout(self.out((weights @ v).transpose(1, 2).flatten(2)), 0.1))
        y = self.down(F.dropout(F.relu(self.up(x.transpose(1, 2))), 0.1)).transpose(1, 2)
        return self.norm2(x + F.dropout(y, 0.1))


class FastPitch(nn.Module):
    """FastPitch: six blocks over text, duration and pitch predictors, six blocks over mel frames (FastSpeech without pitch)."""

    def __init__(self, text=160, frames=850, width=384, pitch=True, heads=1, head=64):
        super().__init__()
        self.text, self.frames = text, frames
        self.embedding = nn.Embedding(148, width)
        block = lambda: FftBlock(width, head, heads)  # noqa: E731
        self.encoder, self.decoder = nn.ModuleList(block() for _ in range(6)), nn.ModuleList(block() for _ in range(6))
        predictor = lambda: nn.ModuleList(  # noqa: E731
            [
                nn.Conv1d(width, 256, 3, padding=1),
                nn.LayerNorm(256),
                nn.Conv1d(256, 256, 3, padding=1),
                nn.LayerNorm(256),
                nn.Linear(256, 1),
            ]
        )
        self.predictors = nn.ModuleList(predictor() for _ in range(2 if pitch else 1))
        self.pitch = nn.Conv1d(1, width, 3, padding=1) if pitch else None
        self.align = (
            nn.ModuleList(
                [
                    nn.Conv1d(width, 768, 3, padding=1),
                    nn.Conv1d(768, 80, 1),
                    nn.Conv1d(80, 160, 3, padding=1),
                    nn.Conv1d(160, 80, 1),
                    nn.Conv1d(80, 80, 1),
                ]
            )
            if pitch
            else None
        )
        self.out = nn.Linear(width, 80)

    def example_inputs(self, batch):
        return torch.zeros(batch, self.text, dtype=torch.long), torch.empty(batch, 80, self.frames)

    def forward(self, ids, mel):
        x = embedded = self.embedding(ids)
        found = []
        for block in self.encoder:
            x = block(x)
        for a, norm_a, b, norm_b, out in self.predictors:
            y = F.dropout(norm_a(F.relu(a(x.transpose(1, 2))).transpose(1, 2)), 0.1)
            y = F.dropout(norm_b(F.relu(b(y.transpose(1, 2))).transpose(1, 2)), 0.1)
            found.append(out(y))
        if self.pitch is not None:
            x = x + self.pitch(found[1].transpose(1, 2)).transpose(1, 2)
            keys = self.align[1](F.relu(self.align[0](embedded.transpose(1, 2))))
            queries = self.align[4](F.relu(self.align[3](F.relu(self.align[2](mel)))))
            found.append(F.log_softmax(-((queries.unsqueeze(3) - keys.unsqueeze(2)) ** 2).sum(1), -1))
        spread = torch.empty(ids.shape[0], self.frames, self.text)
        x = spread @ x
        for block in self.decoder:
            x = block(x)
        return [self.out(x), *found]


class WaveGlow(nn.Module):
    """WaveGlow: twelve coupling steps over audio folded in groups of eight; a sample is `samples` of audio."""

    def __init__(self, channels=512, samples=8000, mels=80):
        super().__init__()
        self.channels, self.samples, self.mels = channels, samples, mels
        self.upsample = nn.ConvTranspose1d(mels, mels, 1024, 256)
        self.flows, width = nn.ModuleList(), 8
        for flow in range(12):
            width -= 2 if flow in (4, 8) else 0
            self.flows.append(
                nn.ModuleDict(
                    {
                        "mix": nn.Conv1d(width, width, 1, bias=False),
                        "start": nn.Conv1d(width // 2, channels, 1),
                        "end": nn.Conv1d(channels, width, 1),
                        "inner": nn.ModuleList(
                            nn.Conv1d(channels, 2 * channels, 3, padding=2**i, dilation=2**i) for i in range(8)
                        ),
                        "condition": nn.Conv1d(mels * 8, 16 * channels, 1),
                        "skip": nn.ModuleList(nn.Conv1d(channels, 2 * channels if i < 7 else channels, 1) for i in range(8)),
                    }
                )
            )

    def example_inputs(self, batch):
        return torch.empty(batch, self.samples), torch.empty(batch, self.mels, self.samples // 256 + 1)

    def forward(self, audio, mel):
        batch, channels = audio.shape[0], self.channels
        steps = self.samples // 8
        mel = self.upsample(mel)[..., : self.samples].unflatten(-1, (steps, 8)).permute(0, 1, 3, 2).flatten(1, 2)
        x, found = audio.view(batch, steps, 8).transpose(1, 2), []
        for i, flow in enumerate(self.flows):
            if i in (4, 8):
                found.append(x[:, :2])
                x = x[:, 2:]
            x = flow["mix"](x)
            fixed, moved = x.chunk(2, 1)
            h, condition, total = flow["start"](fixed), flow["condition"](mel).chunk(8, 1), 0
            for j in range(8):
                gate = flow["inner"][j](h) + condition[j]
                out = flow["skip"][j](torch.tanh(gate[:, :channels]) * torch.sigmoid(gate[:, channels:]))
                if j < 7:
                    h, out = h + out[:, :channels], out[:, channels:]
                total = total + out
            shift, scale = flow["end"](total).chunk(2, 1)
            found.append(scale)
            x = torch.cat([fixed, torch.exp(scale) * moved + shift], 1)
        return [x, *found]


class HifiGan(nn.Module):
    """HiFi-GAN V1: one step of generator and discriminators; the discriminators see real and made audio twice each."""

    def __init__(self, samples=8192, mels=80):
        super().__init__()
        self.samples, self.mels = samples, mels
        self.first, self.ups, self.residuals, width = nn.Conv1d(mels, 512, 7, padding=3), nn.ModuleList(), nn.ModuleList(), 512
        for rate, kernel in ((8, 16), (8, 16), (2, 4), (2, 4)):
            self.ups.append(nn.ConvTranspose1d(width, width // 2, kernel, rate, (kernel - rate) // 2))
            width //= 2
            conv = lambda k, d, w=width: nn.Conv1d(w, w, k, padding=k // 2 * d, dilation=d)  # noqa: E731
            self.residuals.append(
                nn.ModuleList(
                    nn.ModuleList(nn.Sequential(nn.LeakyReLU(0.1), conv(k, d), nn.LeakyReLU(0.1), conv(k, 1)) for d in (1, 3, 5))
                    for k in (3, 7, 11)
                )
            )
        self.last = nn.Conv1d(width, 1, 7, padding=3)
        widths = (1, 32, 128, 512, 1024)

        def period():
            layers = [nn.Conv2d(a, b, (5, 1), (3, 1), (2, 0)) for a, b in zip(widths, widths[1:])]
            return nn.ModuleList([*layers, nn.Conv2d(1024, 1024, (5, 1), 1, (2, 0)), nn.Conv2d(1024, 1, (3, 1), 1, (1, 0))])

        self.periods = nn.ModuleList(period() for _ in range(5))
        shapes = (
            (1, 128, 15, 1, 1),
            (128, 128, 41, 2, 4),
            (128, 256, 41, 2, 16),
            (256, 512, 41, 4, 16),
            (512, 1024, 41, 4, 16),
            (1024, 1024, 41, 1, 16),
            (1024, 1024, 5, 1, 1),
            (1024, 1, 3, 1, 1),
        )
        self.scales = nn.ModuleList(
            nn.ModuleList(nn.Conv1d(a, b, k, s, k // 2, groups=g) for a, b, k, s, g in shapes) for _ in range(3)
        )

    def example_inputs(self, batch):
        return torch.empty(batch, self.mels, self.samples // 256), torch.empty(batch, 1, self.samples)

    def judge(self, audio):
        found = []
        for period, layers in zip((2, 3, 5, 7, 11), self.periods):
            x = F.pad(audio, (0, -audio.shape[-1] % period)).unflatten(-1, (-1, period))
            for layer in layers:
                x = F.leaky_relu(layer(x), 0.1)
            found.append(x)
        for i, layers in enumerate(self.scales):
            x = audio if i == 0 else F.avg_pool1d(audio, 4, 2, 2)
            audio = x
            for layer in layers:
                x = F.leaky_relu(layer(x), 0.1)
            found.append(x)
        return found

    def forward(self, mel, audio):
        x = self.first(mel)
        for up, kernels in zip(self.ups, self.residuals):
            x = up(F.leaky_relu(x, 0.1))
            total = 0
            for dilations in kernels:
                y = x
                for part in dilations:
                    y = y + part(y)
                total = total + y
            x = total / 3
        made = torch.tanh(self.last(F.leaky_relu(x)))
        return [made, *self.judge(audio), *self.judge(made.detach()), *self.judge(audio), *self.judge(made)]
