//! What is learned on top of physics: the Gaussian process, and beside it boosted forests and small networks on the same rows.
//!
//! Process and forest err differently. The process passes smoothly between measured runs; trees follow what changes at once (four
//! devices behind one switch, a library that has no kernel for a shape). So the log of measured over physical time is
//! taken as `(1 − m) · process + m · forest` with `m` = [`SHARE`] (of language models [`SHARE_OF_LANGUAGE`]): known
//! configurations, parts and sources that were held out all err less for it, model families no more than before.
//!
//! A second, smaller forest learns what the process misses of each run when it is left out with its twins (stacking, Wolpert,
//! "Stacked generalization", 1992), and [`SHARE_OF_MISSED`] of it is added: where the process errs alike over many runs, it
//! says so.
//!
//! Among measured runs [`SHARE_OF_NET`] of what these come to gives way to networks, which err differently once more and are
//! taught what a mode gains by pairs of runs.

use super::features::FEATURES;
use super::net::Net;
use super::process::{self, Example, FitError, Place, Process, Shape, Value};
use super::trees::{BoostParams, Forest};
use linfa::DatasetBase;
use linfa::traits::Fit;
use ndarray::Array2;
use serde::{Deserialize, Serialize};

/// Share of the forest. Of 0.3 and 0.4, which differ by less than a twentieth of a point of error in any protocol, the one
/// that costs unseen families least.
const SHARE: f64 = 0.3;

/// The same of language models, of which the forest errs less than the process (4.25 and 4.47 % of known ones in 16 bits) and
/// which are seldom measured in two modes: between modes the process is the surer, and of other models a larger share costs
/// speed-ups what it brings. From 0.4 to 0.7 language models err by 4.01 to 4.05, by 4.08 with the 0.3 of all. These figures and
/// those below are of five folds without trust, on trees of this form of another library (LightGBM 4).
const SHARE_OF_LANGUAGE: f64 = 0.5;

/// Share of the forest on what the process misses. With 0.3 to 0.7 of it known configurations err by 4.82 or 4.83 %, by 4.92
/// without, language models of 16 bits by 4.06 to 4.12 and 4.23, speed-ups and the right mode the same.
const SHARE_OF_MISSED: f64 = 0.6;

/// Share of the networks, where all of them counts. From 0.3 to 0.5 of it known configurations err by 4.69 to 4.71 %, by 4.80
/// without, language models of 16 bits by 3.80 to 3.83 and 4.00, speed-ups by 5.6 and 5.8 (without trust; networks of this form
/// by another library, PyTorch 2).
pub(super) const SHARE_OF_NET: f64 = 0.4;

/// Targets beyond a factor of e are clipped for forests and networks: they follow single rows more closely than the process does.
const CLIP: f64 = 1.0;

/// One cut of each feature by lot in place of the best of all, and more and larger trees for it: known configurations erred by
/// 5.3 % of this forest alone, by 5.8 % of 600 trees of 31 leaves with the best cuts, and averaging six of those came to 5.76.
/// Unseen models, parts and sources are as before. Half the features to each tree, or 600 trees that learn twice as fast, are
/// worse by 0.1.
fn params() -> BoostParams {
    BoostParams {
        trees: 1000,
        leaves: 63,
        rate: 0.07,
        min_leaf: 2,
        l2: 0.3,
        column_share: 1.0,
        fair: 0.05,
        bins: 100,
        random_cuts: true,
        monotone: Vec::new(),
        seed: 1,
    }
}

/// What the process misses is small and mostly noise: fewer leaves of more runs, and a third of the trees. With leaves twice as
/// many and of half as many runs known configurations err the same, and the right mode is named less often.
fn params_of_missed() -> BoostParams {
    BoostParams {
        trees: 300,
        leaves: 31,
        min_leaf: 10,
        l2: 2.0,
        ..params()
    }
}

