"""Image classifiers that no package builds: NVIDIA's GPUNet.

Layers as in NVIDIA/DeepLearningExamples, PyTorch/Classification/GPUNet: `configs/batch1/GV100/*.json` and `models/gpunet_modules.py`.
"""

import torch
import torch.nn as nn

RELU, SILU = nn.ReLU, nn.SiLU
DROP_PATH = 0.2


def conv_norm(inputs, outputs, kernel, stride=1, groups=1, padding=None):
    """A convolution and its batch norm."""
    padding = kernel // 2 if padding is None else padding
    return [nn.Conv2d(inputs, outputs, kernel, stride, padding, groups=groups, bias=False), nn.BatchNorm2d(outputs)]


class SqueezeExcite(nn.Module):
    """Gates of channels, from their means."""

    def __init__(self, width, squeezed, activation):
        super().__init__()
        self.gate = nn.Sequential(
            nn.Conv2d(width, squeezed, 1), activation(inplace=True), nn.Conv2d(squeezed, width, 1), nn.Sigmoid()
        )

    def forward(self, x):
        return x * self.gate(x.mean((2, 3), keepdim=True))


class Block(nn.Module):
    """An inverted residual block; `fused` has one dense convolution in place of a pointwise and a depthwise one."""

    def __init__(self, inputs, outputs, stride, expansion, kernel, activation, squeeze=False, fused=False, drop=0.0):
        super().__init__()
        width = inputs * expansion
        if fused:
            # The recipe's `same` padding of strided convolutions comes out as none.
            layers = [*conv_norm(inputs, width, kernel, stride, padding=kernel // 2 if stride == 1 else 0)]
        else:
            layers = [*conv_norm(inputs, width, 1), activation(inplace=True)]
            layers += conv_norm(width, width, kernel, stride, width)
        layers.append(activation(inplace=True))
        if squeeze:
            layers.append(SqueezeExcite(width, round(inputs / 4), activation))
        self.body = nn.Sequential(*layers, *conv_norm(width, outputs, 1))
        self.joins, self.drop = stride == 1 and inputs == outputs, drop

    def forward(self, x):
        y = self.body(x)
        if not self.joins:
            return y
        if self.drop:
            keep = 1 - self.drop
            y = y.div(keep) * (keep + torch.rand(len(y), 1, 1, 1, dtype=y.dtype, device=y.device)).floor_()
        return y + x


class GpuNet(nn.Module):
    """GPUNet (arXiv 2205.00841) of one of the `SHAPES`."""

    def __init__(self, shape):
        super().__init__()
        self.size, stem, convolutions, stages, (top, hidden) = SHAPES[shape]
        layers = [*conv_norm(3, stem, 3, 2), SILU(inplace=True)]
        for _ in range(convolutions):
            layers += [*conv_norm(stem, stem, 3), RELU(inplace=True)]
        count, at, inputs = sum(stage[0] for stage in stages), 0, stem
        for repeats, outputs, stride, *rest in stages:
            for i in range(repeats):
                at += 1
                drop = DROP_PATH * at / (count + 3) if hidden is None else 0.0
                layers.append(Block(inputs, outputs, stride if i == 0 else 1, *rest, drop=drop))
                inputs = outputs
        layers += [*conv_norm(inputs, top, 1), RELU(inplace=True), nn.AdaptiveAvgPool2d(1)]
        if hidden is not None:
            layers += [nn.Conv2d(top, hidden, 1, bias=False), RELU(inplace=True)]
        self.layers = nn.Sequential(*layers, nn.Flatten(), nn.Dropout(0.2), nn.Linear(hidden or top, 1000))

    def example_inputs(self, batch):
        return (torch.empty(batch, 3, self.size, self.size),)

    def forward(self, x):
        return self.layers(x)


def distilled(outputs, stride, expansion, kernel):
    """A stage of one block of a distilled net."""
    return 1, outputs, stride, expansion, kernel, RELU


# Pixels a side; width of the stem; convolutions after it; stages of (blocks, width, stride of the first, expansion, kernel,
# activation, gates, fused); widths of the last convolution and, of a distilled net, of the layer after it.
SHAPES = {
    "gpunet-0": (
        320,
        32,
        2,
        (
            (2, 32, 2, 5, 3, RELU, False, True),
            (3, 64, 2, 5, 3, RELU, False, True),
            (3, 256, 2, 5, 3, SILU),
            (2, 704, 2, 5, 3, RELU, True),
        ),
        (1280, None),
    ),
    "gpunet-1": (
        288,
        24,
        1,
        (
            (2, 64, 2, 4, 3, SILU, False, True),
            (2, 96, 2, 4, 3, SILU, False, True),
            (1, 160, 2, 2, 3, SILU, True),
            (4, 288, 1, 5, 3, RELU),
            (4, 448, 2, 4, 3, RELU, True),
        ),
        (1280, None),
    ),
    "gpunet-2": (
        384,
        32,
        3,
        (
            (1, 32, 2, 6, 5, SILU, True, True),
            (3, 112, 2, 3, 3, SILU, False, True),
            (6, 144, 2, 6, 3, SILU),
            (4, 160, 1, 3, 5, RELU),
            (8, 224, 2, 3, 3, SILU, True),
            (7, 832, 1, 2, 5, RELU),
        ),
        (1280, None),
    ),
    "gpunet-d1": (
        456,
        33,
        0,
        (
            distilled(33, 1, 1, 3),
            distilled(44, 2, 3, 3),
            distilled(44, 1, 4, 5),
            distilled(44, 1, 3, 3),
            distilled(67, 2, 4, 5),
            distilled(67, 1, 4, 5),
            distilled(67, 1, 6, 3),
            distilled(67, 1, 3, 5),
            distilled(134, 2, 6, 7),
            distilled(134, 1, 6, 5),
            distilled(134, 1, 3, 3),
            distilled(134, 1, 4, 5),
            distilled(190, 1, 6, 3),
            distilled(190, 1, 6, 5),
            distilled(190, 1, 6, 7),
            distilled(190, 1, 4, 3),
            distilled(268, 2, 6, 3),
            distilled(268, 1, 6, 3),
            distilled(268, 1, 6, 5),
            distilled(268, 1, 3, 3),
            distilled(268, 1, 3, 3),
            distilled(268, 1, 3, 3),
        ),
        (1152, 1984),
    ),
}
