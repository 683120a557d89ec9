"""Detectors, written from their published architectures so that they can be traced without their frameworks.

What runs a training step's dense work is here: backbone, neck, heads, and region heads on as many proposals as
training samples. Matching, sampling, non-maximum suppression and the losses are not: they depend on the data.
"""

import torch
import torch.nn as nn
import torch.nn.functional as F
import torchvision
from torchvision import ops
from torchvision.models.resnet import Bottleneck, ResNet
from torchvision.ops import FrozenBatchNorm2d

PROPOSALS = 512  # sampled proposals an image
POSITIVES = 128  # of which a quarter, at most, feed the mask or keypoint head
# How many do that of people whose keypoints are marked, of whom a picture of COCO that has any has 2.6 (150,000 in the 57,000
# of train2017), where one for boxes or masks has 7.3 objects (860,000 in 118,000). How many proposals meet one nobody states;
# with half of what is allowed, keypoint heads on given proposals take what Detectron's table says, as mask heads do with all.
POSED = 64
SIZE = (800, 1216)  # the padded shape of a COCO batch resized to a short side of 800


def roi_align(features, boxes, *args, **options):
    """In 32 bits and back, as autocast has it."""
    return ops.roi_align(features.float(), boxes.float(), *args, **options).to(features.dtype)


def group_norm(channels):
    return nn.GroupNorm(32, channels)


# Frozen statistics widen what they scale: autocast takes the root of the variance in 32 bits, and the product with 16-bit
# activations is 32 bits wide (NVIDIA DeepLearningExamples, `maskrcnn_benchmark/layers/batch_norm.py`, and torchvision alike).
NORMS = {"frozen": FrozenBatchNorm2d, "batch": nn.BatchNorm2d, "group": group_norm}
BACKBONES = {
    "r50": dict(layers=[3, 4, 6, 3]),
    "r101": dict(layers=[3, 4, 23, 3]),
    "x50-32x4d": dict(layers=[3, 4, 6, 3], groups=32, width_per_group=4),
    "x101-32x4d": dict(layers=[3, 4, 23, 3], groups=32, width_per_group=4),
    "x101-32x8d": dict(layers=[3, 4, 23, 3], groups=32, width_per_group=8),
    "x101-64x4d": dict(layers=[3, 4, 23, 3], groups=64, width_per_group=4),
    "x152-32x8d": dict(layers=[3, 8, 36, 3], groups=32, width_per_group=8),
}


def resnet(name, norm, dilated=False):
    """A residual backbone; with frozen norms the stem and the first stage are frozen too, as detectors do."""
    net = ResNet(Bottleneck, norm_layer=NORMS[norm], replace_stride_with_dilation=[False, False, dilated], **BACKBONES[name])
    del net.fc
    if norm == "frozen":
        for part in (net.conv1, net.layer1):
            part.requires_grad_(False)
    return net


def stem(net, x):
    return net.maxpool(net.relu(net.bn1(net.conv1(x))))


