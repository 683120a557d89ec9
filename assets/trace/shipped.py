#!/usr/bin/env python3
"""Trace again every profile that ships and that rests on a module of this folder.

    python shipped.py other.jsonl.gz [KEY ...]

One line a profile, keyed as `profile` in presets/models/*.toml. Needs torch, torchvision, timm and diffusers. Profiles of plain
timm and torchvision models name the model in `source` instead: trace those with `../trace_model.py --timm NAME --image-size N`.
"""

import gzip
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import classification  # noqa: E402
import detection as det  # noqa: E402
import diffusion as dif  # noqa: E402
import graph  # noqa: E402
import recommender as rec  # noqa: E402
import recurrent as rnn  # noqa: E402
import segmentation as seg  # noqa: E402
import speech as sp  # noqa: E402
import torch  # noqa: E402
import trace_model  # noqa: E402

BACKBONES = ("r50", "r101", "x101-32x4d", "x101-32x8d", "x101-64x4d")
COCO = 800
VOXEL = (32, 64, 128, 256, 320, 320)


def classifiers():
    """key -> (image size, factory) of every classifier."""
    return {
        key: (shape[0], lambda key=key: classification.GpuNet(key)) for key, shape in classification.SHAPES.items()
    }


def detectors():
    """key -> (image size, factory) of every detector."""
    table = {}
    for b in BACKBONES:
        variants = {
            f"faster-rcnn-{b}-fpn": {},
            f"mask-rcnn-{b}-fpn": {"mask": True},
            f"keypoint-rcnn-{b}-fpn": {"keypoint": True},
            f"fast-rcnn-{b}-fpn": {"rpn": False},
            f"mask-rcnn-{b}-fpn-precomputed": {"mask": True, "rpn": False},
            f"keypoint-rcnn-{b}-fpn-precomputed": {"keypoint": True, "rpn": False},
            f"rpn-{b}-fpn": {"box": False},
        }
        for key, options in variants.items():
            table[key] = COCO, lambda b=b, o=options: det.Rcnn(b, **o)
        table[f"retinanet-{b}-fpn"] = COCO, lambda b=b: det.RetinaNet(b)
    for b in ("r50", "r101", "x101-32x4d", "x101-64x4d"):
        table[f"cascade-rcnn-{b}-fpn"] = COCO, lambda b=b: det.Rcnn(b, cascade=True)
        table[f"cascade-mask-rcnn-{b}-fpn"] = COCO, lambda b=b: det.Rcnn(b, mask=True, cascade=True)
    for b in BACKBONES[:2]:
        table[f"faster-rcnn-{b}-c4"] = COCO, lambda b=b: det.RcnnC4(b)
        table[f"mask-rcnn-{b}-c4"] = COCO, lambda b=b: det.RcnnC4(b, mask=True)
        table[f"faster-rcnn-{b}-dc5"] = COCO, lambda b=b: det.RcnnDc5(b)
        table[f"mask-rcnn-{b}-dc5"] = COCO, lambda b=b: det.RcnnDc5(b, mask=True)
        table[f"panoptic-fpn-{b}"] = COCO, lambda b=b: det.Rcnn(b, mask=True, panoptic=True)
    return table | {
        "fast-rcnn-r50-c4": (COCO, lambda: det.RcnnC4("r50", rpn=False)),
        "rpn-r50-c4": (COCO, lambda: det.RcnnC4("r50", box=False)),
        "mask-rcnn-r50-c4-precomputed": (COCO, lambda: det.RcnnC4("r50", rpn=False, mask=True)),
        "mask-rcnn-r50-fpn-3x-gn": (COCO, lambda: det.Rcnn("r50", mask=True, norm="group")),
        "mask-rcnn-r50-fpn-3x-syncbn": (COCO, lambda: det.Rcnn("r50", mask=True, norm="batch")),
        "mask-rcnn-r50-fpn-dconv-c3-c5": (COCO, lambda: det.Rcnn("r50", mask=True, deformable=True)),
        "mask-rcnn-x152-32x8d-fpn-in5k": (COCO, lambda: det.Rcnn("x152-32x8d", mask=True)),
        "retinanet-resnext50-32x4d-fpn": (800, lambda: det.RetinaNet("x50-32x4d", 264, 9, "frozen", 800, 256)),
        "ssd300-resnet50": (300, det.Ssd),
        "ssd300-resnet34": (300, lambda: det.Ssd("resnet34")),
        "ssd320-resnet50-fpn": (320, lambda: det.RetinaNet("r50", 90, 6, "batch", 320, 256)),
        "efficientdet-d0": (512, det.EfficientDet),
    }


