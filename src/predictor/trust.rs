//! How much of each voice of a correction counts: all of it among measured runs, ever less of it away from them.
//!
//! The process falls back to physics where no kernel speaks, but its longest scales speak nearly everywhere: of model
//! families and publications that neither it nor its scales had seen, its corrections made predictions worse than physics.
//! So what each voice adds to the log of the step is multiplied by a share that falls with the distances to the nearest
//! measured run: a logistic function of them and of their logs, whose few weights are fitted on such predictions (of the
//! networks see [`HALF`]). Voices
//! share most of the weights and differ in how near is near: what the environment does to a step carries over to a model
//! nobody has run, what models like it do says little of a cluster of another kind. With one share for all voices
//! publications left out erred by 14.9 %, parts by 12.6 %; with one for each, by 14.7 and 12.4 %. Weights of their own
//! for causal language models, which were measured in few stacks, helped only where they were fitted: language models of
//! families left out erred by 17.6 % with them and by 16.4 % without.

use super::crossval::{HeldOut, Protocol};
use super::doubt::Distances;
use super::learned::{NET, Shares, VOICES, spoken};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// A constant, the logs of five distances, and the distances.
const SIGNS: usize = 11;
/// Of these, the first so many have a weight of each voice beside the common one: a constant and the logs.
const OWN: usize = 6;
/// The distance over all features, among the signs.
const AFAR: usize = SIGNS - 1;
/// Added to distances before their logs, which so stay finite.
const NEAREST: f64 = 0.02;
/// Errors below this count as none, as where the scales are learned.
const SOFT: f64 = 0.02;
/// Errors in logs beyond this pull no harder: a row that is wrong by so much says that something is wrong with it.
const FARTHEST: f64 = 1.5;
/// Steps of the descent, and their length.
const STEPS: usize = 800;
const RATE: f64 = 0.05;
/// Pull of all weights but the common constant towards nothing. With 0.00002 for the common ones and 0.000005 for what voices
/// have of their own, the fit followed single publications: those left out erred by 12.5 % where they do by 12.2 with this,
/// parts by 11.1 and 10.8, all else within a tenth. From 0.0001 to 0.0005, of either or both, no figure moves by more than 0.05.
const PULL: f64 = 1e-4;
/// Voices that are weighed by what is fitted: all but the networks.
const FITTED: usize = NET;
/// All that is fitted: the common weights, then those of each voice.
const WEIGHTS: usize = SIGNS + FITTED * OWN;

/// Where half of the networks counts, as distance over all features, and how fast that falls. They are heard among measured runs
/// alone: trusted by a fit of its own like any other voice, they made runs on more devices than those fitted on err by 12.3 %
/// and publications left out by 12.1, with this by 11.8 and 11.9 so as without them. From 0.15 to 0.3 no protocol moves by more
/// than 0.05; a fit of the place, crossed like the rest, has publications err by 12.0.
const HALF: f64 = 0.2;
const FALL: i32 = 3;

/// The share of each voice that counts, by distance: weights of the signs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Trust([[f64; SIGNS]; FITTED]);

impl Trust {
    /// Everything that process and forests say counts, wherever they say it.
    pub const FULL: Self = {
        let mut weights = [0.0; SIGNS];
        weights[0] = 40.0;
        Self([weights; FITTED])
    };

    /// The shares at these distances.
    pub fn shares(&self, distances: &Distances) -> Shares {
        self.of(&signs(distances))
    }

    fn of(&self, signs: &[f64; SIGNS]) -> Shares {
        std::array::from_fn(|voice| match self.0.get(voice) {
            Some(weights) => logistic(weights.iter().zip(signs).map(|(w, s)| w * s).sum()),
            None => 1.0 / (1.0 + (signs[AFAR] / HALF).powi(FALL)),
        })
    }

