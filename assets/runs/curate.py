#!/usr/bin/env python3
"""Curate measured runs: transcribed tables in, the shipped data set out.

    curate.py --input DIR --out DIR

`--input` holds runs/*.csv (schema: README.md here), canonical_gpus.csv and canonical_models.csv. `--out` receives one
CSV per source key and left_out.csv. Standard library only. This file is provenance: nothing in Mantissa calls it.
Every decision has its reason in README.md; the constants below are those decisions.
"""
import argparse
import collections
import csv
import glob
import os
import re
import statistics

SCHEMA = """source source_path source_date model task framework stack gpu system gpus nodes interconnect precision
batch_per_gpu grad_accum global_batch seq_len image_size dp tp pp cp ep sharding act_ckpt flags throughput
throughput_unit iter_time_ms tflops_per_gpu mfu mem_gb_per_gpu notes twin_group tuning timed replication""".split()
ADDED = "quality group repeats spread use reason step_time_ms".split()
LEFT_OUT = "source source_path model gpu gpus precision reason".split()
OUTCOMES = "throughput iter_time_ms tflops_per_gpu mfu mem_gb_per_gpu".split()
# What does not tell one configuration from another: outcomes, provenance, and twins.
NOT_CONFIG = set(OUTCOMES + ["source_path", "notes", "twin_group"])
PER_SAMPLE = {"samples/s", "images/s", "sequences/s"}
BARE_PARTS = {"A100", "H100"}  # a chip's name alone, and its forms differ in memory bandwidth: 1.3x (A100), 1.6x (H100)
ONE_CHIP = {"V100", "P100"}  # the form is not stated either, but every form has the same chip and memory bandwidth
FIXED_LENGTH_TASKS = {"language-pretraining", "language-finetuning"}
LOW_CONFIDENCE = {  # one doubt for every row of a source, as the source (or its transcription) says of itself
    "vtrain": "precision and 80 GB assumed from the source's configuration",
    "nvidia-dle-history": "older edition of a table",
    "hf-transformers-issues": "dynamic padding: seq_len is a ceiling",
    "bigscience": "one iteration read off a log",
    "flash-attention": "batch stated in round tokens",
    "llm.c": "time stated approximately",
}
COMPOSED = "composed from one micro-step"
# Names that timm gave to ConvNeXt-Base for one edition of its tables.
CONVNEXT_BASE = {
    "convnext-tiny-in22ft1k": "convnext-base-in22ft1k",
    "convnext-small-in22ft1k": "convnext-base-in22ft1k",
    "convnext-small-384-in22ft1k": "convnext-base-384-in22ft1k",
}
BOILERPLATE = [  # whole notes that README.md says once for the source
    r"iter_time ?=.*", r"iter_time derived.*", r"global_batch derived", r"throughput ?=.*", r"throughput derived.*",
    r"throughput is whole-job.*", r"global=batch x gpus.*", r"vendor", r"vendor table.*", r"vendor performance table.*",
    r"vendor-platform benchmark.*", r"model tflops excl.*", r"model TFLOPs as stated.*", r"HFU=.*", r"n_params=.*",
    r"mean of 50 timed.*", r"forward \+ backward \+ zero_grad.*", r"random data", r"coefficient of variation.*",
    r"synthetic input.*", r"contiguous NCHW", r"channels_last", r"params [\d.]+M", r"source states .* steps/s.*",
    r"no mixed precision in the workload.*", r"GPU variant not stated", r"data/README: all.*", r"activation checkpointing.*",
    r"GPU memory size not stated.*", r"precision not in csv.*", r"container from text", r"source says FP32",
    r"TF32 is the default of the NGC.*", r"synthetic data", r"train\.(compute|total)_ips.*", r"the compiled CSV of.*",
    r"memory: peak nvidia-smi.*", r"batch from config_v\d.*", r"time-to-train median.*", r"end-to-end samples/run_time.*",
    r"median over \d+ result files.*", r"iter_time = forward.*", r"mean of the 10 fastest.*", r"800 px short side.*",
    r"FP32 is the only mode.*", r"optimizer sgd", r"mean of 5 runs.*", r"residual is large because.*",
    r"time x rate = batch.*", r"Average images/sec of the last.*", r"iteration time of \(mostly\).*", r"global_batch in sequences",
    r"source line re-read.*", r"source CSV re-read.*", r"architecture changes from record.*", r"tflops_per_gpu is HARDWARE.*", COMPOSED, r"",
]
BOILERPLATE = re.compile("^(?:" + "|".join(BOILERPLATE) + ")$")


