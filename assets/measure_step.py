#!/usr/bin/env python3
"""Measure training steps on this machine's GPU and write them as runs that Mantissa reads.

    python measure_step.py --timm resnet50 --image-size 224 --batch 128 --modes tf32,amp-bf16 --out runs.csv
    python measure_step.py --transformers gpt2 --seq-len 1024 --batch 8 --name gpt2 --out runs.csv
    python measure_step.py --transformers path/to/config.json --name my-model --seq-len 2048 --batch 2 --out runs.csv
    python measure_step.py --jobs jobs.txt --seconds 400 --out runs.csv

`mantissa evaluate --runs runs.csv` then says how far off the predictor is here, and `mantissa calibrate` corrects it. --name is
the model as Mantissa's catalogue (or your model file) calls it. A file of jobs has one a line, with the options of a single
one: `timm resnet50 image-size=224 batch=128 modes=tf32,amp-bf16`. Rows are written as they are measured, and what --out
has already is not measured again: the same command goes on where it was interrupted.

A step is forward, loss, backward and optimizer update, on inputs that lie on the device already: no input pipeline.
The time is the median of --blocks blocks of steps, each timed by the host from an idle device to an idle device;
`spread` is (largest - smallest) / median of them. Memory is the peak of PyTorch's allocator. Modes:

  fp64, fp32, tf32   everything that wide; products and convolutions take TF32 under `tf32` (in 16-bit modes, which have next
                     to none in 32 bits, convolutions may, as is PyTorch's default)
  fp16, bf16         parameters, gradients and optimizer states 16 bits wide too; a constant loss scale under FP16
  amp-fp16, amp-bf16 autocast over FP32 parameters; a gradient scaler under FP16
  fp8                torchao's linear layers (dynamic scales) in autocast to BF16; they want --compile

With --kernels FILE the kernels of every row are written too, a line of JSON each: what PyTorch's profiler saw of two more steps,
as [name, calls a step, microseconds a step]; rows that FILE has are left out. A profiler slows the host of all that comes
after it in a process, so they follow when all is timed.

cuDNN searches its algorithms (`cudnn.benchmark`), as training scripts of vision ask it to; what this costs is not timed.
Only torch is required; --timm, --transformers and fp8 need timm, transformers and torchao.
"""

import argparse
import contextlib
import csv
import datetime
import gc
import importlib
import json
import os
import shlex
import statistics
import sys
import time

try:
    import torch
    import torch.nn.functional as F
except ImportError as error:
    sys.exit(f"measure_step: this tool needs PyTorch 2.3 or newer ({error}); pip install torch")

# In this order a model is measured in all of them without being built anew: parameters stay wide as long as they can, FP16, in
# which they may overflow, is near the end, and FP8, which replaces layers, is the end.
MODES = ("fp32", "tf32", "amp-fp16", "amp-bf16", "bf16", "fp64", "fp16", "fp8")
STORED = {"fp16": torch.float16, "bf16": torch.bfloat16, "fp64": torch.float64}
AUTOCAST = {"amp-fp16": torch.float16, "amp-bf16": torch.bfloat16, "fp8": torch.bfloat16}
LOSS_SCALE = 1024.0
RATE = 1e-5
# Adam's term under the root; 1e-8 would be nothing in FP16, and parameters without a gradient not a number.
EPSILON = {"fp16": 1e-4}
# How the catalogue spells parts whose driver's name says less.
PARTS = {"NVIDIA H100 80GB HBM3": "H100-SXM5-80GB", "NVIDIA H200": "H200-SXM-141GB"}
COLUMNS = (
    "source source_path source_date model task framework stack gpu system gpus nodes interconnect precision batch_per_gpu "
    "grad_accum global_batch seq_len image_size flags throughput throughput_unit iter_time_ms mem_gb_per_gpu memory_counter "
    "notes tuning timed repeats spread mean_power_w"
).split()


class MeasureError(Exception):
    """What a user can put right."""


def package(name):
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise MeasureError(f"the package {name} is needed ({error}); pip install {name}") from error


