//! Where the keyboard goes by name, another model, and computing again after a stop.

use super::MantissaApp;
use crate::gui::places::{self, Place};
use crate::gui::state::{Field, Notice, Status, Tab, View};
use crate::gui::{filter, workload};
use crate::planner::{OwnedRequest, PlanRequest};

/// Filters that are remembered while another is typed.
const MOST_FILTERS: usize = 64;

/// A text without its spaces.
fn dense(text: &str) -> String {
    text.split_whitespace().collect()
}

impl MantissaApp {
    /// Puts the keyboard into a field. A comparison may have taken the place of the panel the field stands in, and the
    /// panel may be hidden: it is shown first.
    pub(super) fn go_to(&mut self, ctx: &egui::Context, place: Place) {
        if place.is_in_table() {
            self.show_table();
        } else {
            self.state.settings.request_hidden = false;
            self.state.inspector_first = false;
            if self.state.is_comparing() {
                self.state.settings.view = View::TradeOff;
            }
        }
        places::send_to(ctx, place);
    }

    /// Leaves a view that takes the place of the table.
    pub(super) fn show_table(&mut self) {
        if !self.state.has_table() {
            self.state.settings.view = View::TradeOff;
        }
    }

    pub(super) fn next_region(&mut self, ctx: &egui::Context, back: bool) {
        if let Some(place) = places::next_region(ctx, back) {
            places::send_to(ctx, place);
        }
    }

    /// Plans another model, for a length of training that its kind can have: one step of undo brings back both. What was
    /// typed into fields that the other model does not have goes.
    pub(super) fn set_model(&mut self, name: &str) {
        let Some(tab) = self.state.tab_mut() else {
            return;
        };
        let Some(request) = tab.request.clone() else {
            return;
        };
        for field in [
            Field::TrainFor,
            Field::Samples,
            Field::GlobalBatch,
            Field::Sequence,
            Field::Decoder,
            Field::ImageSize,
        ] {
            tab.drafts.remove(&field);
        }
        tab.history.seal();
        let (changed, told) = workload::with_model(&*self.backend, &request, name);
        // What was stated for the model before must not change without a word.
        let had = [
            ("batch", request.batch.is_some() && changed.batch.is_none()),
            (
                "sequence",
                request.seq_len.is_some() && changed.seq_len.is_none(),
            ),
            (
                "decoder",
                request.decoder_tokens.is_some() && changed.decoder_tokens.is_none(),
            ),
            (
                "image side",
                request.image_size.is_some() && changed.image_size.is_none(),
            ),
        ];
        let had: Vec<&str> = (had.into_iter()).filter(|h| h.1).map(|h| h.0).collect();
        let dropped = (!had.is_empty()).then(|| {
            format!(
                "Of this model's own now: {}. Undo brings yours back",
                had.join(", ")
            )
        });
        let told = match (told, dropped) {
            (Some(told), Some(dropped)) => {
                Some(format!("{}. {dropped}", told.trim_end_matches('.')))
            }
            (told, dropped) => told.or(dropped),
        };
        self.edit(changed, "");
        if let Some(text) = told {
            self.state.notice = Some(Notice::of_request(text, &self.state));
        }
    }

    /// Plans the request as it stands.
    pub(super) fn compute_again(&mut self) {
        let computing = self.state.tab().map(|t| &t.status);
        if !matches!(computing, Some(Status::Computing(..))) {
            self.start_plan();
        }
    }
}

impl Field {
    /// Whether a request has this field: what is wrong in one that went away is wrong no more.
    pub(super) fn has_place(self, request: &PlanRequest, shelf: &[String]) -> bool {
        let tier = request.prices.as_ref().and_then(|p| p.tier.as_deref());
        let part = self.part().and_then(|i| shelf.get(i));
        let is_planned = part.is_none_or(|name| request.accelerators.contains(name));
        match self {
            Self::Samples => request.train.epochs.is_some(),
            Self::Discount => tier == Some("reserved"),
            Self::OwnedYears
            | Self::OwnedUse
            | Self::OwnedUpkeep
            | Self::Electricity
            | Self::BuildingOverhead => tier == Some("owned"),
            Self::Purchase(_) => tier == Some("owned") && is_planned,
            _ => is_planned,
        }
    }
}

