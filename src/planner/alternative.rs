//! The mode most people would use instead of a run's, on the same nodes, as a sentence: the window and the printed page say
//! the same.

use super::{Combination, Plan, PredictedRun};
use crate::domain::PrecisionMode;
use crate::format;
use crate::units::Usd;

/// Intervals that differ by less than this share of the time are equally sure.
const SURER: f64 = 0.025;
/// Costs that differ by less than this share are the same.
const SAME: f64 = 0.005;

impl Plan {
    /// What the mode that most people would use instead takes and costs on the same nodes, as a sentence; `None` where
    /// nothing else of the request runs there.
    pub fn alternative_said(&self, combination: &Combination) -> Option<String> {
        let run = combination.run()?;
        let other = self.alternative(combination)?;
        Some(compare(combination, run, other, other.run()?))
    }

    /// A combination with the mode that most people would use instead, on the same nodes; `None` where no other mode of the
    /// request runs there.
    pub fn alternative(&self, c: &Combination) -> Option<&Combination> {
        use PrecisionMode::{AmpBf16, AmpFp16, Bf16, Fp8, Fp16, Fp32, Mxfp8, Tf32};
        [AmpBf16, AmpFp16, Fp8, Bf16, Fp16, Tf32, Mxfp8, Fp32]
            .into_iter()
            .filter(|m| *m != c.mode)
            .find_map(|mode| {
                self.combinations.iter().find(|o| {
                    o.mode == mode
                        && o.count == c.count
                        && o.accelerator.name == c.accelerator.name
                        && o.run().is_some()
                })
            })
    }
}

/// Says the comparison, then the doubt.
fn compare(
    c: &Combination,
    run: &PredictedRun,
    other: &Combination,
    there: &PredictedRun,
) -> String {
    let ratio = there.total_time_h.value / run.total_time_h.value;
    let time = if ratio >= 1.005 {
        format!("takes {} as long", format::ratio(ratio))
    } else if ratio <= 0.995 {
        format!("needs {} of the time", format::percent(ratio))
    } else {
        "takes as long".to_owned()
    };
    let money = match (run.cost_usd, there.cost_usd) {
        (Some(a), Some(b)) if (b.value - a.value).abs() >= SAME * a.value.max(b.value) => {
            let difference = format::money(Usd((b.value - a.value).abs()));
            let word = if b.value > a.value { "more" } else { "less" };
            format!(" and costs {difference} {word}")
        }
        (Some(_), Some(_)) => " at the same cost".to_owned(),
        _ => String::new(),
    };
    let (mine, theirs) = (
        run.prediction.step_time.half_width(),
        there.prediction.step_time.half_width(),
    );
    let sure = if theirs < mine - SURER {
        format!(", but is surer at {}", there.interval_text())
    } else if theirs > mine + SURER {
        format!(", and is less sure at {}", there.interval_text())
    } else {
        String::new()
    };
    let nodes = if c.nodes > 1 {
        "the same nodes"
    } else {
        "the same node"
    };
    format!("{} on {nodes} {time}{money}{sure}.", other.mode.label())
}