class Timm:
    """A network for pictures, trained on classes."""

    task = "image-classification"

    def __init__(self, job):
        timm = package("timm")
        if not timm.is_model(job.target):
            raise MeasureError(f"timm has no model {job.target!r}")
        self.side = job.image_size or 224
        sized = {"img_size": self.side} if job.resize else {}
        self.classes = 1000
        self.module = timm.create_model(job.target, num_classes=self.classes, **sized)

    def inputs(self, batch):
        pictures = torch.randn(batch, 3, self.side, self.side)
        return pictures, torch.randint(self.classes, (batch,))

    def loss(self, pictures, labels):
        found = self.module(pictures)
        return F.cross_entropy(found[0] if isinstance(found, (tuple, list)) else found, labels)


class Transformers:
    """A language model, trained on the next word, on a target beside its source, or as question answering."""

    def __init__(self, job):
        library = package("transformers")
        if os.path.isfile(job.target):
            config = library.AutoConfig.from_pretrained(job.target)
            for name, value in job.set.items():
                setattr(config, name, value)
            if not job.name:
                raise MeasureError("a configuration needs --name: the model as Mantissa's catalogue or your model file calls it")
        else:
            config = library.AutoConfig.for_model(job.target, **job.set)
        config.use_cache = False
        if job.head == "target" and getattr(config, "decoder_start_token_id", None) is None:
            config.decoder_start_token_id = 0
        heads = {
            "causal": ("language-pretraining", library.AutoModelForCausalLM),
            "answers": ("language-finetuning", library.AutoModelForQuestionAnswering),
            "target": ("translation", library.AutoModelForSeq2SeqLM),  # as long a target as the source
        }
        self.head = job.head
        self.task, auto = heads[job.head]
        self.length, self.words = job.seq_len or 512, config.vocab_size
        self.module = auto.from_config(config, attn_implementation=job.attention)

    def inputs(self, batch):
        ids = torch.randint(10, self.words, (batch, self.length))
        return ids, torch.randint(1, self.length, (batch,)) if self.head == "answers" else ids

    def loss(self, ids, labels):
        if self.head == "answers":
            return self.module(input_ids=ids, start_positions=labels, end_positions=labels).loss
        return self.module(input_ids=ids, labels=labels).loss


class Shipped:
    """A module that one of the shipped profiles was traced from (`trace/shipped.py`), driven by the sum of its outputs."""

    def __init__(self, job):
        sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "trace"))
        shipped = package("shipped")
        pictures = {**shipped.SEGMENTATION, **shipped.DIFFUSION}
        known = {key: factory for key, (_, factory) in {**pictures, **shipped.SEQUENCES}.items()}
        if job.target not in known:
            raise MeasureError(f"trace/shipped.py has no module {job.target!r}; it has {', '.join(sorted(known))}")
        self.module = known[job.target]()
        self.task = job.task
        with torch.no_grad():
            for parameter in self.module.parameters():
                parameter.normal_(std=0.02) if parameter.dim() > 1 else parameter.fill_(0.1)
        tables = [m.num_embeddings for m in self.module.modules() if isinstance(m, torch.nn.Embedding)]
        self.words = min(tables, default=2)

    def inputs(self, batch):
        made = self.module.example_inputs(batch)
        self.named = tuple(made) if isinstance(made, dict) else ()
        made = made.values() if self.named else made
        return tuple(t.normal_() if t.is_floating_point() else torch.randint_like(t, self.words) for t in made)

    def loss(self, *inputs):
        outputs = self.module(**dict(zip(self.named, inputs))) if self.named else self.module(*inputs)
        outputs = outputs if isinstance(outputs, (tuple, list)) else (outputs,)
        return sum(o.float().mean() for o in flat(outputs))


def flat(outputs):
    for output in outputs:
        if isinstance(output, (tuple, list)):
            yield from flat(output)
        else:
            yield output


KINDS = {"timm": Timm, "transformers": Transformers, "shipped": Shipped}


