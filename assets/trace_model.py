#!/usr/bin/env python3
"""Turn a PyTorch model into a Mantissa model file.

The model runs forward and backward once on PyTorch's meta device: shapes are computed, numbers are not.
It needs no GPU, no weights and no data, and a model of any size fits. What is written down is what the
predictor needs: every matrix multiplication and convolution with its shape and how often it runs, and for
all other work how many kernels it launches and how many elements it reads and writes.

    python trace_model.py --timm resnet50 --image-size 224
    python trace_model.py --torchvision convnext_tiny --image-size 224
    python trace_model.py --transformers path/to/config.json --seq-len 512
    python trace_model.py --module mypackage.nets:build --set width=64 --input 3x512x512

Only torch is required; --timm, --torchvision and --transformers need those packages. The result is
NAME.mantissa.json: `mantissa predict --model NAME.mantissa.json` reads it, a request names it, and the window opens it (Open
plan, or dropped onto it).

A factory named with --module returns a torch.nn.Module. The module may define

    def example_inputs(self, batch): ...

returning the tuple (or dict) of inputs for that many samples; otherwise --input gives the shape of one
sample, `3x224x224`, or `int:512` for 512 token ids. Inside the factory the default device is meta.

What the numbers mean (all per sample, whatever --batch was):
  mm  ["conv", output pixels, output channels per group, input channels per group x kernel area, groups,
       input pixels, input channels, output channels, kernel side, count]
      ["lin", rows, columns, inner, 1, count]        ["bmm", m, n, k, batch, count]
      ["rec", rows, columns, inner, 1, count]: rows that follow one another, as the states of a recurrent layer do
      forward only: backward runs two of the same size for each.
  ew  per class (norm ew reduce copy pool softmax) and direction (_f forward, _b backward):
      [kernels launched, elements read and written].
  amp  the same as ew under PyTorch's autocast to 16 bits, with bytes in place of elements, and with classes of their
      own for casts and for layer norms and group norms, which autocast runs in 32 bits: [kernels launched, bytes].
  ln  layer norms of the forward pass: [rows, width, count].
  kept  bytes a sample that live at the fullest moment beyond parameters and their gradients: "fp32", and "amp"
      under PyTorch's autocast to 16 bits.
Attention is recorded unfused (two bmm and a softmax); an embedding counts the rows it touches.
The optimizer step is not traced: it follows from `params` and `tensors`.
"""

import argparse
import collections
import contextlib
import difflib
import gzip
import importlib
import inspect
import json
import math
import os
import sys
import weakref

os.environ.setdefault("TIMM_FUSED_ATTN", "0")
try:
    import torch
    from torch._subclasses.fake_tensor import FakeTensorMode
    from torch.nn.attention import SDPBackend, sdpa_kernel
    from torch.overrides import TorchFunctionMode
    from torch.utils._python_dispatch import TorchDispatchMode
except ImportError as error:
    sys.exit(f"trace_model: this tool needs PyTorch 2.3 or newer ({error}); pip install torch")

