//! From a request to a ranked plan: pure, seeded by nothing, sorted by rule.

mod check;
mod cost;
mod facts;
mod judge;
mod layout;
mod plan;
mod quantity;
mod rank;
mod read;
mod reading;
mod request;
mod run;
mod search;

pub use check::check;
pub use judge::{
    JudgedRun, LayoutSweep, MemoryJudgement, RegretSummary, judge_memory, layout_sweeps, regret,
};
pub use plan::{
    Answers, BatchChoice, CheckedRequest, Combination, Dropped, Grid, LayoutChoice, Missing,
    Outcome, Plan, PredictedRun, PriceChoice, PriceUsed, RequestError,
};
pub use read::{REQUEST_SCHEMA, RequestFileError};
pub use reading::memory_reading;
pub use request::{
    BatchRequest, FixedStrategy, LimitsRequest, PlanRequest, PriceRequest, Quantity,
    StrategyRequest, TrainRequest,
};
pub use run::{Cancelled, Progress, plan, predict_one};