class Power:
    """Mean draw of the board between two moments, from the driver's counter of energy; blank where it has none."""

    def __init__(self):
        self.handle = None
        with contextlib.suppress(Exception):
            self.nvml = importlib.import_module("pynvml")
            self.nvml.nvmlInit()
            own = f"GPU-{torch.cuda.get_device_properties(torch.cuda.current_device()).uuid}"
            handle = self.nvml.nvmlDeviceGetHandleByUUID(own)
            self.nvml.nvmlDeviceGetTotalEnergyConsumption(handle)
            self.handle = handle

    def joules(self):
        return self.nvml.nvmlDeviceGetTotalEnergyConsumption(self.handle) / 1e3

    def reading(self):
        return (self.joules(), time.perf_counter()) if self.handle is not None else None

    @staticmethod
    def between(before, after):
        if before is None or after is None:
            return ""
        return round((after[0] - before[0]) / (after[1] - before[1]), 1)


class Stepper:
    """One model in one mode, ready to step."""

    def __init__(self, what, mode, job, device):
        self.what, self.mode, self.device = what, mode, device
        torch.backends.cuda.matmul.allow_tf32 = mode == "tf32"
        torch.backends.cudnn.allow_tf32 = mode not in ("fp32", "fp64")
        module = what.module.to(STORED.get(mode, torch.float32))
        if job.layout == "channels_last":
            module = module.to(memory_format=torch.channels_last)
        module.train()
        with device:
            batch = what.inputs(job.batch)
        self.batch = tuple(self.placed(t, job) for t in batch)
        rate, eps = RATE / (LOSS_SCALE if mode == "fp16" else 1.0), EPSILON.get(mode, 1e-8)
        build = {
            "sgd": lambda p: torch.optim.SGD(p, lr=rate, momentum=0.9),
            "adam": lambda p: torch.optim.Adam(p, lr=RATE, eps=eps),
            "adamw": lambda p: torch.optim.AdamW(p, lr=RATE, eps=eps),
        }
        self.optimizer = build[job.optimizer]([p for p in module.parameters() if p.requires_grad])
        self.scaler = torch.amp.GradScaler() if mode == "amp-fp16" and device.type == "cuda" else None

    def placed(self, tensor, job):
        if not tensor.is_floating_point():
            return tensor
        tensor = tensor.to(STORED.get(self.mode, torch.float32))
        return tensor.to(memory_format=torch.channels_last) if job.layout and tensor.dim() == 4 else tensor

    def step(self):
        self.optimizer.zero_grad(set_to_none=True)
        kind = AUTOCAST.get(self.mode)
        with torch.autocast(self.device.type, kind) if kind else contextlib.nullcontext():
            loss = self.what.loss(*self.batch)
        if self.scaler:
            self.scaler.scale(loss).backward()
            self.scaler.step(self.optimizer)
            self.scaler.update()
        elif self.mode == "fp16":
            (loss * LOSS_SCALE).backward()
            self.optimizer.step()
        else:
            loss.backward()
            self.optimizer.step()
        return loss


def compiled(what, job):
    """The same with what `--compile` names compiled: everything, or each block of one class for itself."""
    if job.compile == "all":
        what.module.compile()
        return
    blocks = [m for m in what.module.modules() if type(m).__name__ == job.compile]
    if not blocks:
        raise MeasureError(f"no module of class {job.compile!r} to compile")
    for block in blocks:
        block.compile()


def in_fp8(what):
    """Turns the linear layers of the blocks, not the head's, to torchao's FP8."""
    training = package("torchao.float8")
    training.convert_to_float8_training(
        what.module,
        module_filter_fn=lambda m, name: "head" not in name and m.in_features % 16 == 0 and m.out_features % 16 == 0,
    )