def number(text):
    """A positive number, or None for an empty cell."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if value > 0 else None


def read_rows(folder):
    rows = []
    for name in sorted(glob.glob(os.path.join(folder, "runs", "*.csv"))):
        with open(name, newline="", encoding="utf-8-sig") as handle:
            rows += [{c: (r.get(c) or "").strip() for c in SCHEMA} for r in csv.DictReader(handle)]
    return rows


def read_map(path, key, value):
    with open(path, newline="", encoding="utf-8-sig") as handle:
        return {r[key]: r[value] for r in csv.DictReader(handle)}


# ---------------------------------------------------------------- corrections and what the source states elsewhere
def note(row, text):
    row["notes"] = "; ".join(x for x in (row["notes"], text) if x)


def add_flag(row, flag):
    flags = [f for f in row["flags"].split(";") if f]
    if flag not in flags:
        row["flags"] = ";".join(flags + [flag])


def correct(row):
    """Fixes that a look at the source settles."""
    if row["precision"] == "other" and "precision fp64 (double)" in row["notes"]:
        row["precision"] = "fp64"
        note(row, "corrected: precision other -> fp64 (double in the source)")
    if row["batch_per_gpu"] == "128128":  # the BioBERT table prints "128,128": mixed precision, FP32
        row["batch_per_gpu"] = "128"
        note(row, 'corrected: batch_per_gpu 128128 -> 128 (cell prints "128,128": mixed, fp32)')
    if row["source"] == "mlperf-training" and row["model"] == "transformer-big" and row["throughput_unit"] == "samples/s":
        # The log's batch is max_tokens (10,240 a device on V100) and its rate counts sentences.
        note(row, f"corrected: global_batch {row['global_batch']} counts tokens, not samples: blanked")
        row["global_batch"] = ""
    if row["source"] == "timm" and row["source_date"] == "2022-04" and row["model"] in CONVNEXT_BASE:
        # The source's param_count column says 88.59 M, ConvNeXt-Base's (small 50.22, tiny 28.59), until its next edition.
        note(row, f"corrected: model {row['model']} -> {CONVNEXT_BASE[row['model']]} (param_count 88.59 M in the source)")
        row["model"] = CONVNEXT_BASE[row["model"]]
    if row["source"] == "nvidia-dle-history" and row["model"] in ("dlrm-large", "dlrm-xlarge") and row["batch_per_gpu"] == "65536":
        # dlrm/scripts/dist_main.py shares `batch_size` out (get_gpu_batch_sizes), and later editions print an eighth of it.
        note(row, "corrected: batch 65536 is of all devices (dlrm/scripts/dist_main.py: get_gpu_batch_sizes)")
        row["batch_per_gpu"], row["global_batch"] = str(65536 // int(row["gpus"])), "65536"
        row["iter_time_ms"] = text_of(65536 / float(row["throughput"]) * 1e3)
    if row["source"] == "neusight" and row["gpu"] == "MI250-128GB":
        # PyTorch sees each of the package's two dies as a device, and neusight/Tracing/trace.py runs on one.
        note(row, "corrected: gpu MI250-128GB -> MI250-GCD-64GB (one process sees one die)")
        row["gpu"] = "MI250-GCD-64GB"
    if row["model"] == "bart-large" and "max_source_length 1024 in params scripts" in row["notes"]:
        # scripts/params/cnn_dm_params.sh: MAX_SOURCE_LEN=1024, MAX_TARGET_LEN=142.
        note(row, "corrected: model bart-large -> bart-large-cnn (max_target_length 142 of the source's params scripts)")
        row["model"] = "bart-large-cnn"


def fill_sequence_length(row):
    if row["seq_len"]:
        return
    path, notes = row["source_path"], row["notes"]
    if row["source"] == "gavel" and row["model"] == "lstm-wikitext2":
        row["seq_len"] = "35"
        note(row, "filled: seq_len (language_modeling/main.py --bptt default, chunks padded to it)")
    elif path.startswith("PyTorch/LanguageModeling/BERT/") and row["task"] == "language-finetuning":
        row["seq_len"] = "384"
        note(row, "filled: seq_len (run_squad.sh max_seq_length of that folder)")
    elif row["model"] == "bart-large-cnn" and "max_source_length 1024 in params scripts" in notes:
        row["seq_len"] = "1024"
        note(row, "filled: seq_len (max_source_length of the source's params scripts)")


def add_flags(row):
    """What the model's inputs must be able to tell apart and the columns do not say."""
    if "LOWER BOUND" in row["notes"]:
        add_flag(row, "lower-bound")
    if "real data" in row["notes"]:
        add_flag(row, "real-data")
    if "parameter_server" in row["notes"]:
        add_flag(row, "parameter-server")
    if row["source"] == "nvidia-dle" and row["model"] == "ssd300-resnet50" and row["precision"] == "amp-fp16":
        add_flag(row, "channels_last")  # main.py: --data-layout is channels_last, "channels_first with --no-amp"
    if row["source"] == "mlperf-training" and row["model"] == "bert-large":
        add_flag(row, "unpadded")  # audit: every MLPerf BERT run is unpadded, seq_len 512 is a ceiling


