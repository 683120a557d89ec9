//! How a run may be laid out over its accelerators, and which layouts are worth a prediction.
//!
//! The space holds the cuts of the model that people use: tensor degrees in powers of two inside the fast link, pipeline
//! stages that share the layers out evenly, context ranks of long sequences and experts spread out or not, each with every
//! kind of sharding and recomputation. Other degrees are had by fixing them.

use super::{CheckedRequest, LayoutChoice, degrees};
use crate::domain::{
    BlockStack, Fabric, LinkKind, MemoryUse, Offload, OperatorProfile, Recompute, Sharding,
    Strategy,
};
use crate::format;

/// Pipeline stages beyond which nobody trains without interleaving by hand.
const MAX_STAGES: u32 = 32;
/// Micro-steps per pipeline stage that keep the bubble under a third.
const STEPS_PER_STAGE: u32 = 2;
/// Most ranks that a sequence is cut over without being asked.
const MAX_CONTEXT: u32 = 16;
/// Tokens below which cutting a sequence leaves too little work to hide its exchange.
const LEAST_TOKENS_A_RANK: f64 = 4096.0;

/// The place a layout must fill: so many devices, so joined, for so many samples a step.
#[derive(Debug, Clone, Copy)]
pub(super) struct Site<'a> {
    pub profile: &'a OperatorProfile,
    pub choice: LayoutChoice,
    pub count: u32,
    pub fabric: Fabric,
    /// Samples per step of the whole job.
    pub global: f64,
    /// Share of each device's memory that must stay free.
    pub headroom: f64,
    /// Tokens of a sample, where samples are sequences.
    pub sequence: Option<u32>,
}

/// Degrees that cut the model, not the data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Cut {
    pub tensor: u32,
    pub pipeline: u32,
    pub context: u32,
    pub expert: u32,
}

impl Cut {
    /// Devices that hold one copy of the model.
    pub(super) const fn devices(self) -> u32 {
        self.tensor * self.pipeline * self.context
    }
}

impl LayoutChoice {
    /// Fewest micro-steps a step is split into: those asked for, else those that keep a pipeline busy.
    pub(super) fn least_steps(self, pipeline: u32) -> u32 {
        let busy = if pipeline > 1 {
            pipeline * STEPS_PER_STAGE
        } else {
            1
        };
        self.accumulation.unwrap_or(busy)
    }
}

impl<'a> Site<'a> {
    /// The site of one combination of a request.
    pub(super) fn new(request: &'a CheckedRequest, count: u32, fabric: Fabric) -> Self {
        Self {
            profile: &request.profile,
            choice: request.layout,
            count,
            fabric,
            global: request.batch.global(count),
            headroom: request.limits.memory_headroom,
            sequence: request.seq_len,
        }
    }

    /// The ways to cut the model, coarsest first.
    ///
    /// # Errors
    /// A sentence, where the given degrees cannot be had on this site.
    pub(super) fn cuts(&self) -> Result<Vec<Cut>, String> {
        let Some(blocks) = self.profile.blocks else {
            return self.uncut();
        };
        if let Some(problem) = degrees::problem(&self.choice, self.count, &blocks) {
            return Err(problem);
        }
        let pairs = match (self.choice.tensor, self.choice.pipeline) {
            (Some(tensor), Some(pipeline)) => vec![(tensor, pipeline)],
            (Some(tensor), None) => stages(&blocks).map(|p| (tensor, p)).collect(),
            (None, Some(pipeline)) => (self.tensor_degrees(&blocks).into_iter())
                .map(|t| (t, pipeline))
                .collect(),
            (None, None) => self.ladder(&blocks),
        };
        let contexts = self.contexts(&blocks);
        let mut cuts: Vec<Cut> = pairs
            .into_iter()
            .flat_map(|(tensor, pipeline)| {
                contexts.iter().map(move |&context| Cut {
                    tensor,
                    pipeline,
                    context,
                    expert: 1,
                })
            })
            .filter(|cut| self.count.is_multiple_of(cut.devices()))
            .flat_map(|cut| self.with_experts(cut, &blocks))
            .collect();
        cuts.dedup();
        cuts.retain(|cut| self.can_interleave(*cut, &blocks));
        if cuts.is_empty() {
            return Err(degrees::no_interleave(&self.choice, &blocks));
        }
        Ok(cuts)
    }

