//! A plan that is not whole yet: what it still lacks, in the order it is asked for. Nothing is planned and nothing is
//! called wrong before that is there.

use crate::domain::PrecisionMode;
use crate::planner::{PlanRequest, REQUEST_SCHEMA, TrainRequest};

/// What no default can stand for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// What is trained.
    Model,
    /// On what.
    Accelerators,
    /// For how long.
    Amount,
}

impl Need {
    /// In the order they are asked for.
    pub const ALL: [Self; 3] = [Self::Model, Self::Accelerators, Self::Amount];

    /// Whether a request has it.
    pub fn is_met(self, request: &PlanRequest) -> bool {
        match self {
            Self::Model => !request.model.trim().is_empty(),
            Self::Accelerators => !request.accelerators.is_empty(),
            Self::Amount => request.train != TrainRequest::default(),
        }
    }

    /// What is to be done about it.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Model => "choose a model",
            Self::Accelerators => "choose accelerators",
            Self::Amount => "say how long to train",
        }
    }
}

/// What a request lacks first.
pub fn lacks(request: &PlanRequest) -> Option<Need> {
    Need::ALL.into_iter().find(|need| !need.is_met(request))
}

/// A request with nothing but defaults: a node of eight in the mode most runs use.
pub fn request() -> PlanRequest {
    PlanRequest {
        schema: REQUEST_SCHEMA,
        counts: vec![8],
        precisions: vec![PrecisionMode::AmpBf16.key().to_owned()],
        ..PlanRequest::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::planner::Quantity;

    #[test]
    fn what_is_lacking_is_asked_for_in_order_and_survives_a_session() {
        let mut blank = request();
        assert_eq!(lacks(&blank), Some(Need::Model));
        blank.train.epochs = Some(Quantity::Number(3.0));
        blank.model = "resnet50".into();
        assert_eq!(lacks(&blank), Some(Need::Accelerators));
        blank.accelerators.push("H100-SXM5-80GB".into());
        assert_eq!(lacks(&blank), None);
        let text = request().to_toml().unwrap();
        assert_eq!(PlanRequest::from_toml(&text, "autosave"), Ok(request()));
    }
}