def tie_composed(row):
    """vTrain's single-node rows of one shape, tensor and pipeline degree and micro-batch rest on one micro-step.

    Over accumulation and data-parallel degree their times lie on lines to 5e-6 (248 sets of three or more), where other
    sources repeat to 6e-3: they follow from one another, so a split must keep them together.
    """
    if row["source"] == "vtrain" and "ground_truth_single" in row["source_path"]:
        own = "-".join(("composed", row["model"], "tp" + row["tp"], "pp" + row["pp"], "mb" + row["batch_per_gpu"]))
        row["twin_group"] = ";".join(filter(None, (row["twin_group"], own)))
        note(row, COMPOSED)


# ---------------------------------------------------------------- step time
def samples_per_step(row):
    """(samples per optimizer step or None, whether it is stated)."""
    stated = number(row["global_batch"])
    if stated:
        return stated, True
    per_device = number(row["batch_per_gpu"])
    if not per_device:
        return None, False
    shards = (number(row["tp"]) or 1) * (number(row["pp"]) or 1) * (number(row["cp"]) or 1)
    replicas = number(row["dp"]) or max(1.0, float(row["gpus"]) / shards)
    return per_device * replicas * (number(row["grad_accum"]) or 1), False


def step_time_ms(row):
    """(milliseconds of one optimizer step or None, why there is none). The same rule as src/dataset/step_time.rs."""
    rate, unit, stated = number(row["throughput"]), row["throughput_unit"], number(row["iter_time_ms"])
    samples, _ = samples_per_step(row)
    per_sample = 1.0 if unit in PER_SAMPLE else number(row["seq_len"]) if unit == "tokens/s" else None
    if rate and samples and per_sample:
        return samples * per_sample / rate * 1e3, ""
    if stated:
        return stated, ""
    if not rate:
        stated_flops = number(row["tflops_per_gpu"]) or number(row["mfu"])
        return None, "only TFLOP/s or MFU stated: no time without a FLOP convention" if stated_flops else "no time stated"
    if unit not in PER_SAMPLE and unit != "tokens/s":
        return None, f"{unit}: not samples, so no step time follows from the batch"
    if not samples:
        return None, "no batch stated: no step defined"
    return None, "tokens/s without a sequence length"


def evidence_reason(row):
    """Why a row cannot train; empty if it can. Never asks how well it fits."""
    if row["source"] == "perseus-sosp24":
        return "power-limit sweep, precision not stated"
    if row["gpu"] in BARE_PARTS:
        return "accelerator not specified"
    if row["precision"] == "":
        return "precision not stated"
    if row["precision"] == "other":
        return "precision outside the modes (int8)"
    if row["source"] == "nvidia-dle" and row["model"] == "gpunet-d1":
        return "a teacher's forward pass is in the step (GPUNet-D1.train.params: EfficientNet-B5), which no column states"
    if row["source"] == "llm.c" and row["model"] == "gpt3-125m":
        return "faster than its products at the peak of eight A100 (6*N*D: 158 ms), as the script's own comment has it"
    time, why = step_time_ms(row)
    if time is None:
        return why
    if samples_per_step(row)[0] is None:
        return "no batch stated: no step defined"
    if row["task"] in FIXED_LENGTH_TASKS and not number(row["seq_len"]):
        return "sequence length not stated"
    return ""


