"""Segmentation networks: U-Nets in two and three dimensions, V-Net and UNet 3+."""

import torch
import torch.nn as nn
import torch.nn.functional as F
import torchvision


class UNet(nn.Module):
    """Encoder and decoder joined by skips; `padding` 0 is the original's valid convolutions."""

    def __init__(self, widths, size, dims=2, channels=1, classes=2, padding=1, norm=None, heads=1):
        super().__init__()
        conv, up, pool, instance = (
            (nn.Conv2d, nn.ConvTranspose2d, nn.MaxPool2d, nn.InstanceNorm2d)
            if dims == 2
            else (nn.Conv3d, nn.ConvTranspose3d, nn.MaxPool3d, nn.InstanceNorm3d)
        )
        self.shape = (channels, *((size,) * dims if isinstance(size, int) else size))
        strided = norm == "instance"

        def block(inputs, outputs, first=1):
            layers = []
            for i, (a, b) in enumerate(((inputs, outputs), (outputs, outputs))):
                layers.append(conv(a, b, 3, first if i == 0 else 1, padding, bias=norm is None))
                if norm == "instance":
                    layers.append(instance(b, affine=True))
                elif norm == "batch":
                    layers.append(nn.BatchNorm2d(b) if dims == 2 else nn.BatchNorm3d(b))
                # In place on an instance norm, which returns a view, autograd would copy its slices three times over:
                # neither TensorFlow nor MXNet does, and PyTorch's measured steps do not show it.
                layers.append(nn.LeakyReLU(0.01) if strided else nn.ReLU(True))
            return nn.Sequential(*layers)

        pairs = list(zip(widths, widths[1:]))
        self.pool = nn.Identity() if strided else pool(2)
        self.down = nn.ModuleList([block(channels, widths[0]), *(block(a, b, 2 if strided else 1) for a, b in pairs)])
        self.up = nn.ModuleList(up(b, a, 2, 2) for a, b in pairs)
        self.join = nn.ModuleList(block(2 * a, a) for a, _ in pairs)
        self.out = nn.ModuleList(conv(widths[i], classes, 1) for i in range(heads))

    def example_inputs(self, batch):
        return (torch.empty(batch, *self.shape),)

    def forward(self, x):
        skips = []
        for i, block in enumerate(self.down):
            x = block(self.pool(x) if i else x)
            skips.append(x)
        found = []
        for i in reversed(range(len(self.up))):
            x, skip = self.up[i](x), skips[i]
            for axis in range(2, x.dim()):  # valid convolutions: crop the skip to fit
                skip = skip.narrow(axis, (skip.shape[axis] - x.shape[axis]) // 2, x.shape[axis])
            x = self.join[i](torch.cat([x, skip], 1))
            if i < len(self.out):
                found.append(self.out[i](x))
        return found[::-1]


class VNet(nn.Module):
    """V-Net in NVIDIA's small form for the hippocampus task: residual blocks, 32 cubed."""

    def __init__(self, widths=(16, 32, 64, 128, 256), size=32, classes=3):
        super().__init__()
        self.size = size
        block = lambda c, n: nn.Sequential(  # noqa: E731
            *(m for _ in range(n) for m in (nn.Conv3d(c, c, 3, padding=1), nn.BatchNorm3d(c), nn.ReLU(True)))
        )
        depth = (1, 2, 3, 3, 3)[: len(widths)]
        self.input = nn.Conv3d(1, widths[0], 3, padding=1)
        self.blocks = nn.ModuleList(block(c, n) for c, n in zip(widths, depth))
        self.down = nn.ModuleList(nn.Conv3d(a, b, 2, 2) for a, b in zip(widths, widths[1:]))
        self.up = nn.ModuleList(nn.ConvTranspose3d(b, a, 2, 2) for a, b in zip(widths, widths[1:]))
        self.join = nn.ModuleList(nn.Sequential(nn.Conv3d(2 * c, c, 1), block(c, n)) for c, n in zip(widths[:-1], depth))
        self.out = nn.Conv3d(widths[0], classes, 1)

    def example_inputs(self, batch):
        return (torch.empty(batch, 1, self.size, self.size, self.size),)

    def forward(self, x):
        x, skips = self.input(x), []
        for i, block in enumerate(self.blocks):
            if i:
                x = self.down[i - 1](x)
            x = x + block(x)
            skips.append(x)
        for i in reversed(range(len(self.up))):
            x = self.join[i](torch.cat([self.up[i](x), skips[i]], 1))
        return self.out(x)


class UNet3Plus(nn.Module):
    """UNet 3+ on VGG-19: every decoder stage sees every scale, brought to its size before it is convolved.

    As in NVIDIA/DeepLearningExamples, TensorFlow2/Segmentation/Contrib/UNet3P (`models/unet3plus.py`).
    """

    def __init__(self, size=320):
        super().__init__()
        self.size = size
        vgg = torchvision.models.vgg19().features
        self.encoder = nn.ModuleList([vgg[:4], vgg[4:9], vgg[9:18], vgg[18:27], vgg[27:36]])
        widths = (64, 128, 256, 512, 512)

        def block(inputs, outputs):
            return nn.Sequential(nn.Conv2d(inputs, outputs, 3, padding=1), nn.BatchNorm2d(outputs), nn.ReLU(True))

        self.scale = nn.ModuleList(
            nn.ModuleList(block(widths[j] if j <= i or j == 4 else 320, 64) for j in range(5)) for i in range(4)
        )
        self.fuse = nn.ModuleList(block(320, 320) for _ in range(4))
        self.out = nn.Conv2d(320, 2, 3, padding=1)

    def example_inputs(self, batch):
        return (torch.empty(batch, 3, self.size, self.size),)

    def forward(self, x):
        maps = []
        for stage in self.encoder:
            x = stage(x)
            maps.append(x)
        decoded = list(maps)
        for i in (3, 2, 1, 0):
            side, parts = maps[i].shape[-2:], []
            for j, conv in enumerate(self.scale[i]):
                if j > i:
                    parts.append(conv(F.interpolate(decoded[j], size=side, mode="bilinear")))
                else:
                    parts.append(conv(F.adaptive_max_pool2d(maps[j], side) if j < i else maps[j]))
            decoded[i] = self.fuse[i](torch.cat(parts, 1))
        return self.out(decoded[0])