def measured(stepper, job, synchronize, power):
    """Seconds a step of each block, peak bytes, and the mean power over all blocks."""
    started = time.perf_counter()
    for _ in range(job.warmup):
        loss = stepper.step()
    synchronize()
    if not torch.isfinite(loss):
        raise MeasureError("the loss is not a number, and such steps draw less power: choose another mode or batch")
    warm = time.perf_counter() - started
    started = time.perf_counter()
    for _ in range(2):
        stepper.step()
    synchronize()
    guess = (time.perf_counter() - started) / 2
    steps = max(3, min(200, round(job.block_seconds / guess)))
    if stepper.device.type == "cuda":
        torch.cuda.reset_peak_memory_stats()
    seconds, before = [], power.reading()
    for _ in range(job.blocks):
        started = time.perf_counter()
        for _ in range(steps):
            stepper.step()
        synchronize()
        seconds.append((time.perf_counter() - started) / steps)
    watts = power.between(before, power.reading())
    peak = torch.cuda.max_memory_allocated() if stepper.device.type == "cuda" else 0
    return seconds, peak, watts, warm, steps


def kernels_of(stepper, job, device, steps=2):
    """The device's kernels, copies and fills of a step: [name, calls, microseconds], longest first."""
    for _ in range(job.warmup):
        stepper.step()
    kind = "CUDA" if device.type == "cuda" else "CPU"
    with torch.profiler.profile(activities=[getattr(torch.profiler.ProfilerActivity, kind)]) as profile:
        for _ in range(steps):
            stepper.step()
        if device.type == "cuda":
            torch.cuda.synchronize()
    seen = [e for e in profile.key_averages() if e.device_type == getattr(torch.autograd.DeviceType, kind)]
    spent = [e.self_device_time_total if device.type == "cuda" else e.self_cpu_time_total for e in seen]
    found = [[e.key[:200], e.count / steps, round(time / steps, 2)] for e, time in zip(seen, spent)]
    return sorted(found, key=lambda kernel: -kernel[2])


# What tells one measurement of a file from another.
KEY = ("model", "task", "gpu", "stack", "precision", "batch_per_gpu", "seq_len", "image_size", "flags")


def configuration(job, what, mode, device):
    """The configuration columns of a run that `mantissa evaluate` reads."""
    name = torch.cuda.get_device_name() if device.type == "cuda" else "cpu"
    flags = [job.optimizer] + ([job.layout] if job.layout else []) + (["compile"] if job.compile else [])
    flags += ["eager-attn"] if job.attention == "eager" else []
    flags += ["cudnn-search"] if torch.backends.cudnn.benchmark else []
    versions = [f"PyTorch {torch.__version__.split('+')[0]}"]
    if torch.version.cuda:
        versions += [f"CUDA {torch.version.cuda}", f"cuDNN {torch.backends.cudnn.version()}"]
    versions += [f"{p} {importlib.import_module(p).__version__}" for p in package_names(job, mode)]
    return {
        "source": job.source,
        "source_path": job.source_path,
        "source_date": datetime.date.today().strftime("%Y-%m"),
        "model": job.name or job.target.replace("_", "-"),
        "task": what.task,
        "framework": "pytorch",
        "stack": ", ".join(versions),
        "gpu": job.gpu or PARTS.get(name, name.removeprefix("NVIDIA ")),
        "system": job.system,
        "gpus": 1,
        "nodes": 1,
        "precision": mode,
        "batch_per_gpu": job.batch,
        "grad_accum": 1,
        "global_batch": job.batch,
        "seq_len": getattr(what, "length", job.seq_len) or "",
        "image_size": getattr(what, "side", job.image_size) or "",
        "flags": ";".join(flags),
        "notes": job.notes,
        "tuning": "plain",
        "timed": "step",
    }


def outcome(job, seconds, peak, watts):
    """Its outcome columns."""
    median = statistics.median(seconds)
    return {
        "throughput": f"{job.batch / median:.5g}",
        "throughput_unit": "samples/s",
        "iter_time_ms": f"{median * 1e3:.5g}",
        "mem_gb_per_gpu": f"{peak / 2**30:.3f}" if peak else "",
        "memory_counter": "allocated" if peak else "",
        "repeats": len(seconds),
        "spread": f"{(max(seconds) - min(seconds)) / median:.4f}",
        "mean_power_w": watts,
    }


def package_names(job, mode):
    return ([job.kind] if job.kind != "shipped" else []) + (["torchao"] if mode == "fp8" else [])


def key_of(row):
    return tuple(str(row[column]) for column in KEY)


