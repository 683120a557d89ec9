//! The optimizer's step: what it moves, and what the host hands over for it.

use super::step_work::StepWork;
use super::work::Context;
use crate::domain::{OptimizerKernels, PYTORCH_2, PrecisionMode};

/// Bytes that `BertAdam` moves for a parameter in 32 bits: a norm, three scalings, three sums, a product added, a root, a
/// quotient, a sign and two sums more, each of which reads and writes its tensors (`BertAdam.step`).
const BERT_ADAM_BYTES: f64 = 120.0;

/// Bytes of a gradient that is filled with zeros and added to in 32 bits.
const FILLED_GRADIENT_BYTES: f64 = 16.0;

/// Operators of a net, with their modules and autograd, that take the host as long as filling one tensor's gradient and adding
/// to it: two calls without either (detached, filled) and one by the engine of automatic differentiation.
const FILLED_GRADIENT_OPERATORS: f64 = 0.3;

/// From this date on PyTorch's optimizers run on all tensors at once, and `BertAdam` no longer waits for the norm of each: its
/// clipping asks for one of all (DeepLearningExamples, `optimization.py`), and PyTorch's own asks the host nothing
/// (pytorch/pytorch#61042).
const NO_LOOPS: f64 = 2022.5;

/// Operators of a net, with their modules and autograd, that take the host as long as the dozen and more calls of `BertAdam` on
/// one tensor: BERT in TF32 takes an H100 of 2023 some 30 ms beyond its traffic, an RTX 4090, which has more of it, nothing
/// (lambda).
const BERT_ADAM_OPERATORS: f64 = 3.8;

/// The same for a wait for one number of the device.
const WAIT: f64 = 0.7;

impl Context<'_> {
    /// Work done once a step or once a micro-step on the parameters.
    pub(super) fn add_step_work(&self, w: &mut StepWork) {
        let c = self.c;
        let bandwidth = self.device.bandwidth;
        let parameters = w.device_parameters;
        let trained = match w.forward_backward_only {
            true => 0.0,
            false => c.workload.trained_share(),
        };
        let owned = if w.shard_stage >= 1.0 {
            parameters / w.data
        } else {
            parameters
        };
        let pure = matches!(self.spec.mode, PrecisionMode::Fp16 | PrecisionMode::Bf16);
        // Read gradient, read and write weight, read and write each state, 4 B each; write the 16-bit copy. As operations of
        // their own, a state is scaled and added to before it is read, and Adam's second one goes through a root and a sum.
        let states = c.workload.optimizer.states();
        let moved = match c.software.optimizer {
            OptimizerKernels::Fused => 12.0 + 8.0 * states,
            OptimizerKernels::Operations => 12.0 + 32.0 * states,
            OptimizerKernels::BertAdam => BERT_ADAM_BYTES,
        };
        let mut bytes = moved + if w.mixed { 2.0 } else { 0.0 };
        if pure {
            bytes *= 0.5;
        }
        w.optimizer = owned * bytes * trained / bandwidth;
        w.cast = match (self.spec.casts_by_operator(), self.language) {
            (false, _) => 0.0,
            (true, true) => parameters * 2.0 / bandwidth,
            (true, false) => parameters * 6.0 / bandwidth,
        };
        if self.spec.loss_scaling && self.spec.mode == PrecisionMode::AmpFp16 {
            w.unscale = parameters * 8.0 * trained / bandwidth;
        }
        // A loop of its own to this day; where it waits for no tensor's norm, its calls run ahead of the device.
        w.optimizer_ahead =
            c.software.optimizer == OptimizerKernels::BertAdam && c.software.date >= NO_LOOPS;
        if !w.forward_backward_only {
            w.embedding = self.profile.embedding_parameters * 8.0 / bandwidth;
            w.kernels_optimizer = w.tensors * self.optimizer_operators(w);
        } else if self.fills_gradients() {
            w.optimizer = FILLED_GRADIENT_BYTES * parameters / bandwidth;
            w.kernels_optimizer = w.tensors * FILLED_GRADIENT_OPERATORS;
        }
        if self.spec.whole_model {
            // All at once, when they are updated: 4 bytes read of the master weight, 2 written.
            w.optimizer += owned * 6.0 * trained / bandwidth;
        } else if w.mixed && !self.megatron_like && !self.jax && self.autocast().is_none() {
            w.kernels_cast = w.tensors * 0.7;
        }
    }

    /// Whether each step fills the gradients with zeros and adds to them, as PyTorch did before 2.0
    /// (`zero_grad(set_to_none=False)`; its 2.0 forgets them). In whole steps the constants of the optimizer stand for it.
    fn fills_gradients(&self) -> bool {
        let software = &self.c.software;
        software.framework == "pytorch" && software.date < PYTORCH_2
    }

    /// Operators of a net that take the host as long as the optimizer's step does for one tensor.
    fn optimizer_operators(&self, w: &StepWork) -> f64 {
        match self.c.software.optimizer {
            OptimizerKernels::BertAdam if w.optimizer_ahead => BERT_ADAM_OPERATORS,
            OptimizerKernels::BertAdam => BERT_ADAM_OPERATORS + WAIT,
            _ if w.date < NO_LOOPS => 1.5,
            _ => 0.2,
        }
    }
}
