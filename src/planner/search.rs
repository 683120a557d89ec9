//! Looking through the layouts of one combination: the fastest that fits memory.

use super::Dropped;
use super::layout::{Cut, Site, describe};
use crate::domain::{Configuration, MemoryUse, Offload, Recompute, Sharding, Strategy};
use crate::predictor::PredictError;

/// Layouts this near to the fastest are as fast, as far as a prediction can tell: measured times of one configuration differ
/// as much.
const TIE: f64 = 0.03;

/// Layouts this near to the fastest by physics are ranked by the whole predictor, whose corrections tell them apart better
/// (regret at the 90th percentile of vTrain's sweeps, publication left out: 14 %, by physics alone 25 % on an earlier fit; and
/// next to none where the fit has seen the publication). No further: the lowest of many predictions is too low.
const SHORTLIST: f64 = 0.2;
/// Layouts of a shortlist at most, but for those as fast as the first.
const LONGEST: usize = 4;

/// Step times in seconds of layouts by the whole predictor.
pub(super) type Whole<'a> = &'a dyn Fn(&[Configuration]) -> Result<Vec<f64>, PredictError>;

/// Peak memory and physical step time in seconds of a layout.
pub(super) type Sketch<'a> = &'a dyn Fn(&Configuration) -> Result<(MemoryUse, f64), PredictError>;

/// What a search has seen.
#[derive(Debug, Default)]
pub(super) struct Search {
    /// The fastest layout that fits.
    pub best: Option<Strategy>,
    /// The next, and how much slower it is, as a share.
    pub second: Option<(Strategy, f64)>,
    /// Of those that do not fit, the one that needs least, and what it needs.
    pub smallest: Option<(Strategy, MemoryUse)>,
    /// What was dropped, by reason.
    pub dropped: Dropped,
    /// What the predictor last refused.
    pub problem: Option<String>,
    /// The layouts that were compared by the whole predictor.
    pub compared: Vec<Strategy>,
    /// The fastest physical step in seconds.
    pub fastest: Option<f64>,
    /// The layout that was best on the network as it is, where a what-if of the network makes another one best.
    pub before: Option<Strategy>,
}

/// Looks at every layout of the site, drops what does not fit, makes a shortlist by physics, and takes the surest of the
/// fastest on it by the whole predictor.
/// Without a `whole` prediction the order of physics counts alone.
/// Weights and states go to the host's memory only where nothing fits without. `template` is the configuration without
/// its layout.
///
/// # Errors
/// A sentence, where the given degrees cannot be had.
pub(super) fn search(
    site: &Site<'_>,
    template: &Configuration,
    sketch: Sketch<'_>,
    whole: Option<Whole<'_>>,
) -> Result<Search, String> {
    let mut seeker = Seeker {
        site,
        template,
        sketch,
        seen: Search::default(),
        fitting: Vec::new(),
    };
    for offload in site.offloads() {
        for cut in site.cuts()? {
            match site.per_rank(cut) {
                Some(per_rank) => seeker.try_cut(cut, per_rank, offload),
                None => seeker.seen.dropped.batch += u32::from(offload == Offload::None),
            }
        }
        if !seeker.fitting.is_empty() {
            break;
        }
    }
    Ok(seeker.finish(whole))
}

struct Seeker<'a> {
    site: &'a Site<'a>,
    template: &'a Configuration,
    sketch: Sketch<'a>,
    seen: Search,
    /// Layouts that fit, with their physical step times, and whether they fit by less than the estimate errs.
    fitting: Vec<(f64, (Strategy, bool))>,
}

/// Micro-batches larger by this than what room there is for, if memory grew in proportion to them, are not looked at.
const SURPLUS: f64 = 1.5;

/// What smaller micro-batches of a layout need a look.
enum Smaller {
    /// None of them.
    None,
    /// All at most this large.
    AtMost(f64),
}