    /// Fits on held-out predictions with the whole correction: `(prediction, measured log time, weight)`. What falls by
    /// gradient descent (Adam, Kingma and Ba, arXiv 1412.6980) is the mean absolute error relative to the measured time: the
    /// figure that accuracy is told in, in which a step predicted twice too long costs more than one predicted twice too
    /// short. Fitted on the error in logs, far corrections counted twice as much and helped nobody: sources left out with all
    /// their rows erred by 23.8 %, by this fit 22.6 %.
    pub fn fit(rows: &[(HeldOut, f64, f64)]) -> Self {
        let total: f64 = rows.iter().map(|r| r.2).sum::<f64>().max(1e-300);
        let rows: Vec<([f64; SIGNS], [f64; VOICES], f64, f64)> = rows
            .iter()
            .map(|(held, measured, weight)| {
                let missing = held.physics - measured;
                let signs = signs(&held.signs.distances);
                (signs, held.voices, missing, weight / total)
            })
            .collect();
        let mut weights = [0.0; WEIGHTS];
        weights[..OWN].copy_from_slice(&[-2.0, -0.5, -0.5, -0.5, -0.5, -0.5]);
        let (mut mean, mut square) = ([0.0; WEIGHTS], [0.0; WEIGHTS]);
        for step in 1..=STEPS {
            let here = Self::composed(&weights);
            let mut slope = weights.map(|weight| 2.0 * PULL * weight);
            slope[0] = 0.0;
            for (signs, voices, missing, weight) in &rows {
                let shares = here.of(signs);
                let ratio = (missing + spoken(voices, &shares))
                    .clamp(-FARTHEST, FARTHEST)
                    .exp();
                let relative = ratio - 1.0;
                let pull = weight * ratio * relative / (relative * relative + SOFT * SOFT).sqrt();
                let mut of_all = 0.0;
                for (voice, (share, value)) in shares[..FITTED].iter().zip(voices).enumerate() {
                    let by_share = pull * value * share * (1.0 - share);
                    of_all += by_share;
                    let own = &mut slope[SIGNS + voice * OWN..][..OWN];
                    own.iter_mut()
                        .zip(signs)
                        .for_each(|(s, x)| *s += by_share * x);
                }
                slope[..SIGNS]
                    .iter_mut()
                    .zip(signs)
                    .for_each(|(s, x)| *s += of_all * x);
            }
            let age = step as i32;
            for at in 0..WEIGHTS {
                mean[at] = 0.9 * mean[at] + 0.1 * slope[at];
                square[at] = 0.999 * square[at] + 0.001 * slope[at] * slope[at];
                let (m, v): (f64, f64) = (
                    mean[at] / (1.0 - 0.9f64.powi(age)),
                    square[at] / (1.0 - 0.999f64.powi(age)),
                );
                weights[at] -= RATE * m / (v.sqrt() + 1e-8);
            }
        }
        // What is stored is what is measured, whatever the last bits of a machine's exponential.
        let of = Self::composed(&weights).0;
        Self(of.map(|voice| voice.map(|w| (w * 1e3).round() / 1e3)))
    }

    /// The common weights and what each voice adds to them.
    fn composed(weights: &[f64; WEIGHTS]) -> Self {
        Self(std::array::from_fn(|voice| {
            std::array::from_fn(|sign| {
                let own = match sign < OWN {
                    true => weights[SIGNS + voice * OWN + sign],
                    false => 0.0,
                };
                weights[sign] + own
            })
        }))
    }
}

impl Default for Trust {
    fn default() -> Self {
        Self::FULL
    }
}

/// Held-out predictions of a protocol, each with its fold.
pub type HeldByFold = (Protocol, Vec<(HeldOut, usize)>);

/// What each protocol weighs in the fit: as much for all that is new as for what is known, and less where the
/// scales have seen what is held out.
const fn weight(protocol: Protocol) -> f64 {
    match protocol {
        Protocol::Known => 1.5,
        Protocol::Family => 0.5,
        Protocol::Publication => 0.6,
        Protocol::Accelerator => 0.25,
        Protocol::Scale => 0.15,
    }
}

/// The trust of all held-out predictions; `times` are the measured logs of all rows.
pub fn of_all(times: &[f64], all: &[HeldByFold]) -> Trust {
    without(times, all, &BTreeSet::new())
}

/// The same without any of the rows that are `out`, for their own measurement.
fn without(times: &[f64], all: &[HeldByFold], out: &BTreeSet<usize>) -> Trust {
    let mut examples = Vec::new();
    for (protocol, held) in all {
        // Every row of a protocol the same, as where its error is told.
        let share = weight(*protocol) / held.len().max(1) as f64;
        examples.extend(
            (held.iter())
                .filter(|(h, _)| !out.contains(&h.row))
                .map(|(h, _)| (*h, times[h.row], share)),
        );
    }
    Trust::fit(&examples)
}

/// Held-out predictions of one protocol, each with as much of its correction as there is trust in it: one trust for every fold,
/// fitted on `all` without any of the rows that the fold tests, whatever else was held out with them. With one for each half
/// of the folds of unseen models, fitted on the other half and on all that is known, they erred by 11.2 % where they do by
/// 11.0, for half of what is new tells too little of how far to trust; unseen publications by 12.3 % where they do by 12.5, for
/// their own rows as known ones told something; unseen parts, of whose folds the trust had seen all, by 11.2 % where they do
/// by 11.6.
pub fn crossed(times: &[f64], all: &[HeldByFold], held: &[(HeldOut, usize)]) -> Vec<HeldOut> {
    let mut folds: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    for (h, fold) in held {
        folds.entry(*fold).or_default().insert(h.row);
    }
    let trusts: BTreeMap<usize, Trust> = (folds.par_iter())
        .map(|(fold, out)| (*fold, without(times, all, out)))
        .collect();
    held.iter()
        .map(|(h, fold)| h.trusted(&trusts[fold]))
        .collect()
}

fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

fn signs(d: &Distances) -> [f64; SIGNS] {
    let mut signs = [1.0; SIGNS];
    let distances = [d.model, d.software, d.hardware, d.layout, d.all];
    let (logs, plain) = signs[1..].split_at_mut(distances.len());
    for (at, distance) in distances.into_iter().enumerate() {
        logs[at] = (distance + NEAREST).ln();
        plain[at] = distance;
    }
    signs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::predictor::doubt::Signs;

    fn held(model: f64, voices: [f64; VOICES]) -> HeldOut {
        let mut signs = Signs::default();
        signs.distances.model = model;
        HeldOut {
            row: 0,
            predicted: voices.iter().sum(),
            physics: 0.0,
            voices,
            signs,
        }
    }

    fn shares(trust: &Trust, model: f64) -> Shares {
        trust.shares(&Distances {
            model,
            ..Distances::default()
        })
    }

    #[test]
    fn corrections_that_help_near_and_harm_far_count_near_alone() {
        let rows: Vec<(HeldOut, f64, f64)> = (0..800)
            .map(|i| {
                let far = i % 2 == 0;
                let correction = if i % 4 < 2 { 0.4 } else { -0.4 };
                let measured = if far { 0.0 } else { correction };
                let model = if far { 0.9 } else { 0.01 };
                (
                    held(model, [correction / VOICES as f64; VOICES]),
                    measured,
                    1.0,
                )
            })
            .collect();
        let trust = Trust::fit(&rows);
        let share = |model: f64| shares(&trust, model)[0];
        assert!(share(0.01) > 0.9, "{}", share(0.01));
        assert!(share(0.9) < 0.1, "{}", share(0.9));
        assert_eq!(shares(&Trust::FULL, 0.0), [1.0; VOICES]);
    }

    #[test]
    fn a_voice_that_is_right_far_away_is_heard_there_and_one_that_is_not_is_not() {
        let rows: Vec<(HeldOut, f64, f64)> = (0..800)
            .map(|i| {
                let far = i % 2 == 0;
                let (a, b) = (
                    if i % 4 < 2 { 0.3 } else { -0.3 },
                    if i % 8 < 4 { 0.3 } else { -0.3 },
                );
                let measured = if far { b } else { a + b };
                let mut voices = [0.0; VOICES];
                (voices[0], voices[3]) = (a, b);
                (held(if far { 0.9 } else { 0.01 }, voices), measured, 1.0)
            })
            .collect();
        let trust = Trust::fit(&rows);
        let (near, far) = (shares(&trust, 0.01), shares(&trust, 0.9));
        assert!(near[0] > 0.9 && near[3] > 0.9, "{near:?}");
        assert!(far[0] < 0.1 && far[3] > 0.9, "{far:?}");
    }

    #[test]
    fn what_is_tested_takes_no_part_in_the_trust_it_is_tested_with() {
        // The rows of the first fold want their correction, those of the second are spoilt by it.
        let sign = |i: usize| if i % 4 < 2 { 0.4 } else { -0.4 };
        let rows: Vec<(HeldOut, usize)> = (0..400)
            .map(|i| {
                // Process and forests come to it together; the networks, too far to be heard, say the same.
                let mut voices = [sign(i) / FITTED as f64; VOICES];
                voices[NET] = sign(i);
                let mut said = HeldOut {
                    row: i,
                    ..held(0.5, voices)
                };
                said.signs.distances.all = 0.5;
                (said, i % 2)
            })
            .collect();
        let times: Vec<f64> = (0..400)
            .map(|i| if i % 2 == 0 { sign(i) } else { 0.0 })
            .collect();
        // They stand in another protocol too, where they must tell as little.
        let all = [
            (Protocol::Family, rows.clone()),
            (Protocol::Known, rows.clone()),
        ];
        let heard = |h: &HeldOut| h.predicted / sign(h.row);
        for h in crossed(&times, &all, &rows) {
            let share = heard(&h);
            let (least, most) = if h.row % 2 == 0 {
                (0.0, 0.1)
            } else {
                (0.9, 1.0)
            };
            assert!(least <= share && share <= most, "{} {share}", h.row);
        }
    }

    #[test]
    fn networks_count_among_measured_runs_alone() {
        let net = |all: f64| {
            let distances = Distances {
                all,
                ..Distances::default()
            };
            Trust::FULL.shares(&distances)[NET]
        };
        assert_eq!((net(0.0), net(HALF)), (1.0, 0.5));
        assert!(net(0.05) > 0.95 && net(1.0) < 0.01);
    }
}
