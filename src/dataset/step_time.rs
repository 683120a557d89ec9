//! The time of one optimizer step, from what a row states and never from a guess.
//!
//! In this order:
//! 1. the column `step_time_ms`, where the file has it;
//! 2. samples of a step ÷ throughput, where the unit counts samples, or tokens of a stated length;
//! 3. `iter_time_ms`.
//!
//! Throughput goes before `iter_time_ms` because most sources measure the rate and derive the other from it; where
//! both are measured (timm) the rate is wall-clock while the step time leaves out what the host does between steps.

use super::MeasuredRun;

/// Words for samples in the unit of a rate, as papers and logs write them.
const SAMPLES: [&str; 9] = [
    "samples",
    "sample",
    "images",
    "image",
    "imgs",
    "img",
    "sequences",
    "sequence",
    "seq",
];
/// Words for tokens there; these need a sequence length besides.
const TOKENS: [&str; 3] = ["tokens", "token", "tok"];
/// Words for the second there.
const SECONDS: [&str; 3] = ["s", "sec", "second"];

/// Why a row has no step time.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoStepTime {
    /// Neither a rate nor a time.
    #[error("no time stated (throughput, iter_time_ms and step_time_ms are blank)")]
    NothingStated,
    /// A rate in frames, audio samples or something else that is not samples of the batch.
    #[error(
        "a rate in `{0}` cannot become a step time; allowed are samples/s, images/s, sequences/s, and tokens/s with seq_len"
    )]
    Unit(String),
    /// A rate without a unit.
    #[error(
        "throughput has no unit; allowed are samples/s, images/s, sequences/s, and tokens/s with seq_len"
    )]
    NoUnit,
    /// A rate in tokens and no tokens per sample.
    #[error("throughput is in tokens/s and seq_len is blank")]
    NoSequenceLength,
    /// A figure so large or small that no number is left.
    #[error("the step time that it states is beyond what a number holds; allowed: a time above 0")]
    BeyondNumbers,
    /// A rate, and no batch to apply it to.
    #[error("global_batch and batch_per_gpu are blank, so no step is defined")]
    NoBatch,
}

impl MeasuredRun {
    /// Milliseconds of one optimizer step, or why the row states none.
    pub fn step_time_ms(&self) -> Result<f64, NoStepTime> {
        let time = self.any_step_time_ms()?;
        let lawful = time.is_finite() && time > 0.0;
        lawful.then_some(time).ok_or(NoStepTime::BeyondNumbers)
    }

    fn any_step_time_ms(&self) -> Result<f64, NoStepTime> {
        if let Some(stated) = self.stated_step_time_ms {
            return Ok(stated);
        }
        match (self.time_by_rate(), self.iter_time_ms) {
            (Ok(time), _) => Ok(time),
            (Err(_), Some(stated)) => Ok(stated),
            (Err(why), None) => Err(why),
        }
    }

    fn time_by_rate(&self) -> Result<f64, NoStepTime> {
        let rate = self.throughput.ok_or(NoStepTime::NothingStated)?;
        let unit = self.throughput_unit.as_deref().ok_or(NoStepTime::NoUnit)?;
        let lower = unit.to_lowercase();
        let counted = (lower.split_once('/'))
            .filter(|(_, time)| SECONDS.contains(&time.trim()))
            .map(|(what, _)| what.trim());
        let per_sample = match counted {
            Some(what) if SAMPLES.contains(&what) => 1.0,
            Some(what) if TOKENS.contains(&what) => {
                f64::from(self.seq_len.ok_or(NoStepTime::NoSequenceLength)?)
            }
            _ => return Err(NoStepTime::Unit(unit.to_owned())),
        };
        let samples = self.samples_per_step().ok_or(NoStepTime::NoBatch)?;
        Ok(samples * per_sample / rate * 1e3)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::read_runs;

    const HEADER: &str = "model,gpu,gpus,precision,batch_per_gpu,grad_accum,global_batch,seq_len,tp,pp,\
                          throughput,throughput_unit,iter_time_ms,step_time_ms\n";

    fn time_of(cells: &str) -> Result<f64, NoStepTime> {
        let text = format!("{HEADER}m,g,16,fp32,{cells}\n");
        let report = read_runs(text.as_bytes(), "t.csv").unwrap();
        assert!(report.skipped.is_empty(), "{:?}", report.skipped);
        report.runs[0].step_time_ms()
    }

    #[test]
    fn each_rule_in_its_order() {
        assert_eq!(
            time_of(",,64,,,,128,images/s,700,900"),
            Ok(900.0),
            "stated step time first"
        );
        assert_eq!(
            time_of(",,64,,,,128,images/s,700,"),
            Ok(500.0),
            "rate before iteration time"
        );
        assert_eq!(
            time_of(",,64,10,,,1280,tokens/s,,"),
            Ok(500.0),
            "tokens with a length"
        );
        assert_eq!(
            time_of(",,,,,,4,mel-frames/s,700,"),
            Ok(700.0),
            "iteration time where the rate says nothing"
        );
        assert_eq!(
            time_of("2,3,,,4,2,24,samples/s,,"),
            Ok(500.0),
            "2 × (16/8 replicas) × 3 = 12 samples"
        );
    }

    #[test]
    fn no_guess_is_made() {
        assert_eq!(time_of(",,64,,,,,,,"), Err(NoStepTime::NothingStated));
        assert_eq!(
            time_of(",,64,,,,9,tokens/s,,"),
            Err(NoStepTime::NoSequenceLength)
        );
        assert_eq!(
            time_of(",,64,,,,9,mel-frames/s,,"),
            Err(NoStepTime::Unit("mel-frames/s".to_owned()))
        );
        assert_eq!(time_of(",,,,,,9,images/s,,"), Err(NoStepTime::NoBatch));
        assert_eq!(time_of(",,64,,,,9,,,"), Err(NoStepTime::NoUnit));
        let beyond = time_of("1e308,9,,,,,1e-3,samples/s,,");
        assert_eq!(beyond, Err(NoStepTime::BeyondNumbers));
    }

    #[test]
    fn units_are_read_as_logs_write_them() {
        for unit in ["images/s", "img/s", "Images/sec", "imgs / s", "seq/s"] {
            assert_eq!(time_of(&format!(",,64,,,,128,{unit},,")), Ok(500.0));
        }
        assert_eq!(time_of(",,64,10,,,1280,tok/s,,"), Ok(500.0));
        for unit in ["tokens/s/gpu", "img/h", "img", "frames/s"] {
            let told = time_of(&format!(",,64,10,,,128,{unit},,"));
            assert_eq!(told, Err(NoStepTime::Unit(unit.to_owned())));
        }
    }
}