def run_job(job, device, write, done, deadline, kernels=None):
    """Measures one model in every mode asked for, or profiles it into `kernels`; returns what failed, a sentence a mode."""
    failed = []
    if time.monotonic() > deadline:
        return [f"{job.target}: out of time"]
    synchronize = torch.cuda.synchronize if device.type == "cuda" else lambda: None
    power = Power() if device.type == "cuda" else None
    with device:
        what = KINDS[job.kind](job)
    if job.compile:
        compiled(what, job)
    for mode in sorted(job.modes, key=MODES.index):
        if time.monotonic() > deadline:
            return [*failed, f"{job.target} {mode}: out of time"]
        row = configuration(job, what, mode, device)
        if key_of(row) in done:
            continue
        stepper = None
        try:
            if mode == "fp8":
                in_fp8(what)
            stepper = Stepper(what, mode, job, device)
            if kernels:
                line = {column: row[column] for column in KEY} | {"kernels": kernels_of(stepper, job, device)}
                kernels.write(json.dumps(line) + "\n")
                kernels.flush()
                continue
            seconds, peak, watts, warm, steps = measured(stepper, job, synchronize, power or Power())
        except torch.cuda.OutOfMemoryError:
            failed.append(f"{job.target} {mode}: out of memory at batch {job.batch}")
            continue
        except Exception as error:  # one mode that does not run must not cost the others
            words = str(error).strip().splitlines() or [type(error).__name__]
            failed.append(f"{job.target} {mode}: {words[0][:300]}")
            continue
        finally:
            for parameter in what.module.parameters():
                parameter.grad = None
            del stepper
            gc.collect()
            if device.type == "cuda":
                torch.cuda.empty_cache()
        row |= outcome(job, seconds, peak, watts)
        write(row)
        print(
            f"{row['model']:28} {mode:8} b{job.batch:<4} {job.layout or '':14} {row['iter_time_ms']:>8} ms "
            f"+-{float(row['spread']) * 100:4.1f} % {row['mem_gb_per_gpu']:>7} GB {watts} W  warm {warm:.1f} s, {steps} steps",
            flush=True,
        )
    return failed


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    target = parser.add_mutually_exclusive_group(required=True)
    target.add_argument("--timm", metavar="NAME")
    target.add_argument("--transformers", metavar="TYPE_OR_CONFIG")
    target.add_argument("--shipped", metavar="KEY", help="a module of trace/shipped.py")
    target.add_argument("--jobs", metavar="FILE")
    parser.add_argument("--out", required=True, help="CSV to write; rows are added to one that exists")
    parser.add_argument("--kernels", metavar="FILE", help="JSON lines to add the kernels of a step to, a line a row")
    parser.add_argument("--device", default="cuda", help="cuda (default), or cpu to try a file of jobs")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="start no measurement after this long")
    parser.add_argument("--no-benchmark", action="store_true", help="cuDNN's first choice of algorithm in place of a search")
    for name, options in OPTIONS.items():
        parser.add_argument(f"--{name}", **options)
    return parser.parse_args()


def modes_of(text):
    wanted = text.split(",")
    for mode in wanted:
        if mode not in MODES:
            raise argparse.ArgumentTypeError(f"unknown mode {mode!r}; allowed: {', '.join(MODES)}")
    return wanted


def pairs_of(text):
    return {name: json.loads(value) for name, value in (pair.split("=") for pair in text.split(","))} if text else {}


