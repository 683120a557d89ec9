//! What every panel is given: the state, the catalogue, and where actions go.

use crate::domain::PrecisionMode;
use crate::format;
use crate::gui::backend::Backend;
use crate::gui::command::{Action, UiCommand};
use crate::gui::state::{State, Tab};
use crate::gui::theme::{Fill, Mark, PaintMark, Tokens};
use crate::planner::{Combination, Plan, PlanRequest, PredictedRun};
use crate::predictor::Explanation;
use egui::{Id, Painter, Pos2, Ui};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

/// Read access to everything and a list of actions to fill.
pub struct Scene<'a> {
    pub state: &'a State,
    pub tab: &'a Tab,
    pub backend: &'a dyn Backend,
    pub out: &'a mut Vec<Action>,
    /// Window of at least [`crate::gui::theme::size::WIDE`].
    pub wide: bool,
    /// The combination to mark as the one under the pointer: found in the last frame, whichever view it was in.
    pub hovered: Option<usize>,
    /// The one this frame finds there.
    pub hovers: Option<usize>,
}

impl<'a> Scene<'a> {
    /// Sends an action.
    pub fn send(&mut self, action: Action) {
        self.out.push(action);
    }

    /// Runs a command.
    pub fn run(&mut self, command: UiCommand) {
        self.out.push(Action::Ui(command));
    }

    /// Changes a copy of the request and sends it; the key folds keystrokes of one field into one undo step.
    pub fn edit(&mut self, key: &'static str, change: impl FnOnce(&mut PlanRequest)) {
        if let Some(request) = &self.tab.request {
            let mut copy = (**request).clone();
            change(&mut copy);
            self.out.push(Action::Edit(Box::new(copy), key));
        }
    }

    /// A click on a combination: selects it, or with Ctrl pins it and lets it go.
    pub fn pick(&mut self, ctx: &egui::Context, index: usize) {
        let pins = ctx.input(|i| i.modifiers.command);
        self.out.push(if pins {
            Action::TogglePin(index)
        } else {
            Action::Select(index)
        });
    }

    /// Whether a combination is marked as the one under the pointer, after telling whether it is so here.
    pub fn hover(&mut self, index: usize, is_here: bool) -> bool {
        if is_here {
            self.hovers = Some(index);
        }
        is_here || self.hovered == Some(index)
    }

    /// The last plan.
    pub fn plan(&self) -> Option<&'a Plan> {
        self.tab.plan().map(|p| &**p)
    }

    /// The selected combination with its run.
    pub fn selection(&self) -> Option<(usize, &'a Combination, &'a PredictedRun)> {
        let index = self.tab.selected?;
        let c = self.plan()?.combinations.get(index)?;
        Some((index, c, c.run()?))
    }

    /// The explanation of the selection: there, failed with a sentence, or `None` while it is computed.
    pub fn explanation(&self) -> Option<Result<&'a Explanation, &'a str>> {
        let (index, _, _) = self.selection()?;
        match &self.tab.explanation {
            Some((_, i, Ok(explanation))) if *i == index => Some(Ok(&**explanation)),
            Some((_, i, Err(text))) if *i == index && !text.is_empty() => Some(Err(text)),
            _ => None,
        }
    }

    /// The label of an accelerator, without its memory where no other part of the plan differs in that alone.
    pub fn label<'l>(&self, label: &'l str) -> &'l str {
        let labels = self
            .plan()
            .map(|plan| plan.request.accelerators.iter().map(|a| a.label.as_str()));
        labels.map_or(label, |labels| plain_among(labels, label))
    }

    /// The same of an accelerator by its key; one that the catalogue does not know keeps that.
    pub fn part_label(&self, key: &str) -> String {
        let part = self.backend.accelerator(key);
        part.map_or_else(|| key.to_owned(), |part| self.label(&part.label).to_owned())
    }

    /// The mark of an accelerator of the plan.
    pub fn mark(&self, name: &str) -> Mark {
        let known = self.tab.rows.marks.get(name).copied();
        known.or_else(|| Mark::of(name)).unwrap_or(Mark::Circle)
    }

    /// Whether the legend shows a combination.
    pub fn is_visible(&self, c: &Combination) -> bool {
        !self.tab.hidden_modes.contains(&c.mode)
            && !self.tab.hidden_accelerators.contains(&c.accelerator.name)
    }

    /// Tells what is visible apart: the tab, its result, its rows and what the legend hides.
    pub fn visible_key(&self) -> u64 {
        let tab = self.tab;
        let stamp = tab.done.as_ref().map_or(0, |d| d.stamp);
        key_of(&(
            tab.id,
            stamp,
            tab.rows.version,
            &tab.hidden_modes,
            &tab.hidden_accelerators,
        ))
    }

    /// Draws the mark of a combination.
    pub fn paint_mark(
        &self,
        painter: &Painter,
        at: Pos2,
        radius: f32,
        c: &Combination,
        t: &Tokens,
    ) {
        self.mark(&c.accelerator.name)
            .paint(painter, at, radius, Fill::of(c.mode), t.mode(c.mode));
    }
}