/// What a correction is made of, where each is heard by itself: the voices of the process (slopes of compute; its kernels
/// over everything, over the model, over part and software; overlap), then the forest, then the forest on what the process
/// misses, then the networks.
pub const VOICES: usize = process::VOICES + 3;
/// The voices of the two forests and of the networks.
const FOREST: usize = process::VOICES;
const MISSED: usize = process::VOICES + 1;
pub(super) const NET: usize = process::VOICES + 2;

/// How much of each voice counts, 0 to 1.
pub type Shares = [f64; VOICES];

/// What all voices but the networks come to, in the log of the step.
pub(super) fn spoken(voices: &[f64; VOICES], shares: &Shares) -> f64 {
    let spoken = voices[..NET].iter().zip(shares);
    spoken.map(|(voice, share)| voice * share).sum()
}

/// What all come to: the networks take the place of a share of the others, so that where nothing of them counts the others say
/// what they would without.
pub(super) fn heard(voices: &[f64; VOICES], shares: &Shares) -> f64 {
    let spoken = spoken(voices, shares);
    spoken + SHARE_OF_NET * shares[NET] * (voices[NET] - spoken)
}

/// Every voice counts whole.
pub const WHOLE: Shares = [1.0; VOICES];

/// Every voice but the networks counts whole.
pub(super) const WITHOUT_NET: Shares = {
    let mut shares = WHOLE;
    shares[NET] = 0.0;
    shares
};

/// What process, forests and networks say of a place, before it is weighed.
#[derive(Debug, Clone, Copy)]
pub struct Said {
    process: [f64; process::VOICES],
    forest: f64,
    missed: f64,
    net: f64,
    /// Share of the forest.
    share: f64,
    /// Share of compute in the physical step.
    pub compute_share: f64,
}

impl Said {
    /// What each voice adds to the log of the step; the networks, what they say of it: see [`heard`].
    pub fn voices(&self) -> [f64; VOICES] {
        std::array::from_fn(|voice| match voice {
            NET => self.net,
            FOREST => self.share * self.forest,
            MISSED => SHARE_OF_MISSED * self.missed,
            OVERLAP => (1.0 - self.share) * self.process[OVERLAP],
            _ => (1.0 - self.share) * self.compute_share * self.process[voice],
        })
    }

    /// How far apart the process and the forest are with what each says of the whole, in logs: among known configurations the
    /// fifth in which they differ most erred by 10 %, the fifth in which they agree best by 2.8 %.
    pub fn disagreement(&self) -> f64 {
        let of = Value::of(&self.process, &WHOLE);
        (of.compute * self.compute_share + of.overlap - self.forest).abs()
    }

    /// What they come to. What forests and networks say otherwise than the process goes to compute and to the rest by their
    /// shares of the physical step.
    pub fn value(&self, shares: &Shares) -> Value {
        let of = Value::of(&self.process, shares);
        let whole = of.compute * self.compute_share + of.overlap;
        let forests = self.share * (shares[FOREST] * self.forest - whole)
            + SHARE_OF_MISSED * shares[MISSED] * self.missed;
        let by = forests + SHARE_OF_NET * shares[NET] * (self.net - whole - forests);
        Value {
            compute: of.compute + by,
            overlap: of.overlap + by * (1.0 - self.compute_share),
        }
    }
}

/// The voice of overlap.
const OVERLAP: usize = process::VOICES - 1;

/// Reasons of one part: what each feature adds, and the value of an average run.
pub type Reasons = (Vec<(usize, f64)>, f64);

/// The fitted process, forests and networks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Learned {
    process: Process,
    forest: Forest,
    missed: Forest,
    net: Net,
}