SEGMENTATION = {
    "unet-medical": (572, lambda: seg.UNet((64, 128, 256, 512, 1024), 572, padding=0)),
    "unet-2d-industrial": (512, lambda: seg.UNet((32, 64, 128, 256), 512)),
    "unet-3d-kits19": (128, lambda: seg.UNet(VOXEL, 128, 3, 1, 3, 1, "instance")),
    "unet-3d-brats": (128, lambda: seg.UNet(VOXEL, 128, 3, 4, 4, 1, "instance")),
    "nnunet-2d": (192, lambda: seg.UNet((32, 64, 128, 256, 512, 512), (192, 160), 2, 4, 4, 1, "instance", 2)),
    "nnunet-3d": (128, lambda: seg.UNet(VOXEL, 128, 3, 4, 4, 1, "instance", 3)),
    "vnet": (32, seg.VNet),
    "unet3plus-vgg19": (320, seg.UNet3Plus),
}
DIFFUSION = {
    "stable-diffusion-v2-unet": (512, dif.stable_diffusion),
    "stable-diffusion-v1-unet": (512, lambda: dif.stable_diffusion("1")),
    "stable-diffusion-xl-unet": (1024, lambda: dif.stable_diffusion("xl", 128)),
    "stable-diffusion-3-medium": (512, dif.sd3),
    "dit-xl-2": (256, dif.dit),
    "dit-l-2": (256, lambda: dif.dit(24, 16)),
    "dit-b-2": (256, lambda: dif.dit(12, 12)),
    "dit-s-2": (256, lambda: dif.dit(12, 6)),
    "flux.1-schnell": (256, dif.flux),
    "flux.1-dev": (1024, lambda: dif.flux(True, 1024, 512)),
    "cyclegan": (256, dif.CycleGan),
}
# key -> (tokens, frames or audio samples; 0 where the sample is fixed, factory)
SEQUENCES = {
    "jasper": (1500, sp.Jasper),
    "jasper-unmasked": (1500, lambda: sp.Jasper(masked=False)),
    "quartznet15x5": (1500, lambda: sp.Jasper(True)),
    "rnnt": (0, sp.RnnT),
    "wav2vec2-base": (250000, sp.Wav2Vec2),
    "wav2vec2-large": (250000, lambda: sp.Wav2Vec2(24, 1024, 16, 4096)),
    "tacotron2": (0, sp.Tacotron2),
    "fastpitch": (0, sp.FastPitch),
    "fastspeech": (0, lambda: sp.FastPitch(pitch=False, heads=2)),
    "waveglow": (8000, sp.WaveGlow),
    "hifigan": (8192, sp.HifiGan),
    "gnmt-v2": (0, rnn.Gnmt),
    "lstm-wikitext2": (0, rnn.LanguageModel),
    "tft": (0, rnn.Tft),
    "a3c-pong": (0, rnn.A3c),
    "transformer-xl-base": (192, rnn.TransformerXl),
    "transformer-xl-large": (384, lambda: rnn.TransformerXl(18, 1024, 16, 4096, 384, 384, 4)),
    "transformer-xl-base-full-softmax": (192, lambda: rnn.TransformerXl(adaptive=False)),
    "transformer-xl-large-full-softmax": (256, lambda: rnn.TransformerXl(18, 1024, 16, 4096, 256, 256, adaptive=False)),
    "ncf": (0, rec.Ncf),
    "dlrm-small": (0, lambda: rec.Dlrm(32_800_000)),
    "dlrm-large": (0, lambda: rec.Dlrm(178_000_000)),
    "dlrm-xlarge": (0, lambda: rec.Dlrm(883_000_000)),
    "dlrm-criteo1tb": (0, lambda: rec.Dlrm(187_767_399)),
    "dlrm-dcnv2": (0, lambda: rec.Dlrm(204_184_588, lookups=214, cross=3)),
    "dcnv2-small": (0, lambda: rec.Dlrm(32_800_000, cross=3)),
    "dcnv2-large": (0, lambda: rec.Dlrm(178_000_000, cross=3)),
    "wide-and-deep": (0, rec.WideAndDeep),
    "vae-cf": (0, rec.VaeCf),
    "recoder-ml20m": (0, rec.Recoder),
    "sim": (0, rec.Sim),
    "gcn": (0, graph.Gcn),
    "rgat": (0, graph.Rgat),
    "se3-transformer": (0, graph.Se3Transformer),
    "moflow": (0, graph.MoFlow),
    "wan2.1-14b": (75600, dif.wan),
}
# Modules whose sizes are partly recalled or stood in for: what rests on them says so.
ESTIMATED = {
    "mask-rcnn-r50-fpn-dconv-c3-c5", "unet-2d-industrial", "vnet", "fastspeech", "tft", "a3c-pong",
    "wide-and-deep", "recoder-ml20m", "sim", "rgat", "se3-transformer", "moflow",
}  # fmt: skip
# Recipes that choose the types of what they move themselves: TorchScript fuses the gates of NVIDIA's TFT, and its
# SE(3)-Transformer makes the bases in 16 bits. What autocast would do to the modules here says nothing of them.
OWN_CASTS = {"tft", "se3-transformer"}
# Recipes that NVIDIA runs as apex's O2, the whole model in 16 bits (`opt_level`; of DLRM the perceptrons, whose embeddings come in
# 16 bits too, `fp16=FLAGS.amp`). Transformer-XL's moves its scores in 32 all the same, to mask them
# (`attn_score.float().masked_fill`), as autocast would.
O2 = {"ncf", "dlrm-small", "dlrm-large", "dlrm-xlarge"}
O2_KEPT = O2 | {key for key in SEQUENCES if key.startswith("transformer-xl")}