def conv_relu(inputs, outputs, kernel=3, norm=None):
    layers = [nn.Conv2d(inputs, outputs, kernel, padding=kernel // 2, bias=norm is None)]
    return nn.Sequential(*layers, *([norm(outputs)] if norm else []), nn.ReLU(True))


class DeformConv(nn.Module):
    """A 3x3 convolution with the convolution that predicts its offsets; the sampling itself is a plain one here."""

    def __init__(self, conv):
        super().__init__()
        self.offset = nn.Conv2d(conv.in_channels, 18, 3, conv.stride, 1)
        self.conv = conv

    def forward(self, x):
        return self.conv(x) + self.offset(x).mean()


def deform(stages):
    for stage in stages:
        for block in stage:
            block.conv2 = DeformConv(block.conv2)


class Pyramid(nn.Module):
    """Feature pyramid on a residual backbone: p2 ... p5."""

    def __init__(self, backbone, norm="frozen", deformable=False):
        super().__init__()
        self.net = resnet(backbone, norm)
        if deformable:
            deform([self.net.layer2, self.net.layer3, self.net.layer4])
        wrap = (lambda conv: nn.Sequential(conv, group_norm(256))) if norm == "group" else (lambda conv: conv)
        self.lateral = nn.ModuleList(wrap(nn.Conv2d(c, 256, 1)) for c in (256, 512, 1024, 2048))
        self.out = nn.ModuleList(wrap(nn.Conv2d(256, 256, 3, padding=1)) for _ in range(4))

    def forward(self, x):
        x, maps = stem(self.net, x), []
        for stage in (self.net.layer1, self.net.layer2, self.net.layer3, self.net.layer4):
            x = stage(x)
            maps.append(x)
        top = [self.lateral[3](maps[3])]
        for i in (2, 1, 0):
            top.insert(0, self.lateral[i](maps[i]) + F.interpolate(top[0], size=maps[i].shape[-2:], mode="nearest"))
        return [conv(p) for conv, p in zip(self.out, top)]


def regions(maps, batch, per_image, side):
    """RoIAlign of `per_image` proposals an image, spread evenly over the maps."""
    share = batch * per_image // len(maps)
    return torch.cat([roi_align(m, torch.empty(share, 5), (side, side), 1.0, 2, True) for m in maps])


def mask_head(inputs, classes, norm=None):
    body = [conv_relu(inputs if i == 0 else 256, 256, norm=norm) for i in range(4)]
    return nn.Sequential(*body, nn.ConvTranspose2d(256, 256, 2, 2), nn.ReLU(True), nn.Conv2d(256, classes, 1))


def keypoint_head():
    body = [conv_relu(256 if i == 0 else 512, 512) for i in range(8)]
    return nn.Sequential(*body, nn.ConvTranspose2d(512, 17, 4, 2, 1), nn.Upsample(scale_factor=2, mode="bilinear"))


class BoxHead(nn.Module):
    """Two fully connected layers (or four convolutions and one) and the two predictors."""

    def __init__(self, convolutional=False, boxes=80, inputs=256):
        super().__init__()
        norm = group_norm if convolutional else None
        self.convs = nn.Sequential(*(conv_relu(inputs, 256, norm=norm) for _ in range(4 if convolutional else 0)))
        self.fc = nn.Sequential(nn.Linear(inputs * 49, 1024), nn.ReLU(True))
        if not convolutional:
            self.fc.extend([nn.Linear(1024, 1024), nn.ReLU(True)])
        self.cls, self.box = nn.Linear(1024, 81), nn.Linear(1024, 4 * boxes)

    def forward(self, x):
        x = self.fc(self.convs(x).flatten(1))
        return [self.cls(x), self.box(x)]


class SemanticHead(nn.Module):
    """The semantic branch of Panoptic FPN."""

    def __init__(self):
        super().__init__()
        step = lambda i, up: nn.Sequential(  # noqa: E731
            conv_relu(i, 128, norm=group_norm), nn.Upsample(scale_factor=2, mode="bilinear") if up else nn.Identity()
        )
        self.levels = nn.ModuleList(
            nn.Sequential(*(step(256 if i == 0 else 128, n > 0) for i in range(max(n, 1)))) for n in range(4)
        )
        self.predict = nn.Conv2d(128, 54, 1)

    def forward(self, maps):
        total = None
        for level, p in zip(self.levels, maps):
            y = level(p)
            total = y if total is None else total + y[..., : total.shape[-2], : total.shape[-1]]
        return F.interpolate(self.predict(total), scale_factor=4, mode="bilinear")


class Detector(nn.Module):
    def example_inputs(self, batch):
        return (torch.empty(batch, 3, *SIZE),)


class Rcnn(Detector):
    """Fast, Faster, Mask, Keypoint, Cascade and Panoptic R-CNN on a feature pyramid, and its region proposals alone."""

    def __init__(
        self,
        backbone,
        rpn=True,
        box=True,
        mask=False,
        keypoint=False,
        cascade=False,
        panoptic=False,
        norm="frozen",
        deformable=False,
    ):
        super().__init__()
        self.pyramid = Pyramid(backbone, norm, deformable)
        self.rpn = nn.ModuleList([nn.Conv2d(256, 256, 3, padding=1), nn.Conv2d(256, 15, 1)]) if rpn else None
        grouped = norm == "group"
        self.boxes = nn.ModuleList(BoxHead(grouped, 1 if cascade else 80) for _ in range((3 if cascade else 1) if box else 0))
        self.mask = mask_head(256, 80, group_norm if grouped else None) if mask else None
        self.keypoint = keypoint_head() if keypoint else None
        self.posed = POSED
        self.semantic = SemanticHead() if panoptic else None

    def forward(self, x):
        batch, maps = x.shape[0], self.pyramid(x)
        found = []
        if self.rpn is not None:
            for p in [*maps, F.max_pool2d(maps[3], 1, 2)]:
                found.append(self.rpn[1](F.relu(self.rpn[0](p))))
        for head in self.boxes:
            found += head(regions(maps, batch, PROPOSALS, 7))
        for head, positives in ((self.mask, POSITIVES), (self.keypoint, self.posed)):
            if head is not None:
                found.append(head(regions(maps, batch, positives, 14)))
        if self.semantic is not None:
            found.append(self.semantic(maps))
        return found


class RcnnC4(Detector):
    """R-CNN on the fourth stage, whose fifth stage runs on every proposal."""

    def __init__(self, backbone, rpn=True, box=True, mask=False):
        super().__init__()
        net = resnet(backbone, "frozen")
        self.last = net.layer4 if box or mask else None
        del net.layer4
        self.net = net
        self.rpn = nn.Sequential(nn.Conv2d(1024, 1024, 3, padding=1), nn.ReLU(True), nn.Conv2d(1024, 75, 1)) if rpn else None
        self.cls, self.box = (nn.Linear(2048, 81), nn.Linear(2048, 320)) if box else (None, None)
        self.mask = nn.Sequential(nn.ConvTranspose2d(2048, 256, 2, 2), nn.ReLU(True), nn.Conv2d(256, 80, 1)) if mask else None

    def forward(self, x):
        batch, net = x.shape[0], self.net
        x = net.layer3(net.layer2(net.layer1(stem(net, x))))
        found = [] if self.rpn is None else [self.rpn(x)]
        if self.cls is not None:
            y = self.last(regions([x], batch, PROPOSALS, 14))
            pooled = y.mean((2, 3))
            found += [self.cls(pooled), self.box(pooled)]
            if self.mask is not None:
                found.append(self.mask(y[: batch * POSITIVES]))
        return found


class RcnnDc5(Detector):
    """R-CNN on a dilated fifth stage."""

    def __init__(self, backbone, mask=False):
        super().__init__()
        self.net = resnet(backbone, "frozen", dilated=True)
        self.rpn = nn.Sequential(nn.Conv2d(2048, 2048, 3, padding=1), nn.ReLU(True), nn.Conv2d(2048, 75, 1))
        self.head = BoxHead(inputs=2048)
        self.mask = mask_head(2048, 80) if mask else None

    def forward(self, x):
        batch, net = x.shape[0], self.net
        x = net.layer4(net.layer3(net.layer2(net.layer1(stem(net, x)))))
        found = [self.rpn(x), *self.head(regions([x], batch, PROPOSALS, 7))]
        if self.mask is not None:
            found.append(self.mask(regions([x], batch, POSITIVES, 14)))
        return found


class RetinaNet(Detector):
    """RetinaNet; `size` other than 0 is a square input."""

    def __init__(self, backbone="r50", classes=80, anchors=9, norm="frozen", size=0, p6_inputs=2048):
        super().__init__()
        self.size = (size, size) if size else SIZE
        self.pyramid = Pyramid(backbone, norm)
        self.pyramid.lateral[0] = self.pyramid.out[0] = nn.Identity()
        self.p6_inputs = p6_inputs
        self.extra = nn.ModuleList([nn.Conv2d(p6_inputs, 256, 3, 2, 1), nn.Conv2d(256, 256, 3, 2, 1)])
        tower = lambda out: nn.Sequential(*(conv_relu(256, 256) for _ in range(4)), nn.Conv2d(256, out, 3, padding=1))  # noqa: E731
        self.cls, self.box = tower(classes * anchors), tower(4 * anchors)

    def example_inputs(self, batch):
        return (torch.empty(batch, 3, *self.size),)

    def forward(self, x):
        net, pyramid = self.pyramid.net, self.pyramid
        c3 = net.layer2(net.layer1(stem(net, x)))
        c4 = net.layer3(c3)
        c5 = net.layer4(c4)
        maps = [pyramid.lateral[3](c5)]
        for i, c in ((2, c4), (1, c3)):
            maps.insert(0, pyramid.lateral[i](c) + F.interpolate(maps[0], size=c.shape[-2:], mode="nearest"))
        maps = [pyramid.out[i + 1](p) for i, p in enumerate(maps)]
        maps.append(self.extra[0](c5 if self.p6_inputs == 2048 else maps[-1]))
        maps.append(self.extra[1](F.relu(maps[-1])))
        return [head(p) for p in maps for head in (self.cls, self.box)]


class Ssd(Detector):
    """SSD on a ResNet cut after its third stage, which keeps stride 8 (NVIDIA's and MLPerf's)."""

    def __init__(self, backbone="resnet50", classes=81, size=300):
        super().__init__()
        self.size = size
        net = getattr(torchvision.models, backbone)()
        block = net.layer3[0]
        for conv in (block.conv1, block.conv2, block.downsample[0]):
            conv.stride = (1, 1)
        self.net = nn.Sequential(net.conv1, net.bn1, net.relu, net.maxpool, net.layer1, net.layer2, net.layer3)
        channels = [1024 if backbone == "resnet50" else 256, 512, 512, 256, 256, 256]
        self.extra = nn.ModuleList()
        for i, (a, b, middle) in enumerate(zip(channels, channels[1:], (256, 256, 128, 128, 128))):
            down = nn.Conv2d(middle, b, 3, 2 if i < 3 else 1, 1 if i < 3 else 0, bias=False)
            self.extra.append(conv_relu(a, middle, 1, nn.BatchNorm2d).extend([down, nn.BatchNorm2d(b), nn.ReLU(True)]))
        boxes = zip(channels, (4, 6, 6, 6, 4, 4))
        self.heads = nn.ModuleList(nn.Conv2d(c, n * (4 + classes), 3, padding=1) for c, n in boxes)

    def example_inputs(self, batch):
        return (torch.empty(batch, 3, self.size, self.size),)

    def forward(self, x):
        x = self.net(x)
        found = [self.heads[0](x)]
        for extra, head in zip(self.extra, list(self.heads)[1:]):
            x = extra(x)
            found.append(head(x))
        return found


class Separable(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.depth = nn.Conv2d(inputs, inputs, 3, padding=1, groups=inputs, bias=False)
        self.point = nn.Conv2d(inputs, outputs, 1)

    def forward(self, x):
        return self.point(self.depth(x))


class EfficientDet(Detector):
    """EfficientDet-D0: EfficientNet-B0, three BiFPN layers of 64 channels, and heads of three layers (needs timm)."""

    def __init__(self, classes=90, channels=64, layers=3, size=512):
        super().__init__()
        import timm

        self.size, self.depth = size, layers
        self.net = timm.create_model("efficientnet_b0", features_only=True, out_indices=(2, 3, 4))
        self.lateral = nn.ModuleList(nn.Sequential(nn.Conv2d(c, channels, 1), nn.BatchNorm2d(channels)) for c in (40, 112, 320))
        self.p6 = nn.Sequential(nn.Conv2d(320, channels, 1), nn.BatchNorm2d(channels))
        node = lambda: nn.Sequential(nn.SiLU(), Separable(channels, channels), nn.BatchNorm2d(channels))  # noqa: E731
        self.nodes = nn.ModuleList(nn.ModuleList(node() for _ in range(8)) for _ in range(layers))
        self.towers = nn.ModuleList(nn.ModuleList(Separable(channels, channels) for _ in range(3)) for _ in range(2))
        self.norms = nn.ModuleList(nn.ModuleList(nn.BatchNorm2d(channels) for _ in range(15)) for _ in range(2))
        self.heads = nn.ModuleList([Separable(channels, 9 * classes), Separable(channels, 36)])

    def example_inputs(self, batch):
        return (torch.empty(batch, 3, self.size, self.size),)

    def forward(self, x):
        c = self.net(x)
        maps = [conv(v) for conv, v in zip(self.lateral, c)]
        maps.append(F.max_pool2d(self.p6(c[-1]), 3, 2, 1))
        maps.append(F.max_pool2d(maps[-1], 3, 2, 1))
        for nodes in self.nodes:
            top = list(maps)
            for i in (3, 2, 1, 0):
                top[i] = nodes[i](maps[i] + F.interpolate(top[i + 1], size=maps[i].shape[-2:], mode="nearest"))
            for i in range(1, 5):
                top[i] = nodes[3 + i](maps[i] + top[i] + F.max_pool2d(top[i - 1], 3, 2, 1))
            maps = top
        found = []
        for tower, norms, head in zip(self.towers, self.norms, self.heads):
            for level, p in enumerate(maps):
                for i, conv in enumerate(tower):
                    p = F.silu(norms[level * 3 + i](conv(p)))
                found.append(head(p))
        return found
