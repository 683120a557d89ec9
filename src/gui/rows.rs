//! Which combinations the table shows, in which order; kept until something that decides it changes.

use super::filter::Filter;
use super::measure::Region;
use super::theme::Mark;
use crate::domain::PrecisionMode;
use crate::planner::{Combination, Outcome, Outlook, Plan};
use crate::report::{ColumnFigure, ColumnUnits};
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// A column of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[allow(missing_docs)] // each has its title below
pub enum Column {
    Precision,
    Accelerator,
    Seller,
    Price,
    Count,
    Layout,
    Step,
    TotalTime,
    Cost,
    AgainstSelected,
    Energy,
    Carbon,
    Rate,
    Memory,
    StepBar,
    Interval,
    Confidence,
}

impl Column {
    /// What shares one unit in it, where its figures do.
    pub const fn figure(self) -> Option<ColumnFigure> {
        Some(match self {
            Self::Step => ColumnFigure::Step,
            Self::TotalTime => ColumnFigure::Time,
            Self::Cost => ColumnFigure::Cost,
            Self::Energy => ColumnFigure::Energy,
            Self::Carbon => ColumnFigure::Carbon,
            _ => return None,
        })
    }

    /// Every column, in the order of the table.
    pub const ALL: [Self; 17] = [
        Self::Precision,
        Self::Accelerator,
        Self::Seller,
        Self::Price,
        Self::Count,
        Self::Layout,
        Self::Step,
        Self::TotalTime,
        Self::Cost,
        Self::AgainstSelected,
        Self::Energy,
        Self::Carbon,
        Self::Rate,
        Self::Memory,
        Self::StepBar,
        Self::Interval,
        Self::Confidence,
    ];

    /// Title in the head.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Precision => "Precision",
            Self::Accelerator => "Accelerator",
            Self::Seller => "Seller",
            Self::Price => "Price each",
            Self::Count => "Count",
            Self::Layout => "Layout",
            Self::Step => "Step",
            Self::TotalTime => "Total time",
            Self::Cost => "Cost",
            Self::AgainstSelected => "Time, vs selected",
            Self::Energy => "Energy",
            Self::Carbon => "CO₂e",
            Self::Rate => "Rate each",
            Self::Memory => "Memory",
            Self::StepBar => "Where the step goes",
            Self::Interval => "Interval",
            Self::Confidence => "Confidence",
        }
    }

    /// Whether its figures stand at the right edge.
    pub const fn is_right(self) -> bool {
        matches!(
            self,
            Self::Count
                | Self::Price
                | Self::Step
                | Self::TotalTime
                | Self::Cost
                | Self::AgainstSelected
                | Self::Energy
                | Self::Carbon
                | Self::Rate
        )
    }
}

/// Refused combinations of one mode and part that share a reason.
#[derive(Debug, Clone, PartialEq)]
pub struct RefusedGroup {
    /// Mode asked.
    pub mode: PrecisionMode,
    /// Index of one of its combinations.
    pub example: usize,
    /// Smallest and largest count.
    pub counts: (u32, u32),
    /// The reason.
    pub reason: String,
}

/// What decides the rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RowSettings {
    /// Column sorted by.
    pub sort: Column,
    /// Largest first.
    pub descending: bool,
    /// Filter text.
    pub filter: String,
    /// Only those inside every limit.
    pub within_only: bool,
    /// Only the Pareto front.
    pub pareto_only: bool,
    /// Only what lies in a box drawn on the trade-off.
    pub region: Option<Region>,
}

impl RowSettings {
    /// Whether anything hides rows.
    pub fn is_filtered(&self) -> bool {
        self.within_only || self.pareto_only || self.region.is_some() || !self.filter.is_empty()
    }

    /// Shows every row again.
    pub fn clear(&mut self) {
        let (sort, descending) = (self.sort, self.descending);
        *self = Self {
            sort,
            descending,
            ..Self::default()
        };
    }
}

impl Default for RowSettings {
    fn default() -> Self {
        Self {
            sort: Column::Cost,
            descending: false,
            filter: String::new(),
            within_only: false,
            pareto_only: false,
            region: None,
        }
    }
}

/// The rows of one plan under one setting.
#[derive(Debug, Clone, Default)]
pub struct Rows {
    /// Predicted combinations shown, in order.
    pub shown: Vec<usize>,
    /// Predicted combinations in all.
    pub predicted: usize,
    /// Whether a combination passes the filter; by index.
    pub passes: Vec<bool>,
    /// Refused combinations, grouped.
    pub refused: Vec<RefusedGroup>,
    /// Modes with at least one prediction, in the order of the request.
    pub modes: Vec<PrecisionMode>,
    /// The mark of each accelerator, by name: of those of the plan, and of those that are listed beside them unticked.
    pub marks: BTreeMap<String, Mark>,
    /// What there is where no run is inside every limit for certain.
    pub outlook: Option<Outlook>,
    /// The units of the columns.
    pub units: ColumnUnits,
    /// Rises with every change of what is shown.
    pub version: u64,
    key: Option<(u64, RowSettings, Vec<String>)>,
}