SCHEMA = 1
# What Mantissa knows a model to be trained for; it refuses other words.
TASKS = (
    "image-classification",
    "detection",
    "segmentation",
    "language-pretraining",
    "language-finetuning",
    "translation",
    "speech",
    "diffusion",
    "recommendation",
    "graph",
    "other",
)
NORMS = ("batch_norm", "layer_norm", "group_norm", "rms_norm", "instance_norm")
ALLOCATIONS = {
    "empty",
    "empty_like",
    "empty_strided",
    "new_empty",
    "new_empty_strided",
    "ones_like",
    "zeros",
    "new_zeros",
    "scalar_tensor",
    "lift_fresh",
    "is_same_size",
    "_unsafe_view",
    "unsafe_split",
    "unfold",
    "resize",
    "set",
    "arange",
}
COPIES = {
    "copy",
    "clone",
    "_to_copy",
    "cat",
    "stack",
    "roll",
    "constant_pad_nd",
    "slice_backward",
    "select_backward",
    "index",
    "index_put",
    "_index_put_impl",
    "_unsafe_index",
    "index_select",
    "gather",
    "slice_scatter",
    "unfold_backward",
    "im2col",
    "col2im",
    "embedding",
    "embedding_dense_backward",
    "reflection_pad1d",
    "reflection_pad2d",
}
REDUCTIONS = {"sum", "mean", "max", "var", "var_mean", "amax", "norm", "linalg_vector_norm"}
# Operators that read a few rows of a large table: only what they touch is traffic.
LOOKUPS = {"embedding", "index_select", "gather", "index", "embedding_dense_backward"}
MATMULS = {"mm": (0, 1), "bmm": (0, 1), "addmm": (1, 2), "baddbmm": (1, 2), "addbmm": (1, 2)}
# What autocast runs in 16 bits, and what in 32 (PyTorch, "Automatic Mixed Precision package", CUDA operator lists): names
# in torch, torch.Tensor and torch.nn.functional.
AUTOCAST_LOW = (
    "__matmul__ __rmatmul__ addbmm addmm addmv addr baddbmm bmm chain_matmul conv1d conv2d conv3d conv_transpose1d "
    "conv_transpose2d conv_transpose3d einsum gru linear lstm matmul mm mv prelu scaled_dot_product_attention"
).split()
AUTOCAST_HIGH = (
    "__pow__ __rdiv__ __rpow__ __rtruediv__ acos asin binary_cross_entropy_with_logits cdist cosh cosine_similarity "
    "cross_entropy cumprod cumsum dist erfinv exp expm1 group_norm gumbel_softmax kl_div l1_loss layer_norm log log10 log1p "
    "log2 log_softmax mse_loss nll_loss norm normalize pow prod reciprocal renorm rsqrt sinh smooth_l1_loss softmax softmin "
    "softplus sum tan"
).split()
# What takes the wider type of several, which single tensors of both are not promoted to by themselves.
AUTOCAST_WIDEST = "cat concat stack".split()


class TraceError(Exception):
    """What went wrong, in words for the person who ran the tool."""


def whole(number):
    """An int where nothing is lost by it: 49.0 is stored as 49."""
    return int(number) if number == int(number) else number


def tensors_in(values):
    """The tensors among an operator's arguments or results, one level of lists deep."""
    for value in values:
        if isinstance(value, torch.Tensor):
            yield value
        elif isinstance(value, (tuple, list)):
            yield from (v for v in value if isinstance(v, torch.Tensor))


def class_of(name):
    """The class of a non-matmul operator, by its ATen name."""
    if any(norm in name for norm in NORMS):
        return "norm"
    if "softmax" in name:
        return "softmax"
    if "pool" in name or "upsample" in name or "roi_align" in name:
        return "pool"
    if name in COPIES:
        return "copy"
    return "reduce" if name in REDUCTIONS else "ew"


def functions(names):
    """The functions of these names, wherever PyTorch has one."""
    places = (torch, torch.Tensor, torch.nn.functional)
    return {getattr(place, name) for place in places for name in names if hasattr(place, name)}


class Autocast(TorchFunctionMode):
    """Casts as PyTorch's autocast to 16 bits does on a GPU, on devices that it does not work on.

    Parameters are cast once, as its cache has it.
    """

    low, high, widest = (functions(names) for names in (AUTOCAST_LOW, AUTOCAST_HIGH, AUTOCAST_WIDEST))

    def __init__(self):
        super().__init__()
        self.cache = {}

    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        wanted = None
        if func in self.low:
            wanted = torch.float16
        elif func in self.high:
            wanted = torch.float32
        elif func in self.widest and len({t.dtype for t in tensors_in(args) if t.is_floating_point()}) > 1:
            wanted = torch.float32
        if wanted:
            args = tuple(self.cast(a, wanted) for a in args)
            kwargs = {key: self.cast(value, wanted) for key, value in kwargs.items()}
        return func(*args, **kwargs)

    def cast(self, value, wanted):
        if isinstance(value, (list, tuple)):
            return type(value)(self.cast(v, wanted) for v in value)
        floating = isinstance(value, torch.Tensor) and value.is_floating_point() and value.dtype != torch.float64
        if not floating or value.dtype == wanted:
            return value
        if not isinstance(value, torch.nn.Parameter):
            return value.to(wanted)
        if value not in self.cache:
            self.cache[value] = value.to(wanted)
        return self.cache[value]


