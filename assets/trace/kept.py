#!/usr/bin/env python3
"""Add `kept`, the bytes that live at the fullest moment of a step, to profiles that lack it.

    python kept.py vision.jsonl.gz [PATTERN]

A line whose model timm or torchvision builds under the name in `source` is traced at its image size; a line with the operators of
one that was traced takes its figures over. Those that cannot be traced stay as they are. Only models that match PATTERN, a regular
expression, are traced where one is given. Needs torch, timm and torchvision; some seconds a model.
"""

import gzip
import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import timm  # noqa: E402
import torch  # noqa: E402
import trace_model  # noqa: E402
from torchvision import models  # noqa: E402

BATCH = 4


def factory(source):
    """What builds the model a line names, or None."""
    name = source.split(", ")[-1].replace("-", "_")
    if timm.is_model(name):
        return trace_model.from_timm(name)
    return trace_model.from_torchvision(name) if name in models.list_models() else None


def measure(line):
    """`kept` of a line, or None."""
    build = factory(line["source"])
    if build is None or not line["image_size"]:
        return None
    side = line["image_size"]
    try:
        with torch.device("meta"):
            module = build()
            module.train()
            return trace_model.kept(module, trace_model.make_inputs([f"3x{side}x{side}"]), BATCH, False)
    except Exception as error:  # whatever a foreign model raises: its line stays as it is
        print(f"{line['model']}: {type(error).__name__}: {error}", file=sys.stderr)
        return None


def operators(line):
    return json.dumps([line["mm"], line["params"], line["image_size"], line["seq_len"]])


def main(path, pattern=""):
    with gzip.open(path, "rt") as file:
        lines = [json.loads(text) for text in file]
    known = {operators(line): line["kept"] for line in lines if "kept" in line}
    for line in lines:
        same = operators(line)
        if same not in known and re.search(pattern, line["model"]) and (kept := measure(line)):
            known[same] = kept
            print(line["model"], kept, flush=True)
        if same in known:
            line["kept"] = known[same]
    with open(path + ".new", "wb") as raw, gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0) as file:
        for line in lines:
            file.write((json.dumps(line, separators=(",", ":")) + "\n").encode())
    os.replace(path + ".new", path)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(*sys.argv[1:])