    /// A model without transformer blocks runs data-parallel alone.
    fn uncut(&self) -> Result<Vec<Cut>, String> {
        let given = [
            ("tensor", self.choice.tensor),
            ("pipeline", self.choice.pipeline),
            ("context", self.choice.context),
            ("expert", self.choice.expert),
            ("interleaved pipeline", self.choice.interleave),
        ];
        if self.choice.recompute == Some(Recompute::Selective) {
            return Err(
                "No selective recompute: the model is no stack of transformer blocks. Allowed: none, full."
                    .into(),
            );
        }
        match given
            .into_iter()
            .find(|(_, degree)| degree.is_some_and(|d| d > 1))
        {
            Some((axis, _)) => Err(format!(
                "No {axis} parallelism: the model is no stack of transformer blocks. Data parallelism runs it."
            )),
            None => Ok(vec![Cut {
                tensor: 1,
                pipeline: 1,
                context: 1,
                expert: 1,
            }]),
        }
    }

    /// Every tensor degree inside the fast link with every even number of stages; stages alone where devices are joined
    /// by PCIe.
    fn ladder(&self, blocks: &BlockStack) -> Vec<(u32, u32)> {
        let tensors = if self.fabric.link == LinkKind::Fast {
            self.tensor_degrees(blocks)
        } else {
            vec![1]
        };
        stages(blocks)
            .flat_map(|pipeline| tensors.iter().map(move |&tensor| (tensor, pipeline)))
            .collect()
    }

    /// Context degrees worth a look: those that leave each rank a sequence worth cutting.
    fn contexts(&self, blocks: &BlockStack) -> Vec<u32> {
        match self.choice.context {
            Some(given) => vec![given],
            None => powers_of_two(MAX_CONTEXT.min(self.count))
                .filter(|&c| c == 1 || blocks.tokens / f64::from(c) >= LEAST_TOKENS_A_RANK)
                .collect(),
        }
    }

    /// Virtual stages a device that cut its layers evenly; interleaving only where it is asked for or may pay.
    pub(super) fn interleaves(&self, cut: Cut) -> Vec<u32> {
        let layers = self.profile.blocks.map_or(1, |blocks| blocks.layers as u32);
        match self.choice.interleave {
            Some(given) => vec![given],
            None if cut.pipeline > 1 => [1, 2]
                .into_iter()
                .filter(|&v| degrees::interleaves(layers, cut.pipeline, v) || v == 1)
                .collect(),
            None => vec![1],
        }
    }

    /// What may be kept on the host, least first.
    pub(super) fn offloads(&self) -> Vec<Offload> {
        match (self.choice.offload, self.profile.blocks) {
            (Some(given), _) => vec![given],
            (None, Some(_)) => vec![Offload::None, Offload::Optimizer, Offload::All],
            (None, None) => vec![Offload::None],
        }
    }

    /// Whether a layout leaves the memory free that must stay free.
    pub(super) fn fits(&self, memory: &MemoryUse) -> bool {
        memory.total().value() <= memory.capacity.value() * (1.0 - self.headroom)
    }

    /// What of the memory that grows with the micro-batch there is room for, as a share of it; below zero where the rest alone
    /// does not fit.
    pub(super) fn room(&self, memory: &MemoryUse) -> f64 {
        let growing = memory.growing().value();
        let left = memory.capacity.value() * (1.0 - self.headroom) - memory.total().value();
        1.0 + left / growing.max(1.0)
    }

    /// Powers of two that divide the heads and stay inside the fast link.
    fn tensor_degrees(&self, blocks: &BlockStack) -> Vec<u32> {
        let near = self
            .fabric
            .domain
            .min(self.fabric.per_node)
            .min(self.count)
            .max(1);
        powers_of_two(near)
            .filter(|&tensor| blocks.heads % f64::from(tensor) == 0.0)
            .collect()
    }

