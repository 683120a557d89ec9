//! The fitted process: its coefficients, its value at a configuration, how sure it is there, and why.

use super::cholesky;
use super::folded::fold;
use super::inputs::{
    COORDINATES, Coordinate, Place, Scaler, bond, is_language, part_of, share_out,
};
use super::kernel::{Points, gram};
use super::left_out;
use super::shape::{DOUBTS, Shape, features_of, slopes_of};
use super::table::{Table, distance};
use super::{KERNELS, VOICES, voice_of};
use crate::predictor::features::FEATURES;
use ndarray::Array1;
use serde::{Deserialize, Serialize};
use std::sync::OnceLock;

/// Why a fit fails.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FitError {
    /// No rows.
    #[error("there are no measured runs to fit on")]
    Empty,
    /// The covariance is not positive; a value is not a number.
    #[error(
        "the covariance of the measured runs is not positive: a feature or a time is not a number"
    )]
    NotPositive,
}

/// A measured run as the process learns from it.
#[derive(Debug, Clone, Copy)]
pub struct Example<'a> {
    /// Where.
    pub place: Place<'a>,
    /// Log of measured over physical time.
    pub target: f64,
    /// Quality B, quality C, batch assumed: 1 or 0.
    pub doubts: [f64; DOUBTS],
    /// Twin-closed group: what repeats it has the same.
    pub group: u32,
}

/// What the process says of a configuration, in logs.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Value {
    /// Correction of compute, before its share.
    pub compute: f64,
    /// Correction of the whole on several devices.
    pub overlap: f64,
}

impl Value {
    /// What the voices come to, each counted with its share.
    pub(crate) fn of(voices: &[f64; VOICES], shares: &[f64]) -> Self {
        let heard: [f64; VOICES] = std::array::from_fn(|voice| voices[voice] * shares[voice]);
        let (compute, overlap) = heard.split_at(VOICES - 1);
        Self {
            compute: compute.iter().sum(),
            overlap: overlap[0],
        }
    }
}

/// Targets beyond this are clipped: a factor of twelve says that something is wrong, not by how much.
pub(super) const CLIP: f64 = 2.5;

/// A fitted process.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Process {
    scaler: Scaler,
    hidden: Vec<bool>,
    /// Inverse length of each coordinate, by kernel.
    factors: [Vec<f64>; KERNELS],
    amplitudes: [f64; KERNELS],
    /// Feature rows it rests on, one after another.
    rows: Vec<f32>,
    /// Coefficient of each row times its weight in compute and in overlap.
    weights: [Vec<f64>; 2],
    /// Noise variance of each row.
    noise: Vec<f64>,
    /// Weights of each row: share of compute, several devices.
    parts: Vec<[f64; 2]>,
    /// Which rows are language models'.
    language: Vec<bool>,
    /// The linear kernel by part, of places that are not language models' and of those that are.
    lines: [[Line; 2]; 2],
    #[serde(skip)]
    tables: Cache,
}

/// What the linear kernel of a part comes to.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
struct Line {
    /// By feature.
    slopes: Vec<f64>,
    constant: f64,
}

/// Scaled rows by kernel; worked out once, never stored, never compared.
#[derive(Debug, Clone, Default)]
struct Cache(OnceLock<[Table; KERNELS]>);