impl Field {
    /// Whether an edit gave it another value than it had: a text that was refused before is no longer what it says.
    pub(super) fn is_set_anew(
        self,
        before: Option<&PlanRequest>,
        after: &PlanRequest,
        shelf: &[String],
    ) -> bool {
        before.is_some_and(|before| self.value(before, shelf) != self.value(after, shelf))
    }

    /// What a request has in it, as a text to be compared.
    fn value(self, request: &PlanRequest, shelf: &[String]) -> String {
        let limits = request.limits.clone().unwrap_or_default();
        let prices = request.prices.clone().unwrap_or_default();
        let what_if = request.what_if.clone().unwrap_or_default();
        let owned = prices.owned.clone().unwrap_or_default();
        let part = self.part().and_then(|i| shelf.get(i));
        let name = part.map_or("", String::as_str);
        match self {
            Self::TrainFor => format!("{:?}", request.train),
            Self::Samples => format!("{:?}", request.train.samples),
            Self::GlobalBatch => format!("{:?}", request.batch),
            Self::Sequence => format!("{:?}", request.seq_len),
            Self::Decoder => format!("{:?}", request.decoder_tokens),
            Self::ImageSize => format!("{:?}", request.image_size),
            Self::Region => format!("{:?}", request.region),
            Self::Budget => format!("{:?}", limits.budget_usd),
            Self::Deadline => format!("{:?} {:?}", limits.deadline_h, limits.deadline_day),
            Self::EnergyLimit => format!("{:?}", limits.energy_kwh),
            Self::CarbonLimit => format!("{:?}", limits.co2e_kg),
            Self::FreeMemory => format!("{:?}", limits.memory_headroom_percent),
            Self::Available(_) => format!("{:?}", limits.available.get(name)),
            Self::Discount => format!("{:?}", prices.reserved_discount_percent),
            Self::WhatIfPrices => format!("{:?}", what_if.price),
            Self::WhatIfNetwork => format!("{:?}", what_if.network),
            Self::WhatIfFailures => format!("{:?}", what_if.failures),
            Self::OwnPrice(_) => format!("{:?}", prices.own_usd_per_hour.get(name)),
            Self::OwnedYears
            | Self::OwnedUse
            | Self::OwnedUpkeep
            | Self::Electricity
            | Self::BuildingOverhead
            | Self::Purchase(_) => self.owned_value(&owned, name),
        }
    }

    fn owned_value(self, owned: &OwnedRequest, name: &str) -> String {
        match self {
            Self::OwnedYears => format!("{:?}", owned.years),
            Self::OwnedUse => format!("{:?}", owned.use_percent),
            Self::OwnedUpkeep => format!("{:?}", owned.upkeep_percent),
            Self::Electricity => format!("{:?}", owned.usd_per_kwh),
            Self::BuildingOverhead => format!("{:?}", owned.pue),
            _ => format!("{:?}", owned.usd_per_accelerator.get(name)),
        }
    }
}

impl Tab {
    /// Filters the table; a text that is not understood stays in the field with what is wrong, and the last filter that
    /// was meant stays in effect. What was typed on the way to the wrong part, such as the `pri` of `price >> 3`, was not.
    pub fn set_filter(&mut self, text: String) {
        match filter::Filter::parse(&text) {
            Ok(_) => {
                self.filters.push(text.clone());
                if self.filters.len() > MOST_FILTERS {
                    self.filters.remove(0);
                }
                self.row_settings.filter = text;
                self.filter_draft = None;
            }
            Err(problem) => {
                let typed = dense(&text);
                let was_on_the_way = |filter: &String| {
                    let filter = dense(filter);
                    filter.chars().count() > problem.sound && typed.starts_with(&filter)
                };
                while self.filters.last().is_some_and(was_on_the_way) {
                    self.filters.pop();
                }
                self.row_settings.filter = self.filters.last().cloned().unwrap_or_default();
                self.filter_draft = Some((text, problem.text));
            }
        }
    }
}