    /// The cut as it is and, for a mixture of experts, with its experts spread out.
    fn with_experts(&self, cut: Cut, blocks: &BlockStack) -> Vec<Cut> {
        if let Some(expert) = self.choice.expert {
            return vec![Cut { expert, ..cut }];
        }
        let data = self.count / cut.devices();
        let near = (self.fabric.domain / cut.tensor).max(1).min(data);
        let widest = powers_of_two(near)
            .filter(|&e| blocks.experts % f64::from(e) == 0.0 && data.is_multiple_of(e))
            .last();
        match widest.filter(|&expert| expert > 1 && blocks.experts > 0.0) {
            Some(expert) => vec![cut, Cut { expert, ..cut }],
            None => vec![cut],
        }
    }

    /// Whether the virtual stages that are asked for, if any, share a pipeline's layers out evenly.
    fn can_interleave(&self, cut: Cut, blocks: &BlockStack) -> bool {
        self.choice.interleave.is_none_or(|given| {
            let even = degrees::interleaves(blocks.layers as u32, cut.pipeline, given);
            given <= 1 || (cut.pipeline > 1 && even)
        })
    }

    /// Samples of one data-parallel rank per step, whole; `None` where ranks would go without.
    pub(super) fn per_rank(&self, cut: Cut) -> Option<f64> {
        let data = f64::from(self.count / cut.devices());
        let samples = self.global / data;
        if samples + 1e-9 >= 1.0 {
            Some(samples.round())
        } else {
            // One device may hold a batch below one sample only if somebody asks for less than one in all.
            None
        }
    }

    /// Kinds of sharding worth a look for a cut, plainest first.
    pub(super) fn shardings(&self, cut: Cut) -> Vec<Sharding> {
        if let Some(given) = self.choice.sharding {
            return vec![given];
        }
        let ranks = self.count / cut.devices() * cut.context;
        let several_nodes = self.count > self.fabric.domain.min(self.fabric.per_node).max(1);
        match self.profile.blocks {
            _ if ranks == 1 => vec![Sharding::None],
            None => vec![Sharding::None, Sharding::Fsdp],
            Some(_) if several_nodes && cut.devices() == 1 => vec![
                Sharding::None,
                Sharding::Zero1,
                Sharding::Zero2,
                Sharding::Hsdp,
                Sharding::Fsdp,
            ],
            Some(_) => vec![
                Sharding::None,
                Sharding::Zero1,
                Sharding::Zero2,
                Sharding::Fsdp,
            ],
        }
    }

    /// What may be recomputed, least first.
    pub(super) fn recomputes(&self) -> Vec<Recompute> {
        match (self.choice.recompute, self.profile.blocks) {
            (Some(given), _) => vec![given],
            (None, Some(_)) => vec![Recompute::None, Recompute::Selective, Recompute::Full],
            (None, None) => vec![Recompute::None],
        }
    }

    /// Ways to split the samples of a rank into micro-steps, largest micro-batch first, each about half the one before, down to
    /// one sample.
    ///
    /// Where samples do not divide (257 of them, say), the last micro-step of a data-parallel rank holds fewer than the others,
    /// and the size is that of the average one: nobody trains one by one for that. Pipelines take even ones alone.
    pub(super) fn micro_batches(&self, cut: Cut, per_rank: f64) -> Vec<(f64, u32)> {
        let wanted = self.choice.least_steps(cut.pipeline);
        if self.choice.accumulation.is_some() {
            return vec![(per_rank / f64::from(wanted), wanted)];
        }
        let mut splits: Vec<(f64, u32)> = vec![];
        let mut most = per_rank / f64::from(wanted);
        loop {
            let even = divisor_at_most(per_rank, most);
            let is_far = 2.0 * even <= most && cut.pipeline == 1;
            let micro = match is_far {
                true => per_rank / (per_rank / most).ceil(),
                false => even,
            };
            splits.push((micro, (per_rank / micro).round() as u32));
            if micro <= 1.0 {
                return splits;
            }
            most = micro / 2.0;
        }
    }

