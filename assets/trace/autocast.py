#!/usr/bin/env python3
"""Trace again what the models of profiles that ship move: `ew`, and under autocast `amp` and `ln`, as ../trace_model.py defines them.

    python autocast.py vision.jsonl.gz [PART PARTS [again]]

Models of timm and torchvision are found by the name in `source`; a line whose multiply-adds a new trace does not repeat
stays as it is, since its model is another there, and without `again` so does one that has all: run it under another version of
timm for those. PART and PARTS share the lines out among processes: each writes vision.PART.jsonl, lines in the order of the
file, and with one of one the file itself is written anew.
"""

import functools
import gzip
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch  # noqa: E402
import torch._dynamo  # noqa: E402, F401  (cannot be loaded while the meta device is the default)
import trace_model  # noqa: E402

# Versions of timm before 1.0 read numbers of a `linspace` while they build, which the meta device has none of.
torch.linspace = functools.partial(torch.linspace, device="cpu")


# Multiply-adds within this share are the same model's: kernels of attention are cut differently from version to version.
SAME = 0.005


def factory_of(source):
    """The model that a `source` names."""
    package, _, name = source.partition(", ")
    name = name.split(" ")[0].replace("-", "_")
    if "timm" in package:
        try:
            return trace_model.from_timm(name)
        except trace_model.TraceError:
            if "torchvision" not in package:
                raise
    return trace_model.from_torchvision(name)


def traced(line):
    """The line with what its model moves."""
    size = line["image_size"]
    inputs_of = trace_model.make_inputs([f"3x{size}x{size}"])
    with torch.device("meta"):
        module = build(factory_of(line["source"]), size)
        module.train()
        once = trace_model.run_once(module, inputs_of, 2, False)
        now = {"mm": [[*key, count] for key, count in once.mm.items()]}
        macs = [trace_model.forward_gmacs(profile) for profile in (line, now)]
        if abs(macs[1] / macs[0] - 1) > SAME:
            raise trace_model.TraceError(f"{macs[1]:.3f} GMACs in this version, {macs[0]:.3f} in the file")
        twice = trace_model.run_once(module, inputs_of, 4, False)
        line |= {"ew": trace_model.growth(once, twice)} | trace_model.trace_autocast(module, inputs_of)
    return line


def build(factory, size):
    """The model at this size, which those with attention must know."""
    try:
        return factory(img_size=size)
    except TypeError:
        return factory()


def main(path, part=0, parts=1, again=""):
    with gzip.open(path, "rt", encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    done = []
    for line in lines[int(part) :: int(parts)]:
        try:
            done.append(line if "amp" in line and not again else traced(line))
        except Exception as error:  # one model more that only another version has
            print(f"{line['model']} at {line['image_size']}: {type(error).__name__}: {str(error)[:120]}", flush=True)
            done.append(line)
    text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in done)
    if int(parts) > 1:
        with open(path.replace(".jsonl.gz", f".{part}.jsonl"), "w", encoding="utf-8") as file:
            file.write(text)
    else:
        with open(path, "wb") as raw, gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0) as file:
            file.write(text.encode())


if __name__ == "__main__":
    if len(sys.argv) not in (2, 4, 5):
        sys.exit(__doc__)
    main(*sys.argv[1:])