impl Rows {
    /// Brings the rows up to date; cheap where nothing changed. `shelf` names the parts that are listed, chosen or not.
    pub fn update(&mut self, plan: &Plan, stamp: u64, settings: &RowSettings, shelf: &[String]) {
        let key = (stamp, settings.clone(), shelf.to_vec());
        if self.key.as_ref() == Some(&key) {
            return;
        }
        // Only a filter that is understood becomes one of the settings.
        let filter = Filter::parse(&settings.filter).unwrap_or_default();
        let mut on_front = vec![false; plan.combinations.len()];
        for &i in &plan.pareto {
            if let Some(flag) = on_front.get_mut(i) {
                *flag = true;
            }
        }
        self.predicted = plan
            .combinations
            .iter()
            .filter(|c| c.run().is_some())
            .count();
        let mut rows: Vec<(usize, f64)> = plan
            .combinations
            .iter()
            .enumerate()
            .filter(|(i, c)| {
                c.run().is_some()
                    && filter.accepts(c)
                    && settings.region.is_none_or(|r| r.contains(c))
                    && (!settings.pareto_only || on_front[*i])
                    && (!settings.within_only || c.run().is_some_and(|run| plan.is_within(run)))
            })
            .map(|(i, c)| (i, sort_value(plan, c, settings.sort)))
            .collect();
        if settings.sort == Column::Seller {
            let seller = |i: usize| seller_of(plan.combinations.get(i));
            rows.sort_by(|a, b| {
                let order = seller(a.0).cmp(seller(b.0));
                let order = if settings.descending {
                    order.reverse()
                } else {
                    order
                };
                order.then(a.0.cmp(&b.0))
            });
        } else {
            rows.sort_by(|a, b| order(a.1, b.1, settings.descending).then(a.0.cmp(&b.0)));
        }
        self.shown = rows.into_iter().map(|(i, _)| i).collect();
        self.passes = vec![false; plan.combinations.len()];
        for &i in &self.shown {
            self.passes[i] = true;
        }
        self.marks = marks_of(plan, shelf);
        if self.key.as_ref().is_none_or(|(s, ..)| *s != stamp) {
            self.refused = refused_groups(plan);
            self.modes = modes_of(plan);
            self.outlook = plan.outlook();
            self.units = ColumnUnits::of(plan);
        }
        self.version += 1;
        self.key = Some(key);
    }
}

/// A mark for each part by its place among those listed, so that no part's changes when others are unticked. Where more are
/// listed than there are shapes, those of the plan come first: no two of them share one that need not.
fn marks_of(plan: &Plan, shelf: &[String]) -> BTreeMap<String, Mark> {
    let parts = plan.request.accelerators.iter().map(|a| a.name.as_str());
    let listed = shelf.iter().map(String::as_str);
    let names: Vec<&str> = match shelf.len() > Mark::ALL.len() {
        true => parts.chain(listed).collect(),
        false => listed.chain(parts).collect(),
    };
    Mark::of_each(names.into_iter())
}

/// Key of the seller whose price a combination is computed with; empty where it has none.
pub fn seller_of(c: Option<&Combination>) -> &str {
    let price = c
        .and_then(Combination::run)
        .and_then(|run| run.price.as_ref());
    price.map_or("", |p| p.provider.as_str())
}

/// Missing values go last whichever way the column is sorted.
fn order(a: f64, b: f64, descending: bool) -> Ordering {
    match (a.is_nan(), b.is_nan()) {
        (true, true) => Ordering::Equal,
        (true, false) => Ordering::Greater,
        (false, true) => Ordering::Less,
        _ if descending => b.total_cmp(&a),
        _ => a.total_cmp(&b),
    }
}

fn sort_value(plan: &Plan, c: &Combination, column: Column) -> f64 {
    let Some(run) = c.run() else { return f64::NAN };
    match column {
        Column::Precision => c.mode as usize as f64,
        Column::Accelerator => plan
            .request
            .accelerators
            .iter()
            .position(|a| a.name == c.accelerator.name)
            .map_or(f64::NAN, |p| p as f64),
        // By name, not by a figure.
        Column::Seller => f64::NAN,
        Column::Price => run.price.as_ref().map_or(f64::NAN, |p| p.usd_per_hour),
        Column::Count => f64::from(c.count),
        Column::Layout => f64::from(run.configuration.strategy.data),
        Column::Step => run.prediction.step_time.value,
        Column::TotalTime | Column::AgainstSelected => run.total_time_h.value,
        Column::Cost => run.cost_usd.map_or(f64::NAN, |e| e.value),
        Column::Energy => run.energy_kwh.map_or(f64::NAN, |e| e.value),
        Column::Carbon => run.co2e_kg.unwrap_or(f64::NAN),
        Column::Rate => run.units_per_s / f64::from(c.count),
        Column::Memory => run.prediction.memory.total().value(),
        Column::StepBar => run.prediction.breakdown.matmul / run.prediction.breakdown.total(),
        Column::Interval | Column::Confidence => run.prediction.step_time.half_width(),
    }
}

fn modes_of(plan: &Plan) -> Vec<PrecisionMode> {
    let mut runs = [false; PrecisionMode::ALL.len()];
    for c in plan.combinations.iter().filter(|c| c.run().is_some()) {
        runs[c.mode as usize] = true;
    }
    let modes = plan.request.modes.iter().copied();
    modes.filter(|m| runs[*m as usize]).collect()
}

fn refused_groups(plan: &Plan) -> Vec<RefusedGroup> {
    let mut groups: Vec<RefusedGroup> = Vec::new();
    let mut known: BTreeMap<(PrecisionMode, &str, &str), usize> = BTreeMap::new();
    for (i, c) in plan.combinations.iter().enumerate() {
        let Outcome::Refused(reason) = &c.outcome else {
            continue;
        };
        let place = *known
            .entry((c.mode, c.accelerator.name.as_str(), reason.as_str()))
            .or_insert(groups.len());
        if let Some(group) = groups.get_mut(place) {
            group.counts.0 = group.counts.0.min(c.count);
            group.counts.1 = group.counts.1.max(c.count);
        } else {
            groups.push(RefusedGroup {
                mode: c.mode,
                example: i,
                counts: (c.count, c.count),
                reason: reason.clone(),
            });
        }
    }
    groups
}