@contextlib.contextmanager
def gpu_dropout():
    """Dropout as GPUs run it, in one kernel each way with a mask of bytes; other devices draw, scale and multiply."""
    plain = torch.nn.functional.dropout

    def dropout(input, p=0.5, training=True, inplace=False):
        if inplace or not training or not 0 < p < 1:
            return plain(input, p, training, inplace)
        return torch.native_dropout(input, p, True)[0]

    torch.nn.functional.dropout = dropout
    try:
        yield
    finally:
        torch.nn.functional.dropout = plain


class Recorder(TorchDispatchMode):
    """Writes down every ATen operator that runs while it is active."""

    # Recorders of 16-bit runs count bytes and tell more classes apart.
    sizes, classes = False, {}

    def __init__(self, batch):
        super().__init__()
        self.batch = batch
        self.backward = False
        self.ln = collections.Counter()
        self.mm = collections.Counter()
        self.ew = collections.defaultdict(lambda: [0, 0.0])

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        out = func(*args, **(kwargs or {}))
        name = func._schema.name.split("::")[1]
        if name.endswith("_") and not name.startswith("_"):
            name = name.rstrip("_")
        returns = func._schema.returns
        view = bool(returns) and returns[0].alias_info is not None and not returns[0].alias_info.is_write
        if view or name in ALLOCATIONS:
            return out
        if name in ("convolution", "_convolution"):
            self.convolution(args, out)
        elif name in MATMULS:
            self.matmul(*(args[i] for i in MATMULS[name]))
        elif name == "convolution_backward":
            if args[10][2]:
                self.move("reduce_b", args[0])
        else:
            if name == "recurrence":
                self.recurrence(*args)
            self.other(name, args, out)
        return out

    def convolution(self, args, out):
        if self.backward:
            return
        image, weight, transposed, groups = args[0], args[1], args[6], args[8]
        pixels_in, pixels_out = image.shape[2:].numel(), out.shape[2:].numel()
        side = max(weight.shape[2:])
        if transposed:
            key = ("conv", pixels_in, weight.shape[1:].numel(), weight.shape[0] // groups)
        else:
            key = ("conv", pixels_out, weight.shape[0] // groups, weight.shape[1:].numel())
        # Regions of interest are folded into the batch dimension: spread them over the samples again.
        per_sample = image.shape[0] / self.batch
        key = (key[0], whole(key[1] * per_sample), *key[2:], groups, whole(pixels_in * per_sample))
        self.mm[(*key, image.shape[1], out.shape[1], side)] += 1
        # Kernels of depthwise convolutions add theirs themselves.
        if args[2] is not None and not 1 < groups == weight.shape[0]:
            self.move("ew_f", out, out)

    def matmul(self, a, b):
        if self.backward:
            return
        if a.dim() == 2:
            self.mm[("lin", whole(a.shape[0] / self.batch), b.shape[1], a.shape[1], 1)] += 1
        else:
            self.mm[("bmm", a.shape[1], b.shape[2], a.shape[2], whole(a.shape[0] / self.batch))] += 1

    def recurrence(self, projected, weight):
        """The operator of trace/recurrent.py."""
        samples, steps, _ = projected.shape
        self.mm[("rec", whole(steps * samples / self.batch), *weight.shape, 1)] += 1

    def amount(self, tensor):
        if self.sizes:
            return tensor.nbytes
        # A mask has bytes for elements.
        return tensor.numel() / 4 if tensor.dtype == torch.bool else tensor.numel()

    def move(self, key, *tensors):
        """The bias of a convolution: GPUs add it, and sum its gradient, in kernels of their own inside the operator."""
        self.ew[key][1] += sum(map(self.amount, tensors)) / self.batch

    def other(self, name, args, out):
        outputs = list(tensors_in(out if isinstance(out, (tuple, list)) else [out]))
        if name in LOOKUPS:
            moved = 2 * self.amount(args[0] if name == "embedding_dense_backward" else outputs[0])
        else:
            moved = sum(map(self.amount, tensors_in(args))) + sum(map(self.amount, outputs))
        if name == "native_layer_norm":
            width = math.prod(args[1])
            self.ln[whole(args[0].numel() / width / self.batch), width] += 1
        entry = self.ew[self.classes.get(name, class_of(name)) + ("_b" if self.backward else "_f")]
        entry[0] += 1
        entry[1] += moved / self.batch


class AutocastRecorder(Recorder):
    """The same of a 16-bit run: bytes, since widths differ from operator to operator."""

    sizes = True
    classes = {
        "_to_copy": "cast",
        "native_layer_norm": "layer",
        "native_layer_norm_backward": "layer",
        "native_group_norm": "group",
        "native_group_norm_backward": "group",
    }


def differentiable(output):
    """The tensors of a model's output that a loss would be taken of."""
    if isinstance(output, torch.Tensor):
        return [output] if output.requires_grad else []
    if isinstance(output, dict):
        return [t for value in output.values() for t in differentiable(value)]
    if isinstance(output, (tuple, list)):
        return [t for value in output for t in differentiable(value)]
    return []


def run_once(module, inputs_of, batch, first_output, autocast=False):
    """One forward and backward pass of `batch` samples; returns what the recorder saw."""
    inputs = inputs_of(module, batch)
    recorder = AutocastRecorder(batch) if autocast else Recorder(batch)
    with sdpa_kernel(SDPBackend.MATH), gpu_dropout(), recorder:
        try:
            with Autocast() if autocast else contextlib.nullcontext():
                output = module(**inputs) if isinstance(inputs, dict) else module(*inputs)
        except Exception as error:  # whatever a foreign model raises
            if "meta tensor" in str(error).lower():
                raise TraceError(
                    f"the model looks at its numbers while it runs, which a trace has none of: {error}"
                ) from error
            raise TraceError(f"the model failed on inputs of this shape: {type(error).__name__}: {error}") from error
        results = differentiable(output)
        if not results:
            raise TraceError("nothing in the model's output depends on a trainable parameter")
        if first_output:
            results = results[:1]
        recorder.backward = True
        torch.autograd.backward(results, [torch.empty_like(r) for r in results])
    for parameter in module.parameters():
        parameter.grad = None
    return recorder


class Meter(TorchDispatchMode):
    """Counts the bytes that live, as an allocator would, and remembers the most there ever were.

    Parameters and buffers do not count. Nor do gradients of parameters, which are known by their shape: no
    activation of several samples has it.
    """

    def __init__(self, module):
        super().__init__()
        self.live = self.most = 0
        self.sizes = {}
        self.parameters = {tuple(p.shape) for p in module.parameters()}
        self.backward = False
        for tensor in [*module.parameters(), *module.buffers()]:
            self.sizes[tensor.untyped_storage()._cdata] = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        out = func(*args, **(kwargs or {}))
        for tensor in tensors_in(out if isinstance(out, (tuple, list)) else [out]):
            storage = tensor.untyped_storage()
            key = storage._cdata
            if key in self.sizes:
                continue
            is_gradient = self.backward and tuple(tensor.shape) in self.parameters
            self.sizes[key] = 0 if is_gradient else storage.nbytes()
            self.live += self.sizes[key]
            self.most = max(self.most, self.live)
            weakref.finalize(storage, self.free, key)
        return out

    def free(self, key):
        self.live -= self.sizes.pop(key, 0)


def fullest(module, inputs_of, batch, first_output, autocast):
    """Most bytes that live at once: (in the forward pass, in both).

    Autocast is switched by hand, since PyTorch refuses it where there is no GPU; the backward pass of a pretended
    GPU does not run without one, so that of an autocast run is left out.
    """
    inputs = inputs_of(module, batch)
    meter = Meter(module)
    with sdpa_kernel(SDPBackend.MATH), gpu_dropout(), meter:
        if autocast:
            torch.set_autocast_enabled("cuda", True)
            torch.set_autocast_dtype("cuda", torch.float16)
        try:
            output = module(**inputs) if isinstance(inputs, dict) else module(*inputs)
        finally:
            if autocast:
                torch.set_autocast_enabled("cuda", False)
                torch.clear_autocast_cache()
        forward = meter.most
        if not autocast:
            meter.backward = True
            results = differentiable(output)[: 1 if first_output else None]
            torch.autograd.backward(results, [torch.empty_like(r) for r in results])
    for parameter in module.parameters():
        parameter.grad = None
    return forward, meter.most


def kept(module, inputs_of, batch, first_output):
    """Bytes a sample at the fullest moment, in FP32 and under autocast.

    Autocast is followed through the forward pass on a pretended GPU; what the backward pass adds at its fullest is
    taken in proportion from FP32.
    """

    def per_sample(autocast):
        once = fullest(module, inputs_of, batch, first_output, autocast)
        twice = fullest(module, inputs_of, 2 * batch, first_output, autocast)
        return [(b - a) / batch for a, b in zip(once, twice)]

    forward, both = per_sample(False)
    with FakeTensorMode(allow_non_fake_inputs=True), torch.device("cuda"):
        module.to_empty(device="cuda")
        half, _ = per_sample(True)
    return {"fp32": whole(round(both)), "amp": whole(round(half * both / max(forward, 1.0)))}


def growth(once, twice):
    """Elements per sample of each class, from passes of one and of two batches.

    What does not grow with the batch (gradients of weights, normalised weights) is work of a step, not of a
    sample: at the batches that people train with it is small, in a trace of two samples it is not.
    """
    return {
        name: [kernels, whole(max(2 * twice.ew[name][1] - elements, 0.0) if name in twice.ew else elements)]
        for name, (kernels, elements) in once.ew.items()
    }


def trace_autocast(module, inputs_of, batch=2, first_output=False):
    """Run a module of the meta device forward and backward as autocast would; returns amp and ln."""
    once, twice = (run_once(module, inputs_of, n * batch, first_output, autocast=True) for n in (1, 2))
    return {"amp": growth(once, twice), "ln": [[*key, count] for key, count in once.ln.items()]}


def trace(factory, inputs_of, batch=2, first_output=False):
    """Run `factory()` forward and backward on the meta device; returns params, tensors, mm, ew, amp, ln and kept.

    `inputs_of(module, batch)` gives the positional inputs as a tuple or the named ones as a dict.
    """
    with torch.device("meta"):
        module = factory()
        module.train()
        recorder = run_once(module, inputs_of, batch, first_output)
        again = run_once(module, inputs_of, 2 * batch, first_output)
    parameters = list(module.parameters())
    profile = {
        "params": sum(p.numel() for p in parameters),
        "tensors": len(parameters),
        "mm": [[*key, count] for key, count in recorder.mm.items()],
        "ew": growth(recorder, again),
    }
    try:
        with torch.device("meta"):
            profile |= trace_autocast(module, inputs_of, batch, first_output)
    except Exception as error:  # a module with types of its own; 16-bit runs then move the same elements, half as wide
        print(f"trace_model: the 16-bit run is left out: {error}", file=sys.stderr)
    try:
        with torch.device("meta"):
            profile["kept"] = kept(module, inputs_of, max(batch, 4), first_output)
    except Exception as error:  # some operators cannot run on a pretended GPU; the rest of the profile stands
        print(f"trace_model: memory is left out: {error}", file=sys.stderr)
    return profile


def forward_gmacs(profile):
    """Multiply-adds of one forward pass of one sample, in units of 1e9."""
    return sum(m[1] * m[2] * m[3] * m[4] * m[-1] for m in profile["mm"]) / 1e9


def nearest(name, known, what):
    """An error that names the closest known names."""
    close = difflib.get_close_matches(name, known, 5)
    return TraceError(f"{what} has no model {name!r}" + (f"; nearest: {', '.join(close)}" if close else ""))


def load_package(name, option):
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise TraceError(f"{option} needs the package {name} ({error}); pip install {name}") from error


def parse_value(text):
    """A --set value: a number or true/false where it reads as one, else words."""
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return text


def parse_shape(text):
    """`3x224x224` or `int:512` -> (shape of one sample, integer?)."""
    body = text.removeprefix("int:")
    try:
        shape = tuple(int(n) for n in body.split("x"))
    except ValueError:
        raise TraceError(f"--input {text!r}: write a shape as 3x224x224, or int:512 for token ids") from None
    if any(n <= 0 for n in shape):
        raise TraceError(f"--input {text!r}: every size must be at least 1")
    return shape, body != text


def make_inputs(specs):
    """Inputs from --input shapes; a module's own example_inputs come first."""
    shapes = [parse_shape(spec) for spec in specs]

    def inputs_of(module, batch):
        if not shapes and hasattr(module, "example_inputs"):
            return module.example_inputs(batch)
        if not shapes:
            raise TraceError("the shape of one sample is unknown: give --image-size, --seq-len or --input")
        inputs = tuple(torch.zeros(batch, *s, dtype=torch.long) if ids else torch.empty(batch, *s) for s, ids in shapes)
        if len(inputs) == 1 and shapes[0][1] and getattr(getattr(module, "config", None), "is_encoder_decoder", False):
            return {"input_ids": inputs[0], "decoder_input_ids": inputs[0]}  # transformers: as long a target as the source
        return inputs

    return inputs_of


def from_timm(name):
    timm = load_package("timm", "--timm")
    if not timm.is_model(name):
        raise nearest(name, timm.list_models(), "timm")
    return lambda **options: timm.create_model(name, **options)


def from_torchvision(name):
    models = load_package("torchvision.models", "--torchvision")
    if name not in models.list_models():
        raise nearest(name, models.list_models(), "torchvision")
    options = {"init_weights": False} if name in ("googlenet", "inception_v3") else {}
    if "weights_backbone" in inspect.signature(models.get_model_builder(name)).parameters:
        options["weights_backbone"] = None
    return lambda **more: models.get_model(name, **options, **more)


def from_transformers(path):
    transformers = load_package("transformers", "--transformers")
    try:
        config = transformers.AutoConfig.from_pretrained(path)
    except (OSError, ValueError) as error:
        raise TraceError(f"--transformers {path!r}: {error}") from error
    causal = any("CausalLM" in name for name in config.architectures or [])
    auto = transformers.AutoModelForCausalLM if causal else transformers.AutoModel
    return lambda: auto.from_config(config)


def from_module(target, settings):
    module_name, _, attribute = target.partition(":")
    if not attribute:
        raise TraceError(f"--module {target!r}: write it as package.module:factory")
    sys.path.insert(0, os.getcwd())
    try:
        factory = getattr(importlib.import_module(module_name), attribute)
    except (ImportError, AttributeError) as error:
        raise TraceError(f"--module {target!r}: {error}") from error
    return lambda: factory(**settings)


def arguments(argv):
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n\n")[0],
        epilog=__doc__.split("\n\n", 1)[1],
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--timm", metavar="NAME", help="a model of timm")
    source.add_argument("--torchvision", metavar="NAME", help="a model of torchvision")
    source.add_argument("--transformers", metavar="CONFIG", help="a transformers config.json, its folder, or a hub id")
    source.add_argument("--module", metavar="PKG.MOD:FACTORY", help="a function or class of your own that returns a module")
    parser.add_argument("--set", metavar="KEY=VALUE", action="append", default=[], help="an argument of the --module factory")
    parser.add_argument("--image-size", type=int, default=0, metavar="PIXELS", help="side of a square three-channel image")
    parser.add_argument("--seq-len", type=int, default=0, metavar="TOKENS", help="tokens a sample")
    parser.add_argument(
        "--input", metavar="SHAPE", action="append", default=[], help="one input of one sample; repeat for several"
    )
    parser.add_argument("--batch", type=int, default=2, help="samples traced together (default 2)")
    parser.add_argument(
        "--first-output", action="store_true", help="backward from the first output only (auxiliary heads left out)"
    )
    parser.add_argument("--name", help="name in the model file (default: the model's own)")
    parser.add_argument("--task", default="other", choices=TASKS, metavar="TASK", help=f"one of {', '.join(TASKS)}")
    parser.add_argument("--family", default="", help="family of architectures it belongs to")
    parser.add_argument("--optimizer", default="adamw", help="optimizer it is usually trained with")
    parser.add_argument("--estimated", action="store_true", help="the module stands in for the real one: say so in the file")
    parser.add_argument("--output", metavar="FILE", help="default NAME.mantissa.json; a .jsonl.gz file is appended to")
    return parser.parse_args(argv)


def choose(options):
    """(factory, default name, where the model is from)."""
    if options.timm:
        return from_timm(options.timm), options.timm, f"timm {load_package('timm', '--timm').__version__}, {options.timm}"
    if options.torchvision:
        version = load_package("torchvision", "--torchvision").__version__
        return from_torchvision(options.torchvision), options.torchvision, f"torchvision {version}, {options.torchvision}"
    if options.transformers:
        version = load_package("transformers", "--transformers").__version__
        name = os.path.basename(options.transformers.rstrip("/")).removesuffix(".json")
        return from_transformers(options.transformers), name, f"transformers {version}, {options.transformers}"
    settings = {}
    for item in options.set:
        key, equals, value = item.partition("=")
        if not equals:
            raise TraceError(f"--set {item!r}: write it as key=value")
        settings[key] = parse_value(value)
    return from_module(options.module, settings), options.module.partition(":")[2], options.module


def build(options):
    """The model file's object."""
    if options.batch < 1:
        raise TraceError("--batch must be at least 1")
    factory, own_name, source = choose(options)
    specs = list(options.input)
    if not specs and options.image_size:
        specs = [f"3x{options.image_size}x{options.image_size}"]
    elif not specs and options.seq_len:
        specs = [f"int:{options.seq_len}"]
    name = options.name or own_name
    profile = trace(factory, make_inputs(specs), options.batch, options.first_output)
    return {
        "schema": SCHEMA,
        "name": name,
        "task": options.task,
        "family": options.family,
        "optimizer": options.optimizer,
        "model": name,
        "image_size": options.image_size,
        "seq_len": options.seq_len,
        **profile,
        "kind": "estimated" if options.estimated else "traced",
        "source": source,
        "traced_with": f"PyTorch {torch.__version__}",
    }


def main(argv=None):
    options = arguments(argv)
    try:
        record = build(options)
    except TraceError as error:
        sys.exit(f"trace_model: {error}")
    path = options.output or f"{record['name'].replace('/', '-')}.mantissa.json"
    line = json.dumps(record, separators=(",", ":")) + "\n"
    if path.endswith(".gz"):
        with open(path, "ab") as raw, gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0) as file:
            file.write(line.encode())
    else:
        with open(path, "w", encoding="utf-8") as file:
            file.write(line)
    kernels = sum(entry[0] for entry in record["ew"].values()) + sum(m[-1] for m in record["mm"])
    print(
        f"{path}: {record['params'] / 1e6:.2f} M parameters, {forward_gmacs(record):.2f} GMACs forward, {kernels} kernels traced"
    )


if __name__ == "__main__":
    main()