impl Learned {
    /// Fits all on examples, of which `pairs` differ in precision alone. The process does not see features that are `hidden`,
    /// nor do forests and networks; without an `overlap` part these do not see what speaks of several devices either.
    ///
    /// # Errors
    /// [`FitError`].
    pub fn fit(
        examples: &[Example<'_>],
        pairs: &[(usize, usize)],
        shape: &Shape,
        hidden: &[bool],
        overlap: bool,
    ) -> Result<Self, FitError> {
        let (process, unseen) = Process::fit(examples, shape, hidden.to_vec())?;
        let sees = |feature: usize| !hidden[feature] && (overlap || FEATURES[feature].compute);
        let records =
            Array2::from_shape_fn(
                (examples.len(), FEATURES.len()),
                |(row, feature)| match sees(feature) {
                    true => examples[row].place.row[feature],
                    false => 0.0,
                },
            );
        let clipped = |target: f64| target.clamp(-CLIP, CLIP);
        let targets: Vec<f64> = examples.iter().map(|e| clipped(e.target)).collect();
        let missed: Vec<f64> = (examples.iter().zip(&unseen))
            .map(|(e, unseen)| clipped(e.target - unseen))
            .collect();
        let fit = |params: BoostParams, targets: &[f64]| {
            let targets = targets.iter().copied().collect();
            params
                .fit(&DatasetBase::new(records.clone(), targets))
                .map_err(|_| FitError::Empty)
        };
        let rows: Vec<&[f32]> = examples.iter().map(|e| e.place.row).collect();
        let unseen = (0..FEATURES.len()).map(|feature| !sees(feature)).collect();
        Ok(Self {
            process,
            forest: fit(params(), &targets)?,
            missed: fit(params_of_missed(), &missed)?,
            net: Net::fit(&rows, &targets, pairs, unseen),
        })
    }

    /// What is said of each of some places.
    pub fn said(&self, places: &[Place<'_>]) -> Vec<Said> {
        (places.iter().zip(self.said_without_net(places)))
            .map(|(place, said)| self.with_net(place, said))
            .collect()
    }

    /// The same where networks are not asked, and so may not count: see [`WITHOUT_NET`].
    pub(super) fn said_without_net(&self, places: &[Place<'_>]) -> Vec<Said> {
        (places.iter().zip(self.process.voices(places)))
            .map(|(place, voices)| self.with_forests(place, voices))
            .collect()
    }

    /// The same of one, and the posterior deviation of the process there, in logs.
    pub fn doubted(&self, place: &Place<'_>) -> (Said, f64) {
        let (voices, deviation) = self.process.doubted(place);
        let said = self.with_forests(place, voices);
        (self.with_net(place, said), deviation)
    }

    /// Share of the forest.
    fn share(&self, place: &Place<'_>) -> f64 {
        match self.process.is_language(place.row) {
            true => SHARE_OF_LANGUAGE,
            false => SHARE,
        }
    }

    fn with_forests(&self, place: &Place<'_>, process: [f64; process::VOICES]) -> Said {
        Said {
            process,
            forest: self.forest.predict_row(place.row),
            missed: self.missed.predict_row(place.row),
            net: 0.0,
            share: self.share(place),
            compute_share: place.compute_share,
        }
    }

    fn with_net(&self, place: &Place<'_>, said: Said) -> Said {
        Said {
            net: self.net.predict_row(place.row),
            ..said
        }
    }

    /// Reasons of compute and of what shows on several devices alone, where voices count with these shares: with their
    /// averages they add up to [`Said::value`]. Of process and networks by integrated gradients, of the forests by TreeSHAP.
    pub fn contributions(&self, place: &Place<'_>, shares: &Shares) -> [Reasons; 2] {
        let (share, mixed) = (place.compute_share, self.share(place));
        let of = |values: Vec<f64>, average: f64, share: f64| -> Reasons {
            let values = values.into_iter().map(|value| share * value);
            (values.enumerate().collect(), share * average)
        };
        let of_forest = |forest: &Forest, share: f64| {
            of(forest.contributions(place.row), forest.expected(), share)
        };
        let (values, average) = self.net.contributions(place.row);
        let sources = [
            self.process.contributions(place, 0, shares),
            self.process.contributions(place, 1, shares),
            of_forest(&self.forest, shares[FOREST]),
            of_forest(&self.missed, shares[MISSED]),
            of(values, average, 1.0),
        ];
        let rest = 1.0 - share;
        let net = SHARE_OF_NET * shares[NET];
        let (forest, missed) = ((1.0 - net) * mixed, (1.0 - net) * SHARE_OF_MISSED);
        // What the process gives way to the others.
        let given = forest + net;
        let compute = [1.0 - given * share, -given, forest, missed, net];
        let overlap = [
            -rest * given * share,
            1.0 - given * rest,
            forest * rest,
            missed * rest,
            net * rest,
        ];
        [compute, overlap].map(|weights| {
            let mut sums = vec![0.0; FEATURES.len()];
            let mut base = 0.0;
            for (weight, (parts, average)) in weights.iter().zip(&sources) {
                base += weight * average;
                for (feature, value) in parts {
                    sums[*feature] += weight * value;
                }
            }
            (sums.into_iter().enumerate().collect(), base)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::predictor::features::some_rows as rows;

    fn place(row: &[f32], many: bool) -> Place<'_> {
        Place {
            row,
            compute_share: if many { 0.6 } else { 1.0 },
            many,
        }
    }

    fn learned(rows: &[Vec<f32>], target: impl Fn(usize) -> f64) -> Learned {
        let examples: Vec<Example<'_>> = (rows.iter().enumerate())
            .map(|(i, row)| Example {
                place: place(row, i % 2 == 0),
                target: target(i),
                doubts: [0.0; 3],
                group: i as u32,
            })
            .collect();
        let hidden = vec![false; FEATURES.len()];
        Learned::fit(&examples, &[], &Shape::default(), &hidden, true).unwrap()
    }

    #[test]
    fn reasons_add_up_to_the_value() {
        let rows = rows(80);
        let learned = learned(&rows, |i| (i as f64 * 0.7).sin() * 0.4);
        for many in [false, true] {
            let place = place(&rows[5], many);
            for shares in [WHOLE, [0.9, 0.2, 0.5, 0.0, 0.7, 0.4, 0.3, 0.6]] {
                let said = learned.said(&[place])[0];
                let value = said.value(&shares);
                let sums = learned
                    .contributions(&place, &shares)
                    .map(|(parts, base)| base + parts.iter().map(|(_, v)| v).sum::<f64>());
                assert!((sums[0] - value.compute).abs() < 1e-5, "{sums:?} {value:?}");
                assert!((sums[1] - value.overlap).abs() < 1e-5, "{sums:?} {value:?}");
                let voices = said.voices();
                let whole = value.compute * place.compute_share + value.overlap;
                assert!((heard(&voices, &shares) - whole).abs() < 1e-12, "{value:?}");
            }
        }
    }

    #[test]
    fn the_forest_counts_with_its_share() {
        let rows = rows(120);
        let learned = learned(&rows, |i| if rows[i][20] > 3.0 { 0.5 } else { 0.0 });
        let place = place(&rows[7], true);
        let mut shares = WHOLE;
        (shares[MISSED], shares[NET]) = (0.0, 0.0);
        let mixed = learned.said(&[place])[0].value(&shares);
        let plain = Value::of(&learned.process.voices(&[place])[0], &WHOLE);
        let whole = |v: Value| v.compute * 0.6 + v.overlap;
        let forest = learned.forest.predict_row(&rows[7]);
        let share = learned.share(&place);
        let expected = (1.0 - share) * whole(plain) + share * forest;
        assert!((whole(mixed) - expected).abs() < 1e-12);
        assert!((forest - if rows[7][20] > 3.0 { 0.5 } else { 0.0 }).abs() < 0.1);
    }

    #[test]
    fn networks_take_the_place_of_a_share_of_the_others() {
        let rows = rows(120);
        let learned = learned(&rows, |i| if rows[i][20] > 3.0 { 0.5 } else { 0.0 });
        let place = place(&rows[7], true);
        let said = learned.said(&[place])[0];
        let whole = |shares: &Shares| {
            let value = said.value(shares);
            value.compute * 0.6 + value.overlap
        };
        let (others, net) = (whole(&WITHOUT_NET), learned.net.predict_row(&rows[7]));
        let expected = others + SHARE_OF_NET * (net - others);
        assert!((whole(&WHOLE) - expected).abs() < 1e-12);
        assert!((others - spoken(&said.voices(), &WITHOUT_NET)).abs() < 1e-12);
    }
}