impl PartialEq for Cache {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Process {
    /// Fits on examples; `hidden` features are not seen. Beside it, by example: what it would have said there without the
    /// example and all of its group.
    ///
    /// # Errors
    /// [`FitError`].
    pub fn fit(
        examples: &[Example<'_>],
        shape: &Shape,
        hidden: Vec<bool>,
    ) -> Result<(Self, Vec<f64>), FitError> {
        if examples.is_empty() {
            return Err(FitError::Empty);
        }
        let rows: Vec<&[f32]> = examples.iter().map(|e| e.place.row).collect();
        let scaler = Scaler::new(&rows);
        let folded = fold(examples, shape);
        let places: Vec<Place<'_>> = folded.iter().map(|f| f.place).collect();
        let noise: Vec<f64> = folded.iter().map(|f| 1.0 / f.precision).collect();
        let points = Points::new(&places, &scaler, shape, &hidden);
        let mut k = gram(&points, shape);
        k.diag_mut()
            .iter_mut()
            .zip(&noise)
            .for_each(|(d, n)| *d += n);
        let targets = Array1::from_iter(folded.iter().map(|f| f.sum / f.precision));
        let factor = cholesky::factor(k).ok_or(FitError::NotPositive)?;
        let alpha = cholesky::solve(&factor, &targets);
        let groups: Vec<u32> = folded.iter().map(|f| f.group).collect();
        let missed = left_out::misses(&factor, &alpha, &groups);
        drop(factor);
        let mut unseen = vec![0.0; examples.len()];
        for ((f, target), missed) in folded.iter().zip(&targets).zip(missed) {
            f.members.iter().for_each(|i| unseen[*i] = target - missed);
        }
        let process = Self::of(&places, &points, noise, &alpha, scaler, shape, hidden);
        Ok((process, unseen))
    }

    /// The process of coefficients `alpha` on `places`.
    fn of(
        places: &[Place<'_>],
        points: &Points,
        noise: Vec<f64>,
        alpha: &Array1<f64>,
        scaler: Scaler,
        shape: &Shape,
        hidden: Vec<bool>,
    ) -> Self {
        let mut process = Self {
            factors: std::array::from_fn(|kernel| shape.factors(kernel)),
            amplitudes: shape.amplitudes.map(f64::exp),
            rows: places.iter().flat_map(|p| p.row.iter().copied()).collect(),
            weights: std::array::from_fn(|part| {
                alpha
                    .iter()
                    .zip(places)
                    .map(|(a, p)| a * p.parts()[part])
                    .collect()
            }),
            noise,
            parts: places.iter().map(Place::parts).collect(),
            language: points.language.clone(),
            lines: Default::default(),
            tables: Cache::default(),
            scaler,
            hidden,
        };
        for part in 0..2 {
            process.straighten(part, points, shape);
        }
        process
    }

    /// The linear kernel as slopes: what a sum over rows comes to.
    fn straighten(&mut self, part: usize, points: &Points, shape: &Shape) {
        for language in [false, true] {
            let weights: Array1<f64> = (0..self.len())
                .map(|row| self.weight(row, part, language))
                .collect();
            let scaled = points.sloped[part].t().dot(&weights);
            self.lines[part][usize::from(language)] = Line {
                slopes: scaled
                    .iter()
                    .zip(&shape.slopes[part])
                    .map(|(s, b)| s * b.exp())
                    .collect(),
                constant: (2.0 * shape.constants[part]).exp() * weights.sum(),
            };
        }
    }

    /// What a row weighs in a part of a language model, or of another.
    fn weight(&self, row: usize, part: usize, language: bool) -> f64 {
        self.weights[part][row] * bond(part, self.language[row], language)
    }

    fn line(&self, row: &[f32], part: usize) -> &Line {
        &self.lines[part][usize::from(self.is_language(row))]
    }

    /// Whether a feature row is a language model's, as far as the process sees.
    pub(crate) fn is_language(&self, row: &[f32]) -> bool {
        is_language(row, &self.hidden)
    }

    /// Rows it rests on, equal ones folded.
    pub fn len(&self) -> usize {
        self.parts.len()
    }

    /// Whether it rests on nothing.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    fn tables(&self) -> &[Table; KERNELS] {
        self.tables.0.get_or_init(|| {
            std::array::from_fn(|kernel| {
                let part = part_of(kernel);
                let members: Vec<usize> = (0..self.len())
                    .filter(|i| self.parts[*i][part] > 0.0)
                    .collect();
                Table::new(members, COORDINATES[kernel].len(), |member| {
                    self.scaled(self.row(member), kernel)
                })
            })
        })
    }

    /// Feature row of a run it rests on.
    fn row(&self, at: usize) -> &[f32] {
        &self.rows[at * FEATURES.len()..][..FEATURES.len()]
    }

    /// Scaled coordinates of a feature row.
    fn scaled(&self, row: &[f32], kernel: usize) -> Vec<f32> {
        (COORDINATES[kernel].iter().zip(&self.factors[kernel]))
            .map(|(c, factor)| (self.scaler.coordinate(row, *c, &self.hidden) * factor) as f32)
            .collect()
    }

    fn slope_sum(&self, row: &[f32], part: usize) -> f64 {
        let line = self.line(row, part);
        let at = |feature| {
            self.scaler
                .coordinate(row, Coordinate::Feature(feature), &self.hidden)
        };
        let sloped = features_of(slopes_of(part)).zip(&line.slopes);
        sloped
            .map(|(feature, slope)| slope * at(feature))
            .sum::<f64>()
            + line.constant
    }

    /// What each voice says at each of some places, in logs: see [`VOICES`].
    pub(crate) fn voices(&self, places: &[Place<'_>]) -> Vec<[f64; VOICES]> {
        (places.iter().zip(&self.look(places)))
            .map(|(place, seen)| self.voices_of(place, seen))
            .collect()
    }

    /// The same at one place, and the posterior deviation of their sum.
    pub(crate) fn doubted(&self, place: &Place<'_>) -> ([f64; VOICES], f64) {
        let seen = self.look(std::slice::from_ref(place)).remove(0);
        (
            self.voices_of(place, &seen),
            self.deviation_of(place, &seen),
        )
    }

    /// How near every measured run is to each of some places, by kernel; nothing of the kernels that do not speak there.
    fn look(&self, places: &[Place<'_>]) -> Vec<[Vec<f32>; KERNELS]> {
        let mut seen = vec![[const { Vec::new() }; KERNELS]; places.len()];
        for kernel in 0..KERNELS {
            let speaks = |place: &Place<'_>| place.parts()[part_of(kernel)] != 0.0;
            let points: Vec<Vec<f32>> = (places.iter().filter(|place| speaks(place)))
                .map(|place| self.scaled(place.row, kernel))
                .collect();
            if self.is_empty() || points.is_empty() {
                continue;
            }
            let mut near = self.tables()[kernel].similarities(&points).into_iter();
            for (seen, _) in (seen.iter_mut().zip(places)).filter(|(_, place)| speaks(place)) {
                seen[kernel] = near.next().unwrap_or_default();
            }
        }
        seen
    }

    fn voices_of(&self, place: &Place<'_>, seen: &[Vec<f32>; KERNELS]) -> [f64; VOICES] {
        let mut voices = [0.0; VOICES];
        if self.is_empty() {
            return voices;
        }
        let language = self.is_language(place.row);
        voices[0] = self.slope_sum(place.row, 0);
        for (kernel, similar) in seen.iter().enumerate() {
            voices[voice_of(kernel)] += self.weighted(kernel, similar, language);
        }
        if place.many {
            voices[VOICES - 1] += self.slope_sum(place.row, 1);
        }
        voices
    }

    /// Posterior deviation of the log correction, from the measured runs that say most of it; the linear part, which all
    /// runs pin down, is left out.
    fn deviation_of(&self, place: &Place<'_>, seen: &[Vec<f32>; KERNELS]) -> f64 {
        const NEIGHBOURS: usize = 40;
        if self.is_empty() {
            return 1.0;
        }
        let parts = place.parts();
        let language = self.is_language(place.row);
        let mut shared: Vec<(f64, usize)> = (0..self.len()).map(|i| (0.0, i)).collect();
        for (kernel, similar) in seen.iter().enumerate() {
            let part = part_of(kernel);
            for (member, k) in self.tables()[kernel].members.iter().zip(similar) {
                let weight = self.amplitudes[kernel]
                    * parts[part]
                    * self.parts[*member][part]
                    * bond(part, self.language[*member], language);
                shared[*member].0 += weight * f64::from(*k);
            }
        }
        let nearest = |a: &(f64, usize), b: &(f64, usize)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
        if shared.len() > NEIGHBOURS {
            shared.select_nth_unstable_by(NEIGHBOURS, nearest);
            shared.truncate(NEIGHBOURS);
        }
        shared.sort_by(nearest);
        let places: Vec<Vec<Vec<f32>>> = shared
            .iter()
            .map(|(_, i)| (0..KERNELS).map(|k| self.scaled(self.row(*i), k)).collect())
            .collect();
        let n = shared.len();
        let mut k = ndarray::Array2::<f64>::zeros((n, n));
        for a in 0..n {
            for b in 0..=a {
                let (one, other) = (shared[a].1, shared[b].1);
                let (pa, pb) = (self.parts[one], self.parts[other]);
                let kinds = (self.language[one], self.language[other]);
                k[[a, b]] = (0..KERNELS)
                    .map(|kernel| {
                        let part = part_of(kernel);
                        let r = distance(&places[a][kernel], &places[b][kernel]);
                        let weight = pa[part] * pb[part] * bond(part, kinds.0, kinds.1);
                        self.amplitudes[kernel] * f64::from((-r).exp()) * weight
                    })
                    .sum();
            }
            k[[a, a]] += self.noise[shared[a].1];
        }
        let whole: f64 = (0..KERNELS)
            .map(|kernel| self.amplitudes[kernel] * parts[part_of(kernel)].powi(2))
            .sum();
        let known = Array1::from_iter(shared.iter().map(|s| s.0));
        let Some(factor) = cholesky::factor(k) else {
            return whole.sqrt();
        };
        let explained = known.dot(&cholesky::solve(&factor, &known));
        (whole - explained).max(1e-6).sqrt()
    }

    /// Share of each feature in one part's value at a row, and the value of a row of average features, of a model of
    /// the same kind (see [`super::ACROSS`]): integrated gradients along the straight line between the two (Sundararajan et
    /// al., arXiv 1703.01365), which add up. Every voice counts with its share.
    pub(crate) fn contributions(
        &self,
        place: &Place<'_>,
        part: usize,
        heard: &[f64],
    ) -> (Vec<(usize, f64)>, f64) {
        const STEPS: usize = 24;
        let mut shares = vec![0.0; FEATURES.len()];
        if self.is_empty() || (part == 1 && !place.many) {
            return (Vec::new(), 0.0);
        }
        let straight = heard[part * (VOICES - 1)];
        let line = self.line(place.row, part);
        let language = self.is_language(place.row);
        for (feature, slope) in features_of(slopes_of(part)).zip(&line.slopes) {
            let z = self
                .scaler
                .coordinate(place.row, Coordinate::Feature(feature), &self.hidden);
            shares[feature] += straight * slope * z;
        }
        let mut base = straight * line.constant;
        for kernel in (0..KERNELS).filter(|k| part_of(*k) == part) {
            let table = &self.tables()[kernel];
            let ends = [self.average(kernel), self.scaled(place.row, kernel)];
            let [start, end] = &ends;
            let at = |t: f32| -> Vec<f32> {
                start
                    .iter()
                    .zip(end)
                    .map(|(a, b)| a + t * (b - a))
                    .collect()
            };
            let weights: Vec<f64> = (table.members.iter())
                .map(|member| self.amplitudes[kernel] * self.weight(*member, part, language))
                .collect();
            let mut gradient = vec![0.0; end.len()];
            for step in 0..STEPS {
                let here = at((step as f32 + 0.5) / STEPS as f32);
                table.add_slope(&here, &weights, &mut gradient);
            }
            let parts: Vec<f64> = gradient
                .iter()
                .zip(start.iter().zip(end))
                .map(|(g, (a, b))| g / STEPS as f64 * f64::from(b - a))
                .collect();
            let near = table.similarities(&ends);
            let [first, last] = [0, 1].map(|at| self.weighted(kernel, &near[at], language));
            let share = heard[voice_of(kernel)];
            base += share * first;
            share_out(
                &COORDINATES[kernel],
                &parts,
                last - first,
                share,
                &mut shares,
            );
        }
        (shares.into_iter().enumerate().collect(), base)
    }

    /// Scaled coordinates of average features; every measured mode stands with its share.
    fn average(&self, kernel: usize) -> Vec<f32> {
        let mut mean = self.tables()[kernel].mean();
        for (mean, coordinate) in mean.iter_mut().zip(&COORDINATES[kernel]) {
            if matches!(coordinate, Coordinate::Feature(_)) {
                *mean = 0.0;
            }
        }
        mean
    }

    /// What one kernel adds to a language model, or to another, given how near every run is.
    fn weighted(&self, kernel: usize, similar: &[f32], language: bool) -> f64 {
        let part = part_of(kernel);
        self.amplitudes[kernel]
            * (self.tables()[kernel].members.iter())
                .zip(similar)
                .map(|(member, k)| self.weight(*member, part, language) * f64::from(*k))
                .sum::<f64>()
    }
}

#[cfg(test)]
#[path = "fit_tests.rs"]
mod tests;