impl Seeker<'_> {
    fn try_cut(&mut self, cut: Cut, per_rank: f64, offload: Offload) {
        let splits = self.site.micro_batches(cut, per_rank);
        for sharding in self.site.shardings(cut) {
            for interleave in self.site.interleaves(cut) {
                for recompute in self.site.recomputes() {
                    self.try_splits(&splits, |split| Strategy {
                        offload,
                        interleave,
                        ..self.site.strategy(cut, sharding, recompute, split)
                    });
                }
            }
        }
    }

    /// Looks at micro-batches, largest first: the largest that fits is the fastest. The smallest is looked at in any case where
    /// none fits, so that what could fit is found to.
    fn try_splits(&mut self, splits: &[(f64, u32)], laid_out: impl Fn((f64, u32)) -> Strategy) {
        let mut at = 0;
        while let Some(split) = splits.get(at) {
            let Smaller::AtMost(most) = self.look(laid_out(*split)) else {
                return;
            };
            let next = (splits[at + 1..]
                .iter()
                .position(|(micro, _)| *micro <= most))
            .map_or((splits.len() - 1).max(at + 1), |skipped| at + 1 + skipped);
            self.seen.dropped.memory += u32::try_from(next - at - 1).unwrap_or(u32::MAX);
            at = next;
        }
    }

    /// Sketches one layout.
    fn look(&mut self, strategy: Strategy) -> Smaller {
        match (self.sketch)(&self.template.laid_out(strategy)) {
            Ok((memory, step)) if self.site.fits(&memory) => {
                // Where someone said how much must stay free, that is the room.
                let full = self.site.headroom <= 0.0 && is_nearly_full(&memory);
                self.fitting.push((step, (strategy, full)));
                match full {
                    true => Smaller::AtMost(strategy.micro_batch),
                    false => Smaller::None,
                }
            }
            Ok((memory, _)) => {
                self.seen.dropped.memory += 1;
                let needs = memory.total().value();
                let least = self.seen.smallest.map(|(_, least)| least.total().value());
                if least.is_none_or(|least| needs < least) {
                    self.seen.smallest = Some((strategy, memory));
                }
                Smaller::AtMost(strategy.micro_batch * SURPLUS * self.site.room(&memory))
            }
            Err(PredictError::Strategy(reason)) => {
                self.seen.dropped.impossible += 1;
                self.seen.problem = Some(reason);
                Smaller::AtMost(strategy.micro_batch)
            }
            Err(refusal) => {
                self.seen.problem = Some(refusal.to_string());
                Smaller::None
            }
        }
    }

    fn finish(mut self, whole: Option<Whole<'_>>) -> Search {
        let mut fitting = std::mem::take(&mut self.fitting);
        let count = fitting.len();
        self.seen.fastest = fitting.iter().map(|(step, _)| *step).min_by(f64::total_cmp);
        let near = shortlist(
            &mut fitting,
            |(strategy, _)| strategy,
            |layouts| {
                let configurations: Vec<Configuration> = (layouts.iter())
                    .map(|(strategy, _)| self.template.laid_out(*strategy))
                    .collect();
                whole?(&configurations).ok()
            },
        );
        self.seen.compared = (fitting[..near].iter())
            .map(|(_, (layout, _))| *layout)
            .collect();
        let chosen = roomiest(&fitting[..near]).map(|at| fitting.remove(at));
        self.seen.best = chosen.map(|(_, (strategy, _))| strategy);
        if let (Some((step, _)), Some((next, (strategy, _)))) = (chosen, fitting.first()) {
            // One alone on the list keeps the time of physics, as all behind it have.
            self.seen.second = Some((*strategy, next / step - 1.0));
            self.seen.dropped.slower = u32::try_from(count - 1).unwrap_or(u32::MAX);
        }
        self.seen
    }
}