    /// The whole layout.
    pub(super) fn strategy(
        &self,
        cut: Cut,
        sharding: Sharding,
        recompute: Recompute,
        (micro_batch, accumulation): (f64, u32),
    ) -> Strategy {
        Strategy {
            tensor: cut.tensor,
            pipeline: cut.pipeline,
            context: cut.context,
            expert: cut.expert,
            sharding,
            recompute,
            accumulation,
            sequence_parallel: cut.tensor > 1,
            ..Strategy::data_parallel(self.count / cut.devices(), micro_batch)
        }
    }
}

/// One line on a layout, e.g. `FSDP over 8, 2 nodes, selective recompute`. `group`: data ranks of a
/// group of HSDP, where known. Context ranks share states out too: with these alone, how is said without a number.
pub(super) fn describe(strategy: &Strategy, nodes: u32, group: Option<u32>) -> String {
    let ranks = strategy.data;
    let mut parts = Vec::new();
    match strategy.sharding {
        _ if strategy.devices() == 1 => parts.push("One device".to_owned()),
        Sharding::None if ranks == 1 => {}
        sharding if ranks == 1 => {
            if strategy.context > 1 {
                parts.push(kind(sharding).to_owned());
            }
        }
        sharding => parts.push(match group.filter(|_| sharding == Sharding::Hsdp) {
            Some(group) => format!("HSDP in {} groups of {group}", ranks / group),
            None => format!("{} over {ranks}", kind(sharding)),
        }),
    }
    for (name, degree) in [
        ("tensor", strategy.tensor),
        ("pipeline", strategy.pipeline),
        ("context", strategy.context),
        ("expert", strategy.expert),
    ] {
        if degree > 1 {
            parts.push(format!("{name} {degree}"));
        }
    }
    if nodes > 1 {
        parts.push(format!("{nodes} nodes"));
    }
    if strategy.interleave > 1 {
        parts.push(format!("{} virtual stages", strategy.interleave));
    }
    if strategy.accumulation > 1 {
        parts.push(format!("{} micro-steps", strategy.accumulation));
    }
    match strategy.recompute {
        Recompute::None => {}
        Recompute::Selective => parts.push("selective recompute".to_owned()),
        Recompute::Full => parts.push("full recompute".to_owned()),
    }
    match strategy.offload {
        Offload::None => {}
        Offload::Optimizer => parts.push("optimizer on the host".to_owned()),
        Offload::All => parts.push("weights and optimizer on the host".to_owned()),
    }
    format::capitalised(&parts.join(", "))
}

/// A kind of sharding as people write it.
const fn kind(sharding: Sharding) -> &'static str {
    match sharding {
        Sharding::None => "Data parallel",
        Sharding::Zero1 => "ZeRO-1",
        Sharding::Zero2 => "ZeRO-2",
        Sharding::Zero3 => "ZeRO-3",
        Sharding::Fsdp => "FSDP",
        Sharding::Hsdp => "HSDP",
    }
}

fn powers_of_two(most: u32) -> impl Iterator<Item = u32> {
    (0..31)
        .map(|power| 1u32 << power)
        .take_while(move |&p| p <= most)
}

/// Stages that cut the layers evenly.
fn stages(blocks: &BlockStack) -> impl Iterator<Item = u32> {
    let layers = blocks.layers as u32;
    (1..=MAX_STAGES).filter(move |&p| degrees::shares_out(layers, p))
}

/// The largest whole divisor of `whole` that is at most `most`; 1 at least.
fn divisor_at_most(whole: f64, most: f64) -> f64 {
    let most = most.max(1.0).min(whole.max(1.0)).floor();
    let root = whole.sqrt().floor();
    // Large divisors are found by how often they go into the whole, small ones by themselves: few steps either way.
    let mut times = (whole / most).ceil();
    while times <= root {
        if whole % times == 0.0 {
            return whole / times;
        }
        times += 1.0;
    }
    let mut divisor = most.min(root);
    while divisor > 1.0 && whole % divisor != 0.0 {
        divisor -= 1.0;
    }
    divisor.max(1.0)
}

#[cfg(test)]
#[path = "layout_tests.rs"]
mod tests;
