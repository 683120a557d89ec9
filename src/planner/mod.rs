//! From a request to a ranked plan: pure, seeded by nothing, sorted by rule.

mod again;
mod alternative;
mod answers;
mod best;
mod calibrate;
mod check;
mod check_choices;
mod check_errors;
mod choices;
mod cost;
mod degrees;
mod facts;
mod figure_words;
mod headline;
mod judge;
mod layout;
mod money;
mod outlook;
mod plan;
mod possible;
mod power_fit;
mod price;
mod quantity;
mod rank;
mod read;
mod regions;
mod reliability;
mod request;
mod request_forms;
mod run;
mod schedule;
mod search;
mod sellers;
mod timing;
mod tipping;

pub use answers::Answer;
pub use best::{Sensitivity, sensitivity};
pub use calibrate::{CalibrationError, CalibrationProfile};
pub use check::check;
pub use choices::{Extras, Limits, Minimise, Owned, Phase, ScheduleRule, WhatIf};
pub use figure_words::{PUE, plain_reason};
pub use headline::Headline;
pub use judge::{
    JudgedRun, LayoutSweep, MemoryJudgement, RegretSummary, held_out_sweeps, judge_memory,
    layout_sweeps, regret,
};
pub use outlook::{
    Breach, Enough, EnoughChange, LimitKind, Outlook, Standing, joined, unknown_words,
};
pub use plan::{
    Answers, BatchChoice, CheckedRequest, Combination, Dropped, Grid, LayoutChoice, Missing,
    Outcome, Plan, PredictedRun, RequestError,
};
pub use power_fit::{PowerCurve, PowerErrors, PowerReport, power_report};
pub use price::{PriceChoice, PriceDates, PriceUsed};
pub use read::{REQUEST_SCHEMA, RequestFileError};
pub use regions::{GridEmissions, RegionsCompared, compare_regions};
pub use reliability::{Interruptions, Reliability};
pub use request::{
    BatchRequest, BlendRequest, ExtrasRequest, FineTuneRequest, FixedStrategy, LimitsRequest,
    MinimiseRequest, OwnedRequest, PhaseRequest, PlanRequest, PriceRequest, Quantity,
    ReliabilityRequest, ScheduleRuleRequest, StrategyRequest, TrainRequest, WhatIfRequest,
};
pub use run::{Cancelled, Progress, plan, plan_calibrated, predict_one};
pub use schedule::{AgainstOneMode, PhaseTotals, Schedule, ScheduleKind, ScheduleTotals};