/// Sorts layouts by physical step time, and puts a shortlist of the nearest to the fastest before them, sorted by the
/// `whole` prediction, which takes the place of their times. How many are on it; where one of them cannot be predicted,
/// or there is but one, it keeps the order of physics.
///
/// On the list are those alone that have the context and expert ranks of the surest of the fastest by physics: no sweep
/// that was measured differs in these, so that the predictor's corrections would compare publications, not layouts.
pub(super) fn shortlist<T: Copy>(
    layouts: &mut [(f64, T)],
    strategy: impl Fn(T) -> Strategy,
    whole: impl FnOnce(&[T]) -> Option<Vec<f64>>,
) -> usize {
    layouts.sort_by(|a, b| a.0.total_cmp(&b.0));
    let by_physics: Vec<(f64, Strategy)> = layouts
        .iter()
        .map(|(step, layout)| (*step, strategy(*layout)))
        .collect();
    let Some((fastest, lead)) = surest(&by_physics).map(|at| (by_physics[0].0, by_physics[at].1))
    else {
        return 0;
    };
    let mut near = 0;
    for at in 0..layouts.len() {
        let is_near = by_physics[at].0 <= fastest * (1.0 + SHORTLIST);
        let is_alike =
            (by_physics[at].1.context, by_physics[at].1.expert) == (lead.context, lead.expert);
        // Those as fast as the first all stay: the surest of them may be the last.
        let is_tie = by_physics[at].0 <= fastest * (1.0 + TIE);
        if is_near && is_alike && (is_tie || near < LONGEST) {
            layouts[near..=at].rotate_right(1);
            near += 1;
        }
    }
    let list = &mut layouts[..near];
    let listed: Vec<T> = list.iter().map(|(_, layout)| *layout).collect();
    if near > 1
        && let Some(steps) = whole(&listed)
    {
        for (entry, step) in list.iter_mut().zip(steps) {
            entry.0 = step;
        }
        list.sort_by(|a, b| a.0.total_cmp(&b.0));
    }
    near
}

/// The surest of the layouts as fast as the first, by rising step time, that do not nearly fill the memory; of all that are as
/// fast where each of them does.
fn roomiest(layouts: &[(f64, (Strategy, bool))]) -> Option<usize> {
    let fastest = layouts.first()?.0;
    let is_tie = |(step, _): &(f64, _)| *step <= fastest * (1.0 + TIE);
    let tied = layouts.iter().take_while(|layout| is_tie(layout)).count();
    let pick = |open: Vec<usize>| {
        let steps: Vec<(f64, Strategy)> = (open.iter())
            .map(|at| (layouts[*at].0, layouts[*at].1.0))
            .collect();
        surest(&steps).map(|at| open[at])
    };
    pick((0..tied).filter(|at| !layouts[*at].1.1).collect()).or_else(|| pick((0..tied).collect()))
}

/// Which of some layouts to take, by rising step time: of those as fast as the first, the one whose kernels hold most work
/// (micro-batch over tensor- and context-parallel ranks), then the plainest. It hangs least on how fast the host launches
/// kernels, which differs most between machines (on all published sweeps, publication left out, regret at the 90th
/// percentile is 13 %, where the plainest comes first 17 %).
pub(super) fn surest(layouts: &[(f64, Strategy)]) -> Option<usize> {
    let fastest = layouts.first()?.0;
    (layouts.iter().enumerate())
        .take_while(|(_, (step, _))| *step <= fastest * (1.0 + TIE))
        .min_by(|(_, (_, a)), (_, (_, b))| {
            let work = work_per_kernel(b).total_cmp(&work_per_kernel(a));
            work.then_with(|| twists(a).cmp(&twists(b)))
        })
        .map(|(at, _)| at)
}

/// What the size of a layout's kernels goes by.
fn work_per_kernel(s: &Strategy) -> f64 {
    s.micro_batch / f64::from((s.tensor * s.context).max(1))
}

/// How many twists a layout has: what must be set up, and can go wrong.
fn twists(s: &Strategy) -> u32 {
    let cuts = [s.tensor, s.pipeline, s.context, s.expert, s.interleave];
    let kinds = cuts.into_iter().filter(|degree| *degree > 1).count();
    let more = u32::from(s.sharding != Sharding::None) + u32::from(s.recompute != Recompute::None);
    u32::try_from(kinds).unwrap_or(u32::MAX) + more
}

/// Why a layout was taken: how far the next one is behind, and what was dropped.
pub(super) fn layout_why(second: Option<(Strategy, f64)>, dropped: &Dropped, nodes: u32) -> String {
    let behind = second.map_or_else(
        || "It is the only layout that fits".to_owned(),
        |(strategy, behind)| {
            let layouts = dropped.slower + 1;
            let next = describe(&strategy, nodes, None);
            if behind < 0.0 {
                format!(
                    "Of {layouts} layouts that fit, none is faster by more than can be told; this one needs the least of the host. The next is {next}"
                )
            } else {
                let slower = crate::format::percent_in_table(behind);
                format!("Fastest of {layouts} layouts that fit; the next, {next}, is {slower} slower")
            }
        },
    );
    match dropped.memory {
        0 => format!("{behind}."),
        1 => format!("{behind}. One does not fit memory."),
        many => format!("{behind}. {many} do not fit memory."),
    }
}