/// A number that stands for a value within one run of the program.
pub fn key_of(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// What `make` yields, kept from frame to frame until `key` changes: figures of 100 000 combinations are not gathered
/// anew sixty times a second.
pub fn cached<T: Send + Sync + 'static>(
    ui: &Ui,
    name: &str,
    key: u64,
    make: impl FnOnce() -> T,
) -> Arc<T> {
    let id = Id::unique(("cached", name));
    let known = ui.data(|d| d.get_temp::<(u64, Arc<T>)>(id));
    if let Some((_, value)) = known.filter(|(k, _)| *k == key) {
        return value;
    }
    let value = Arc::new(make());
    ui.data_mut(|d| d.insert_temp(id, (key, Arc::clone(&value))));
    value
}

/// A mode by its key, as tables call it; one that there is none of keeps its key.
pub fn mode_label(key: &str) -> &str {
    let mode: Result<PrecisionMode, _> = key.parse();
    mode.map_or(key, |mode| mode.label())
}

/// First word of an accelerator's label where that tells it from the plan's others and is a name by itself (`H100 SXM 80 GB` →
/// `H100`, but no `RTX`), else the label as [`Scene::label`] has it.
pub fn short_label<'p>(plan: &Plan, label: &'p str) -> &'p str {
    let labels = plan.request.accelerators.iter();
    short_among(labels.map(|a| a.label.as_str()), label)
}

fn short_among<'l, 'o>(others: impl Iterator<Item = &'o str> + Clone, label: &'l str) -> &'l str {
    fn first(label: &str) -> &str {
        label.split([' ', ',']).next().unwrap_or(label)
    }
    let wanted = first(label);
    let is_name = wanted.contains(|c: char| c.is_ascii_digit());
    let mut others_first = others.clone().filter(|other| *other != label).map(first);
    if is_name && !others_first.any(|other| other == wanted) {
        wanted
    } else {
        plain_among(others, label)
    }
}

/// A label without its memory (`H100 SXM 80 GB` → `H100 SXM`) where no other part differs in that alone.
fn plain_among<'l, 'o>(mut others: impl Iterator<Item = &'o str>, label: &'l str) -> &'l str {
    fn cut(label: &str) -> &str {
        label
            .strip_suffix(" GB")
            .and_then(|rest| rest.rsplit_once(' '))
            .map_or(label, |(name, _)| name)
    }
    let wanted = cut(label);
    if others.any(|other| other != label && cut(other) == wanted) {
        label
    } else {
        wanted
    }
}

/// `FP8 on 16 × H100 SXM`.
pub fn title_of(cx: &Scene<'_>, c: &Combination) -> String {
    format!(
        "{} on {}{}",
        c.mode.label(),
        format::devices(c.count, cx.label(&c.accelerator.label)),
        seller_text(c)
    )
}

/// Whose offer a combination is, after its name; nothing where sellers do not stand side by side.
pub fn seller_text(c: &Combination) -> String {
    c.seller_label()
        .map_or_else(String::new, |name| format!(", {name}"))
}

/// `1 d 6 h, $1 450, ±11 %`.
pub fn figures_of(run: &PredictedRun) -> String {
    format!(
        "{}, {}, {}",
        format::hours(run.total_time_h.value),
        run.cost_text(),
        run.interval_text()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_called_by_what_tells_it_from_the_others() {
        let parts = [
            "H100 SXM 80 GB",
            "RTX 6000 Ada 48 GB",
            "RTX 4090 24 GB",
            "A100 SXM 40 GB",
            "A100 SXM 80 GB",
            "A100 PCIe 80 GB",
        ];
        let short = |label| short_among(parts.into_iter(), label);
        let plain = |label| plain_among(parts.into_iter(), label);
        assert_eq!(short("H100 SXM 80 GB"), "H100");
        assert_eq!(plain("H100 SXM 80 GB"), "H100 SXM");
        // Another part of the same first word does not bring the memory back.
        assert_eq!(short("RTX 6000 Ada 48 GB"), "RTX 6000 Ada");
        assert_eq!(short("A100 PCIe 80 GB"), "A100 PCIe");
        // Two that differ in it alone do.
        assert_eq!(short("A100 SXM 40 GB"), "A100 SXM 40 GB");
        assert_eq!(plain("A100 SXM 80 GB"), "A100 SXM 80 GB");
        // A word that names a family is no name, alone neither.
        let alone = ["RTX 6000 Ada 48 GB"];
        assert_eq!(short_among(alone.into_iter(), alone[0]), "RTX 6000 Ada");
        // What stands unticked beside one that differs in memory alone has its own.
        assert_eq!(
            plain_among(["A100 SXM 80 GB"].into_iter(), "A100 SXM 40 GB"),
            "A100 SXM 40 GB"
        );
    }
}