# Pictures with more people than the mean: a run needs the memory of its fullest step.
CROWDED = {key for key in detectors() if key.startswith("keypoint")}
# Their recipes overwrite what they activate, which saves memory; what that costs in copies is no step's (segmentation.py).
OVERWRITTEN = {"nnunet-2d", "nnunet-3d", "unet-3d-brats", "unet-3d-kits19"}


def overwriting(factory):
    """The module of `factory()` with activations in place."""
    module = factory()
    for part in module.modules():
        if isinstance(part, torch.nn.LeakyReLU):
            part.inplace = True
    return module


def crowded(factory):
    """The detector of `factory()` on pictures full of people."""
    module = factory()
    module.posed = det.POSITIVES
    return module


def record(key, image_size, seq_len, factory):
    """The line of one profile."""
    found = trace_model.trace(factory, trace_model.make_inputs([]))
    held = crowded if key in CROWDED else overwriting if key in OVERWRITTEN else None
    if held:
        found["kept"] = trace_model.trace(lambda: held(factory), trace_model.make_inputs([]))["kept"]
    if key in O2_KEPT:
        found["kept"]["amp"] = found["kept"]["fp32"] // 2
    if key in OWN_CASTS | O2:
        found = {name: value for name, value in found.items() if name not in ("amp", "ln")}
    return {
        "schema": trace_model.SCHEMA,
        "model": key,
        "image_size": image_size,
        "seq_len": seq_len,
        **found,
        "kind": "estimated" if key in ESTIMATED else "traced",
        "source": "assets/trace/shipped.py",
        "traced_with": f"PyTorch {torch.__version__.split('+')[0]}",
    }


def main(path, *wanted):
    pictures = classifiers() | detectors() | SEGMENTATION | DIFFUSION
    jobs = [(key, size, 0, factory) for key, (size, factory) in pictures.items()]
    jobs += [(key, 0, length, factory) for key, (length, factory) in SEQUENCES.items()]
    with open(path, "wb") as raw, gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0) as file:
        for job in sorted(jobs, key=lambda job: job[0]):
            if not wanted or job[0] in wanted:
                line = record(*job)
                file.write((json.dumps(line, separators=(",", ":")) + "\n").encode())
                print(
                    f"{job[0]}: {line['params'] / 1e6:.2f} M parameters, {trace_model.forward_gmacs(line):.3f} GMACs", flush=True
                )


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(*sys.argv[1:])