OPTIONS = {
    "batch": {"type": int, "default": 8, "help": "samples a step"},
    "modes": {"type": modes_of, "default": ["tf32", "amp-bf16"], "help": f"of {','.join(MODES)}"},
    "image-size": {"type": int, "help": "pixels a side; of --shipped a label alone"},
    "resize": {"type": int, "default": 0, "help": "1: tell timm's model the size of the pictures"},
    "seq-len": {"type": int, "help": "tokens a sample"},
    "layout": {"choices": ["channels_last"], "help": "of activations; without it as PyTorch has them"},
    "optimizer": {"choices": ["sgd", "adam", "adamw"], "default": "adamw"},
    "head": {"choices": ["causal", "answers", "target"], "default": "causal"},
    "attention": {"choices": ["sdpa", "eager"], "default": "sdpa"},
    "set": {"type": pairs_of, "default": {}, "help": "of the configuration: NAME=VALUE,..."},
    "compile": {"metavar": "all|CLASS", "help": "torch.compile the model, or its blocks of this class one by one"},
    "name": {"help": "the model as the catalogue calls it"},
    "task": {"default": "", "help": "task of a shipped module"},
    "gpu": {"help": "the accelerator as the catalogue calls it"},
    "system": {"default": ""},
    "source": {"default": "own"},
    "source-path": {"default": ""},
    "notes": {"default": ""},
    "warmup": {"type": int, "default": 3, "help": "steps before any is timed"},
    "blocks": {"type": int, "default": 3},
    "block-seconds": {"type": float, "default": 0.3},
}


def jobs_of(given):
    """The jobs asked for; options of a line stand over those of the command."""
    shared = {name.replace("-", "_"): getattr(given, name.replace("-", "_")) for name in OPTIONS}
    if not given.jobs:
        kind = next(kind for kind in KINDS if getattr(given, kind))
        yield argparse.Namespace(**shared, kind=kind, target=getattr(given, kind))
        return
    line_parser = argparse.ArgumentParser(add_help=False)
    for name, options in OPTIONS.items():
        line_parser.add_argument(f"--{name}", **{**options, "default": shared[name.replace("-", "_")]})
    with open(given.jobs, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            words = shlex.split(line, comments=True)
            if not words:
                continue
            if words[0] not in KINDS or len(words) < 2:
                raise MeasureError(f"{given.jobs}:{number}: a line starts with one of {', '.join(KINDS)} and a model")
            job = line_parser.parse_args([f"--{word}" for word in words[2:]])
            yield argparse.Namespace(**vars(job), kind=words[0], target=words[1])


def measured_before(path):
    """Keys of the rows that a file has."""
    with open(path, newline="", encoding="utf-8") as file:
        rows = csv.DictReader(file)
        if tuple(rows.fieldnames or ()) != tuple(COLUMNS):
            raise MeasureError(f"{path} is no file of this tool: its columns are others; name a new one")
        return {key_of(row) for row in rows}


def profiled_before(path):
    """Keys of the lines that a file of kernels has."""
    with open(path, encoding="utf-8") as file:
        return {key_of(json.loads(line)) for line in file}


def main():
    given = arguments()
    device = torch.device(given.device)
    if device.type == "cuda" and not torch.cuda.is_available():
        raise MeasureError("PyTorch sees no GPU here")
    if device.index is not None:
        torch.cuda.set_device(device)
    torch.backends.cudnn.benchmark = not given.no_benchmark
    deadline = time.monotonic() + given.seconds
    fresh = not os.path.exists(given.out) or os.path.getsize(given.out) == 0
    done = set() if fresh else measured_before(given.out)
    with contextlib.ExitStack() as files:
        file = files.enter_context(open(given.out, "a", newline="", encoding="utf-8"))
        kernels = files.enter_context(open(given.kernels, "a", encoding="utf-8")) if given.kernels else None
        writer = csv.DictWriter(file, COLUMNS, restval="", lineterminator="\n")
        if fresh:
            writer.writeheader()

        def write(row):
            writer.writerow(row)
            file.flush()

        failed = []
        jobs = list(jobs_of(given))
        passes = [(None, done), (kernels, profiled_before(given.kernels))] if kernels else [(None, done)]
        for sink, seen in passes:
            for job in jobs:
                try:
                    failed += run_job(job, device, write, seen, deadline, sink)
                except Exception as error:  # nor one model the next
                    words = str(error).strip().splitlines() or [type(error).__name__]
                    failed.append(f"{job.target}: {words[0][:300]}")
    if failed:
        raise MeasureError("\n  ".join(["these did not run:", *dict.fromkeys(failed)]))


if __name__ == "__main__":
    try:
        main()
    except MeasureError as error:
        sys.exit(f"measure_step: {error}")