# ---------------------------------------------------------------- quality
AMBIGUOUS = [  # grade C: the row may not be the configuration or the time that it says
    ("LOWER BOUND", "lower bound: includes evaluation or idle time"),
    ("SUSPECT", "source figure suspect"),
    ("cluster variance: results", "source warns of 40 % variance"),
    ("dp*tp*pp=", "parallel layout disagrees with the device count"),
    ("division=open", "open division: model or recipe may differ"),
    ("architecture changes from record", "architecture changes from record to record"),
    ("gradient accumulation of the pretraining run not stated", "gradient accumulation not stated"),
    ("out-of-memory error", "log contains an out-of-memory error"),
    ("crippled GPU-GPU path", "virtual machine with a crippled link"),
    ("recalled", "figure recalled from the cited paper"),
    ("OUTLIER", "source's repeats mark it an outlier"),
    ("!= stated global", "accumulation disagrees with the stated global batch"),
]
DOUBTS = [  # grade B: one thing derived or implied
    ("AUDIT flag", "audit flag"),
    ("throughput DERIVED via", "time from the source's own FLOP formula"),
    ("iter_time DERIVED from", "time from the source's own FLOP formula"),
    ("is DERIVED", "tensor and pipeline split derived"),
    ("not in table", "batch or length from the source's scripts"),
    ("not restated", "batch or layout from the source's scripts"),
    ("implied", "a field implied"),
    ("assumed", "a field assumed"),
    ("approx", "approximate figure"),
    ("rounded", "rounded figure"),
    ("INCONSISTENT", "layout inconsistent in the source"),
    ("filled:", "sequence length from the source's scripts"),
    ("precision not stated", "precision not stated"),
    ("heading says", "heading and text name different parts"),
]
# An ok-odd whose only ground is the size of the figure (out-of-fold residual, MFU) is no doubt: grades never follow fit.
ODD_BY_SIZE = re.compile(r"AUDIT ok-odd: (?:OOF|MFU|MLPerf BERT)")


def grade(row, spread):
    """(A|B|C, why it is not A)."""
    notes = row["notes"]
    bad = [why for word, why in AMBIGUOUS if word in notes]
    doubts = [why for word, why in DOUBTS if word in notes]
    if row["source"] in LOW_CONFIDENCE:
        doubts = [why for why in doubts if why != "a field assumed"]  # that is what the source's own doubt says
        doubts.append(LOW_CONFIDENCE[row["source"]])
    if row["gpu"] in ONE_CHIP:
        doubts.append("accelerator variant not stated")
    if "AUDIT ok-odd" in notes and not ODD_BY_SIZE.search(notes):
        doubts.append("audit: odd but real")
    if not samples_per_step(row)[1]:
        doubts.append("accumulation taken as none")
    elif row["source"] == "mlperf-training" and not row["batch_per_gpu"]:
        doubts.append("per-device batch not stated")
    if COMPOSED in notes:
        doubts.append(COMPOSED)
    if spread is not None and spread > 0.25:
        doubts.append("repeats differ by more than a quarter")
    if bad or len(doubts) > 2:
        return "C", "; ".join(bad + doubts)
    return ("B" if doubts else "A"), "; ".join(doubts)


# ---------------------------------------------------------------- folding
def short_system(row):
    """lambda names virtual machines by address and image version: the machine type is what is left without them."""
    name = re.sub(r"_?\d+-\d+-\d+-\d+", "", row["system"])
    return re.sub(r"(?:_v\d+|_bk|_trt2?|_h200)+(?=;|$)", "", name)