/// Why no layout was found, with the way out.
pub(super) fn no_layout(
    site: &Site<'_>,
    problem: Option<String>,
    smallest: Option<(Strategy, MemoryUse)>,
) -> String {
    if let Some((strategy, memory)) = smallest {
        return too_large(&memory, &strategy, site.count, site.sequence);
    }
    problem.unwrap_or_else(|| {
        format!(
            "A global batch of {} leaves some of {} accelerators without a sample. Use a larger batch or fewer \
             accelerators.",
            site.global, site.count
        )
    })
}

/// Memory fuller than this share is named: the estimate errs by about what is left (`models/CARD.md`).
const FULL: f64 = 0.9;

/// Whether a layout fits by less than the estimate errs.
pub(super) fn is_nearly_full(memory: &MemoryUse) -> bool {
    memory.fits() && memory.total().value() > FULL * memory.capacity.value()
}

/// That a layout fits by less than the estimate errs, which on average is by so many percent.
pub(super) fn nearly_full(memory: &MemoryUse, error: f64) -> String {
    format!(
        "Memory would be {:.0} % full, {:.1} of {:.1} GiB, and the estimate errs by {error:.0} % on average: it may not fit.",
        100.0 * memory.total().value() / memory.capacity.value(),
        memory.total().gib(),
        memory.capacity.gib()
    )
}

/// That a layout may fit, and may not.
pub(super) fn tight(memory: &MemoryUse) -> String {
    format!(
        "Memory is tight: {:.1} GiB estimated of {:.1} GiB. It fits only if the estimate is high.",
        memory.total().gib(),
        memory.capacity.gib()
    )
}

/// What a layout needs of how much memory, and the way out.
/// A `sequence` is named where its activations alone are a part that a shorter one would spare.
pub(super) fn too_large(
    memory: &MemoryUse,
    strategy: &Strategy,
    count: u32,
    sequence: Option<u32>,
) -> String {
    let mut measures = Vec::new();
    if strategy.sharding != Sharding::None {
        measures.push("full sharding".to_owned());
    }
    if strategy.tensor * strategy.pipeline > 1 {
        measures.push(format!(
            "the model cut in {}",
            strategy.tensor * strategy.pipeline
        ));
    }
    match strategy.recompute {
        Recompute::None => {}
        Recompute::Selective => measures.push("selective recompute".into()),
        Recompute::Full => measures.push("full recompute".into()),
    }
    measures.push(format!(
        "micro-batch {}",
        crate::format::samples(strategy.micro_batch)
    ));
    let mut ways = vec!["more accelerators".to_owned()];
    if count > 1 {
        ways.push("a smaller batch".to_owned());
    }
    ways.push("a larger part".to_owned());
    // One sample a micro-step is the least there is: what is left of the activations is the sequence.
    let activations = memory.growing().value();
    let spared = memory.total().value() - activations <= memory.capacity.value();
    if let Some(tokens) = sequence.filter(|_| spared && strategy.micro_batch <= 1.0) {
        let room = memory.capacity.value() - (memory.total().value() - activations);
        // Activations rise with the sequence, and with its square where scores are kept: in proportion they fall short
        // of what is needed at worst.
        let fits = f64::from(tokens) * room / activations.max(1.0);
        let power = (fits.max(1.0)).log2().floor().exp2();
        if power >= 64.0 && power < f64::from(tokens) {
            let shorter = crate::format::count(power);
            ways.insert(0, format!("a sequence of about {shorter} tokens"));
        }
    }
    let last = ways.pop().unwrap_or_default();
    let way_out = format!("Use {} or {last}.", ways.join(", "));
    format!(
        "Does not fit: needs {:.1} GiB of {:.1} GiB even with {}. {way_out}",
        memory.total().gib(),
        memory.capacity.gib(),
        measures.join(", ")
    )
}

#[cfg(test)]
#[path = "search_tests.rs"]
mod tests;
