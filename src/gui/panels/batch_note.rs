//! A batch that does not divide evenly: what it runs as, why, and the nearest ones that divide, one click away.

use super::scene::{Scene, cached, key_of};
use crate::format;
use crate::gui::parse;
use crate::gui::theme::{Tokens, size};
use crate::gui::widgets::{note, text_button};
use crate::planner::{BatchRequest, Plan, PlanRequest};
use egui::{Sense, Ui, vec2};

/// Batches above this are not looked for: common multiples of many counts soon mean nothing.
const MOST_COMMON: u64 = 1 << 20;

/// A batch that a combination runs instead of the one asked.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Rounded {
    asked: f64,
    runs: f64,
    ranks: u32,
}

/// Says beside the field what an uneven batch runs as.
pub fn batch_note_ui(ui: &mut Ui, cx: &mut Scene<'_>, request: &PlanRequest) {
    let Some(done) = &cx.tab.done else { return };
    let plan = &done.plan;
    // The result may be of another batch than the one in the field.
    if plan.request.request.batch != request.batch {
        return;
    }
    // Every combination is looked at: once a result.
    let found = cached(
        ui,
        "rounded-batch",
        key_of(&(cx.tab.id, done.stamp)),
        || {
            let mut all = (0..plan.combinations.len()).filter(|i| rounded(plan, *i).is_some());
            let first = all.next();
            (first, all.count() + usize::from(first.is_some()))
        },
    );
    let (first, combinations) = *found;
    // The selection where its batch is rounded, else the first whose batch is.
    let of = |i: usize| Some((rounded(plan, i)?, plan.combinations.get(i)?));
    let shown = cx.tab.selected.and_then(of).or_else(|| first.and_then(of));
    let Some((found, combination)) = shown else {
        return;
    };
    let text = format!(
        "{} does not divide over the {} of {}, so it runs as {} there; rounded in {} of {} combinations",
        parse::exact(found.asked),
        counted(found.ranks),
        format::devices(combination.count, cx.label(&combination.accelerator.label)),
        parse::exact(found.runs),
        format::count(combinations as f64),
        format::count(cx.tab.rows.predicted as f64),
    );
    note(ui, &text, Tokens::of(ui).warn);
    let choices = even(plan, found);
    if choices.is_empty() {
        return;
    }
    let parts = format::devices(combination.count, cx.label(&combination.accelerator.label));
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), 30.0), Sense::hover());
    let mut right = rect.right_center() - vec2(size::MARGIN, 0.0);
    for choice in choices.into_iter().rev() {
        let button = text_button(ui, right, None, &choice.word(), false)
            .on_hover_text(choice.tooltip(&parts));
        right = button.rect.left_center() - vec2(6.0, 0.0);
        if button.clicked() {
            // A step of undo of its own, whatever was typed before.
            cx.edit("", |r| r.batch = Some(choice.request()));
        }
    }
}

/// A batch that divides evenly, of the kind that was asked: a batch each stays one.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Even {
    /// Samples in all, which every count of the plan divides.
    Everywhere(f64),
    /// Samples in all, which divide over the copies of one combination; other counts may still round it.
    Here(f64),
    /// Whole samples of each accelerator.
    Each(f64),
}

impl Even {
    fn word(self) -> String {
        match self {
            Self::Everywhere(batch) | Self::Here(batch) => format!("Use {}", format::count(batch)),
            Self::Each(batch) => format!("Use {} each", format::count(batch)),
        }
    }

    fn tooltip(self, parts: &str) -> String {
        match self {
            Self::Everywhere(batch) => format!(
                "Sets the global batch to {}, which divides evenly over every accelerator count of the plan",
                format::count(batch)
            ),
            Self::Here(batch) => format!(
                "Sets the global batch to {}, which divides evenly over {parts}; other combinations may still round it",
                format::count(batch)
            ),
            Self::Each(batch) => format!(
                "Sets the batch of each accelerator to {}: whole samples divide evenly everywhere",
                format::count(batch)
            ),
        }
    }

    const fn request(self) -> BatchRequest {
        match self {
            Self::Everywhere(batch) | Self::Here(batch) => BatchRequest {
                global: Some(batch),
                per_gpu: None,
            },
            Self::Each(batch) => BatchRequest {
                global: None,
                per_gpu: Some(batch),
            },
        }
    }
}

fn counted(ranks: u32) -> String {
    match ranks {
        1 => "one model copy".to_owned(),
        n => format!("{} model copies", format::count(f64::from(n))),
    }
}

/// What the batch of a combination is rounded to, where it is.
fn rounded(plan: &Plan, i: usize) -> Option<Rounded> {
    let batch = Some(plan.request.batch).filter(|batch| batch.is_stated())?;
    let c = plan.combinations.get(i)?;
    let strategy = &c.run()?.configuration.strategy;
    let (asked, runs) = batch.rounded(c.count, strategy)?;
    Some(Rounded {
        asked,
        runs,
        ranks: strategy.data,
    })
}

/// The nearest batches below and above that divide: over every count of the plan where there is one near.
fn even(plan: &Plan, found: Rounded) -> Vec<Even> {
    let asked = plan.request.request.batch.as_ref();
    if let Some(each) = asked.and_then(|b| b.per_gpu.filter(|_| b.global.is_none())) {
        let (below, above) = (each.floor(), each.ceil());
        let mut whole = vec![below, above];
        whole.dedup();
        whole.retain(|b| *b > 0.0 && *b != each);
        return whole.into_iter().map(Even::Each).collect();
    }
    let ranks = u64::from(found.ranks);
    let mut counts = plan.request.counts.iter().map(|c| u64::from(*c));
    let common = counts
        .try_fold(1u64, |common, count| {
            let next = common / shared(common, count) * count;
            (next <= MOST_COMMON).then_some(next)
        })
        .filter(|step| *step as f64 <= 2.0 * found.asked);
    let step = common.unwrap_or(ranks.max(1)) as f64;
    let below = (found.asked / step).floor() * step;
    let near = [below, below + step].into_iter().filter(|b| *b > 0.0);
    match common {
        Some(_) => near.map(Even::Everywhere).collect(),
        None => near.map(Even::Here).collect(),
    }
}

/// Greatest common divisor.
fn shared(a: u64, b: u64) -> u64 {
    if b == 0 { a.max(1) } else { shared(b, a % b) }
}