def fold_key(row):
    """Rows with one key are repeats of one configuration."""
    key = {c: row[c] for c in SCHEMA if c not in NOT_CONFIG}
    if row["source"] == "lambda":  # the day of the log and the driver are patch level; the container stays
        key["source_date"] = ""
        key["stack"] = re.sub(r", driver .*", "", row["stack"])
        key["system"] = short_system(row)
    if row["source"] == "gavel":  # its two tables and its packed/unpacked placements are different set-ups
        key["notes"] = row["source_path"].split(" ")[0]
    if row["source"] == "bigscience":  # settings that only the notes name
        key["notes"] = ";".join(re.findall(r"bucket \S+|CUDA_LAUNCH_BLOCKING=\d|CPU offload[^;]*", row["notes"]))
    if row["source"] == "tensorflow-docs":
        key["notes"] = ";".join(re.findall(r"variable_update[^;]*", row["notes"]))
    if row["source"] == "detectron":
        key["notes"] = str("precomputed" in row["notes"])
    if row["source"] == "mlperf-training":
        key["notes"] = ";".join(re.findall(r"division=\S+|submitter [^;]*|method=[^;]*", row["notes"]))
    if step_time_ms(row)[0] is None and not number(row["throughput"]):
        key["source_path"] = row["source_path"]  # nothing to take a median of
    return tuple(sorted(key.items()))


def shorten(text):
    """The facts of a note without what README.md says once for the whole source."""
    kept, length = [], 0
    for part in dict.fromkeys(p.strip() for p in re.split(r"[;|]", text)):
        if BOILERPLATE.match(part):
            continue
        part = part if len(part) <= 150 else part[:147] + "..."
        if length + len(part) > 420 and not part.startswith(("AUDIT", "filled", "corrected")):
            continue
        kept.append(part)
        length += len(part)
    return "; ".join(kept)


def text_of(value):
    return f"{value:.6g}"


def fold(rows):
    """Repeats of one configuration: one row with the medians, and the spread of their step time."""
    times = [step_time_ms(r)[0] for r in rows]
    timed = [(t, i) for i, t in enumerate(times) if t]
    middle = statistics.median(t for t, _ in timed) if timed else None
    nearest = min(timed, key=lambda x: (abs(x[0] - middle), x[1]))[1] if timed else 0
    out = dict(rows[nearest])
    spread = None
    if len(rows) > 1:
        for column in OUTCOMES:
            values = [v for v in (number(r[column]) for r in rows) if v]
            out[column] = text_of(statistics.median(values)) if values else ""
        out["source_date"] = max(r["source_date"] for r in rows)
        if timed:
            spread = (max(timed)[0] - min(timed)[0]) / middle
    if out["source"] == "lambda":
        out["system"] = short_system(out)
        if len({r["stack"] for r in rows}) > 1:
            out["stack"] = re.sub(r", driver .*", "", out["stack"])
    # A doubt about a minority of the repeats is a doubt about none of the median.
    audits = collections.Counter(a for r in rows for a in set(re.findall(r"AUDIT [\w-]+: .*?(?=; AUDIT|$)|OUTLIER", r["notes"])))
    for audit, count in sorted(audits.items()):
        if 2 * count < len(rows):
            out["notes"] = out["notes"].replace(audit, "")
        elif audit not in out["notes"]:
            note(out, audit)
    twins = sorted({t for r in rows for t in re.split(r"[;, ]+", r["twin_group"]) if t})
    out["twin_group"] = ";".join(twins)
    out["repeats"], out["spread"] = str(len(rows)), "" if spread is None else f"{spread:.4g}"
    return out, spread


# ---------------------------------------------------------------- groups
class UnionFind:
    def __init__(self):
        self.parent = {}

    def find(self, item):
        self.parent.setdefault(item, item)
        while self.parent[item] != item:
            self.parent[item] = self.parent[self.parent[item]]
            item = self.parent[item]
        return item

    def union(self, a, b):
        self.parent[self.find(a)] = self.find(b)


# Flags added here, and what a newer edition of NVIDIA's tables has over an older one: they stay one group.
NOT_APART = {"lower-bound", "unpadded", "parameter-server", "cuda-graph"}
NEWER_EDITION = {("ssd300-resnet50", "channels_last")}


def same_configuration(row, gpus, models):
    """The configuration without its source, date, stack and machine: rows that share it never straddle a split."""
    samples, _ = samples_per_step(row)
    model = re.sub(r"-v1\.5$", "", models.get(row["model"], row["model"]))
    gpu = gpus.get(row["gpu"], row["gpu"])
    gpu = row["gpu"] if gpu in ("", "missing") else gpu
    apart = (f for f in row["flags"].split(";") if f and f not in NOT_APART and (model, f) not in NEWER_EDITION)
    flags = ";".join(sorted(apart))
    cells = [row[c] for c in ("gpus", "precision", "batch_per_gpu", "seq_len", "image_size", "cp", "ep", "sharding", "act_ckpt")]
    layout = [row["tp"] or "1", row["pp"] or "1"]
    return ("config", model, row["framework"], gpu, samples, flags, *cells, *layout)


