//! Every request that ships checks and plans.

// A test may stop at the first surprise.
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

use mantissa::planner::{Outcome, PlanRequest, Progress, check, plan};
use mantissa::predictor::Predictor;
use mantissa::presets::Catalogue;

#[test]
fn every_shipped_request_checks_and_plans() {
    let catalogue = Catalogue::shipped().expect("the catalogue loads");
    let predictor = Predictor::shipped().expect("the predictor loads");
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/presets/plans");
    let mut seen = 0;
    for entry in std::fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("an entry").path();
        let name = path.display().to_string();
        let text = std::fs::read_to_string(&path).expect("a file");
        let request = PlanRequest::from_toml(&text, &name).expect("it reads");
        assert_eq!(
            PlanRequest::from_toml(&request.to_toml().expect("it writes"), &name)
                .expect("it reads"),
            request
        );
        let checked =
            check(&request, &catalogue).unwrap_or_else(|errors| panic!("{name}: {errors:?}"));
        let plan =
            plan(&checked, &catalogue, &predictor, &Progress::default()).expect("nobody stops it");
        let asked = checked.accelerators.len() * checked.counts.len() * checked.modes.len();
        assert_eq!(plan.combinations.len(), asked, "{name}");
        assert!(plan.recommended().is_some(), "{name}: something runs");
        for combination in &plan.combinations {
            match &combination.outcome {
                Outcome::Predicted(run) => {
                    let step = run.prediction.step_time;
                    assert!(
                        step.low <= step.value && step.value <= step.high && step.low > 0.0,
                        "{name}"
                    );
                    assert!(run.prediction.memory.may_fit(), "{name}");
                    assert_eq!(
                        run.configuration.strategy.devices(),
                        combination.count,
                        "{name}"
                    );
                    assert_eq!(run.cost_usd.is_none(), run.missing.cost.is_some(), "{name}");
                    assert_eq!(
                        run.energy_kwh.is_none(),
                        run.missing.energy.is_some(),
                        "{name}"
                    );
                    assert_eq!(run.co2e_kg.is_none(), run.missing.co2e.is_some(), "{name}");
                }
                Outcome::Refused(reason) => assert!(reason.ends_with('.'), "{name}: {reason}"),
            }
        }
        assert!(plan.pareto.windows(2).all(|pair| {
            let time = |at: usize| {
                plan.combinations[at]
                    .run()
                    .map(|run| run.total_time_h.value)
            };
            time(pair[0]) <= time(pair[1])
        }));
        seen += 1;
    }
    assert!(seen >= 8);
}

#[test]
fn a_stopped_plan_is_no_plan() {
    let catalogue = Catalogue::shipped().expect("the catalogue loads");
    let predictor = Predictor::shipped().expect("the predictor loads");
    let text = include_str!("../presets/plans/llama-3-8b.toml");
    let request = PlanRequest::from_toml(text, "plan").expect("it reads");
    let checked = check(&request, &catalogue).expect("it checks");
    let progress = Progress::default();
    progress.cancel();
    assert!(plan(&checked, &catalogue, &predictor, &progress).is_err());
}
