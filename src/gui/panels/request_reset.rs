//! Reset of one section of the request to what it was when the plan was opened.

use super::scene::Scene;
use crate::gui::state::Field;
use crate::gui::theme::{Icon, Role};
use crate::gui::widgets::{icon_button, section_head, width_of};
use crate::planner::PlanRequest;
use egui::{Rect, Ui, pos2, vec2};

/// A section of the request panel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)] // named by their titles
pub enum Section {
    Workload,
    Accelerators,
    Counts,
    Precision,
    Limits,
    WhatIf,
    Schedule,
    Software,
}

impl Section {
    const fn title(self) -> &'static str {
        match self {
            Self::Workload => "Workload",
            Self::Accelerators => "Accelerators",
            Self::Counts => "Accelerators per run",
            Self::Precision => "Precision",
            Self::Limits => "Limits",
            Self::WhatIf => "What if",
            Self::Schedule => "Precision schedule",
            Self::Software => "Software and site",
        }
    }

    /// The section a text field stands in.
    const fn of(field: Field) -> Self {
        match field {
            Field::TrainFor
            | Field::Samples
            | Field::GlobalBatch
            | Field::Sequence
            | Field::Decoder
            | Field::ImageSize => Self::Workload,
            Field::Budget
            | Field::Deadline
            | Field::EnergyLimit
            | Field::CarbonLimit
            | Field::FreeMemory
            | Field::Available(_) => Self::Limits,
            Field::WhatIfPrices | Field::WhatIfNetwork | Field::WhatIfFailures => Self::WhatIf,
            Field::Region
            | Field::Discount
            | Field::OwnPrice(_)
            | Field::OwnedYears
            | Field::OwnedUse
            | Field::OwnedUpkeep
            | Field::Electricity
            | Field::BuildingOverhead
            | Field::Purchase(_) => Self::Software,
        }
    }

    /// Copies the fields of the section.
    fn copy(self, from: &PlanRequest, to: &mut PlanRequest) {
        match self {
            Self::Workload => {
                to.train.clone_from(&from.train);
                to.batch.clone_from(&from.batch);
                to.strategy.clone_from(&from.strategy);
                to.fine_tune.clone_from(&from.fine_tune);
                to.seq_len = from.seq_len;
                to.decoder_tokens = from.decoder_tokens;
                to.image_size = from.image_size;
            }
            Self::Accelerators => to.accelerators.clone_from(&from.accelerators),
            Self::Counts => to.counts.clone_from(&from.counts),
            Self::Precision => to.precisions.clone_from(&from.precisions),
            Self::Limits => {
                to.limits.clone_from(&from.limits);
                to.minimise.clone_from(&from.minimise);
            }
            Self::WhatIf => to.what_if.clone_from(&from.what_if),
            Self::Schedule => {
                to.schedule.clone_from(&from.schedule);
                to.schedule_rule.clone_from(&from.schedule_rule);
            }
            Self::Software => {
                to.prices.clone_from(&from.prices);
                to.optimizer.clone_from(&from.optimizer);
                to.tuning.clone_from(&from.tuning);
                to.region.clone_from(&from.region);
            }
        }
    }
}

/// The head of a section; one that was changed has a button to take the changes back.
pub fn head_ui(ui: &mut Ui, cx: &mut Scene<'_>, section: Section, remark: &str) -> Rect {
    let title = section.title();
    let head = section_head(ui, title, remark);
    let (Some(opened), Some(now)) = (&cx.tab.opened, &cx.tab.request) else {
        return head;
    };
    let mut back = (**now).clone();
    section.copy(opened, &mut back);
    let has_draft = |field: &Field| Section::of(*field) == section;
    if back == **now && !cx.tab.drafts.keys().any(has_draft) {
        return head;
    }
    let x = head.left() + width_of(ui.painter(), title, Role::Section) + 16.0;
    let place = Rect::from_center_size(pos2(x, head.center().y), vec2(20.0, 20.0));
    let label = format!("Reset {}", title.to_lowercase());
    if icon_button(ui, place, Icon::Reset, &label, true)
        .on_hover_text("Back to how the plan was opened")
        .clicked()
    {
        cx.send(crate::gui::command::Action::ResetTo(Box::new(back)));
    }
    head
}