def number_groups(rows, gpus, models):
    links = UnionFind()
    for index, row in enumerate(rows):
        links.union(("row", index), same_configuration(row, gpus, models))
        for twin in filter(None, row["twin_group"].split(";")):
            links.union(("row", index), ("twin", twin))
    numbers = {}
    for index, row in enumerate(rows):
        row["group"] = str(numbers.setdefault(links.find(("row", index)), len(numbers) + 1))


# ---------------------------------------------------------------- the whole
def sort_key(row):
    numeric = [number(row[c]) or 0 for c in ("gpus", "global_batch", "batch_per_gpu", "seq_len", "image_size")]
    return (row["source"], row["model"], row["gpu"], *numeric, row["precision"], [row[c] for c in SCHEMA])


def curate(rows):
    left, by_key = [], collections.OrderedDict()
    for row in rows:
        excluded = re.search(r"AUDIT exclude: (.*?)(?=; AUDIT|$)", row["notes"])
        if excluded:
            left.append({**{c: row[c] for c in LEFT_OUT[:-1]}, "reason": "audit: " + excluded.group(1).strip()})
            continue
        correct(row)
        fill_sequence_length(row)
        add_flags(row)
        tie_composed(row)
        by_key.setdefault(fold_key(row), []).append(row)
    kept = []
    for group in by_key.values():
        row, spread = fold(group)
        why = evidence_reason(row)
        time = step_time_ms(row)[0]
        row["quality"], doubt = grade(row, spread)
        row["use"], row["reason"] = ("evidence", why) if why else ("fit", doubt)
        row["step_time_ms"] = text_of(time) if time else ""
        row["notes"] = shorten(row["notes"])
        kept.append(row)
    return sorted(kept, key=sort_key), sorted(left, key=lambda r: [r[c] for c in LEFT_OUT])


def write(path, columns, rows):
    with open(path, "w", newline="", encoding="utf-8") as handle:
        out = csv.DictWriter(handle, columns, lineterminator="\n", extrasaction="ignore")
        out.writeheader()
        out.writerows(rows)


def summary(rows, kept, left):
    """The table of README.md."""
    sources = sorted({r["source"] for r in rows})
    lines = ["| source | rows in | folded away | fit | A / B / C | evidence | left out | why evidence |", "|" + "---|" * 8]
    for source in sources + [None]:
        mine = [r for r in kept if source in (None, r["source"])]
        fit = [r for r in mine if r["use"] == "fit"]
        out = sum(source in (None, r["source"]) for r in left)
        total = sum(source in (None, r["source"]) for r in rows)
        grades = " / ".join(str(sum(r["quality"] == g for r in fit)) for g in "ABC")
        why = collections.Counter(r["reason"] for r in mine if r["use"] == "evidence")
        reasons = ", ".join(f"{k} {v}" for k, v in why.most_common()) if source else ""
        lines.append(f"| {source or '**all**'} | {total} | {total - out - len(mine)} | {len(fit)} | {grades} "
                     f"| {len(mine) - len(fit)} | {out} | {reasons} |")
    return "\n".join(lines)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--input", required=True)
    arguments.add_argument("--out", required=True)
    options = arguments.parse_args()
    rows = read_rows(options.input)
    gpus = read_map(os.path.join(options.input, "canonical_gpus.csv"), "name", "key")
    models = read_map(os.path.join(options.input, "canonical_models.csv"), "name", "canonical")
    kept, left = curate(rows)
    number_groups(kept, gpus, models)
    for source in sorted({r["source"] for r in kept}):
        write(os.path.join(options.out, source + ".csv"), SCHEMA + ADDED, [r for r in kept if r["source"] == source])
    write(os.path.join(options.out, "left_out.csv"), LEFT_OUT, left)
    print(summary(rows, kept, left))


if __name__ == "__main__":
    main()
