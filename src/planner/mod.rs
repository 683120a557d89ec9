//! From a request to a ranked plan: pure, seeded by nothing, sorted by rule.

mod plan;
mod request;

pub use plan::{
    Answers, CheckedRequest, Combination, Outcome, Plan, PredictedRun, PriceUsed, RequestError,
};
pub use request::{
    BatchRequest, FixedStrategy, LimitsRequest, PlanRequest, PriceRequest, Quantity,
    StrategyRequest, TrainRequest,
};
