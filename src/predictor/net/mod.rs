//! Small neural networks on the log of measured over physical time: beside the Gaussian process, which passes smoothly
//! between runs, and boosted forests, which follow what changes at once, a third learner that errs differently. It finds
//! which features act together, where a kernel gives each its one length and a tree cuts one at a time.
//!
//! [`MEMBERS`] perceptrons of two hidden layers with rectified linear units are fitted from different beginnings and
//! averaged (deep ensembles, Lakshminarayanan et al., arXiv 1612.01474). They learn from single runs and, beside those, from
//! pairs that differ in precision alone: what a mode gains over another. Crates for neural networks bring a tensor library
//! and its back ends; a perceptron of three matrices needs the products of ndarray alone.

mod fit;

use super::features::FEATURES;
use super::process::{Coordinate, Scaler, everything, share_out};
use ndarray::{Array1, Array2, Axis};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Networks that are averaged.
const MEMBERS: usize = 4;

/// Steps along the line from an average run that reasons are summed over.
const STEPS: usize = 24;

/// A fitted layer: `x · weights + biases`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Layer {
    /// Inputs × outputs.
    weights: Array2<f32>,
    biases: Array1<f32>,
}

impl Layer {
    /// Its outputs at one place. Sums run in the order of the inputs, so that a place has the same outputs alone and among
    /// others, on every machine.
    fn at(&self, inputs: &[f32]) -> Vec<f32> {
        let mut outputs = self.biases.to_vec();
        for (input, row) in inputs.iter().zip(self.weights.rows()) {
            if *input != 0.0 {
                (outputs.iter_mut().zip(row))
                    .for_each(|(output, weight)| *output += input * weight);
            }
        }
        outputs
    }

    /// What a slope by its outputs is by its inputs.
    fn back(&self, slope: &[f32]) -> Vec<f32> {
        (self.weights.rows().into_iter())
            .map(|row| row.iter().zip(slope).map(|(weight, s)| weight * s).sum())
            .collect()
    }
}

/// One network: its layers, rectified but for the last, which has one output.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Member(Vec<Layer>);

impl Member {
    fn at(&self, inputs: &[f32]) -> f32 {
        self.layers_at(inputs).last().map_or(0.0, |out| out[0])
    }

    /// The outputs of every layer at one place.
    fn layers_at(&self, inputs: &[f32]) -> Vec<Vec<f32>> {
        let mut outputs: Vec<Vec<f32>> = Vec::with_capacity(self.0.len());
        for (depth, layer) in self.0.iter().enumerate() {
            let mut own = layer.at(outputs.last().map_or(inputs, Vec::as_slice));
            if depth + 1 < self.0.len() {
                own.iter_mut().for_each(|v| *v = v.max(0.0));
            }
            outputs.push(own);
        }
        outputs
    }

    /// The slope of its output by its inputs at one place.
    fn slope(&self, inputs: &[f32]) -> Vec<f32> {
        let outputs = self.layers_at(inputs);
        let mut slope = vec![1.0];
        for (depth, layer) in self.0.iter().enumerate().rev() {
            slope = layer.back(&slope);
            if depth > 0 {
                (slope.iter_mut().zip(&outputs[depth - 1]))
                    .filter(|(_, output)| **output <= 0.0)
                    .for_each(|(s, _)| *s = 0.0);
            }
        }
        slope
    }
}

/// Fitted networks and how features become their inputs.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(super) struct Net {
    scaler: Scaler,
    hidden: Vec<bool>,
    /// Inputs of an average run: reasons start there.
    average: Vec<f32>,
    members: Vec<Member>,
}

impl Net {
    /// Fits on feature rows and their targets, of which `pairs` are of one configuration in two modes; `hidden` features are
    /// not seen.
    pub(super) fn fit(
        rows: &[&[f32]],
        targets: &[f64],
        pairs: &[(usize, usize)],
        hidden: Vec<bool>,
    ) -> Self {
        let mut net = Self {
            scaler: Scaler::new(rows),
            hidden,
            ..Self::default()
        };
        let inputs = everything().len();
        let flat: Vec<f32> = rows.iter().flat_map(|row| net.inputs(row)).collect();
        let Ok(records) = Array2::from_shape_vec((rows.len(), inputs), flat) else {
            return net;
        };
        net.average = match records.mean_axis(Axis(0)) {
            Some(mean) => mean.to_vec(),
            None => return net,
        };
        let sample = fit::Sample {
            records,
            targets: targets.iter().map(|t| *t as f32).collect(),
            pairs,
        };
        net.members = (0..MEMBERS)
            .into_par_iter()
            .map(|seed| fit::member(&sample, seed as u64))
            .collect();
        net
    }

    fn inputs(&self, row: &[f32]) -> Vec<f32> {
        let at = |c: &Coordinate| self.scaler.coordinate(row, *c, &self.hidden) as f32;
        everything().iter().map(at).collect()
    }

    /// The log of measured over physical time at a feature row: the mean of the members.
    pub(super) fn predict_row(&self, row: &[f32]) -> f64 {
        self.mean(&self.inputs(row))
    }

    fn mean(&self, inputs: &[f32]) -> f64 {
        let sum: f64 = self.members.iter().map(|m| f64::from(m.at(inputs))).sum();
        sum / self.members.len().max(1) as f64
    }

    /// What each feature adds at a feature row, and what is said of an average run: with it they add up to
    /// [`Self::predict_row`]. By integrated gradients (Sundararajan et al., arXiv 1703.01365) along the line between.
    pub(super) fn contributions(&self, row: &[f32]) -> (Vec<f64>, f64) {
        let mut shares = vec![0.0; FEATURES.len()];
        let end = self.inputs(row);
        let base = self.mean(&self.average);
        let mut slopes = vec![0.0; end.len()];
        for step in 0..STEPS {
            let t = (step as f32 + 0.5) / STEPS as f32;
            let line = self.average.iter().zip(&end);
            let here: Vec<f32> = line.map(|(a, b)| a + t * (b - a)).collect();
            for member in &self.members {
                let slope = member.slope(&here);
                (slopes.iter_mut().zip(slope)).for_each(|(sum, s)| *sum += f64::from(s));
            }
        }
        let steps = (STEPS * self.members.len()).max(1) as f64;
        let line = self.average.iter().zip(&end);
        let parts: Vec<f64> = (slopes.iter().zip(line))
            .map(|(slope, (a, b))| slope / steps * f64::from(b - a))
            .collect();
        let whole = self.mean(&end) - base;
        share_out(everything(), &parts, whole, 1.0, &mut shares);
        (shares, base)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::predictor::features::some_rows as rows;

    fn fitted(rows: &[Vec<f32>], target: impl Fn(&[f32]) -> f64, hidden: Option<usize>) -> Net {
        let views: Vec<&[f32]> = rows.iter().map(Vec::as_slice).collect();
        let targets: Vec<f64> = rows.iter().map(|row| target(row)).collect();
        let hidden = (0..FEATURES.len()).map(|f| Some(f) == hidden).collect();
        Net::fit(&views, &targets, &[], hidden)
    }

    /// What two features do together, neither of them alone.
    fn together(row: &[f32]) -> f64 {
        if (row[20] > 3.0) == (row[31] > 3.0) {
            0.3
        } else {
            -0.3
        }
    }

    #[test]
    fn what_features_do_together_is_learned_and_said_of_rows_it_has_not_seen() {
        let rows = rows(1400);
        let net = fitted(&rows[..1100], together, None);
        let missed: Vec<f64> = (rows[1100..].iter())
            .map(|row| (net.predict_row(row) - together(row)).abs())
            .collect();
        let mean = missed.iter().sum::<f64>() / missed.len() as f64;
        assert!(mean < 0.05, "{mean}");
    }

    #[test]
    fn reasons_add_up_to_what_is_predicted() {
        let rows = rows(600);
        let net = fitted(&rows, together, None);
        for row in rows.iter().take(20) {
            let (shares, base) = net.contributions(row);
            let sum = base + shares.iter().sum::<f64>();
            assert!((sum - net.predict_row(row)).abs() < 1e-6, "{sum}");
        }
    }

    #[test]
    fn a_hidden_feature_changes_nothing() {
        let rows = rows(600);
        let net = fitted(&rows, together, Some(20));
        let mut other = rows[5].clone();
        other[20] += 2.0;
        assert_eq!(net.predict_row(&rows[5]), net.predict_row(&other));
        let (shares, _) = net.contributions(&rows[5]);
        assert_eq!(shares[20], 0.0);
    }

    #[test]
    fn the_same_runs_give_the_same_networks_however_many_threads_fit_them() {
        let rows = rows(300);
        let fit = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            pool.unwrap().install(|| fitted(&rows, together, None))
        };
        assert_eq!(fit(1), fit(3));
    }

    #[test]
    fn nothing_to_learn_from_says_nothing() {
        let net = Net::fit(&[], &[], &[], vec![false; FEATURES.len()]);
        assert_eq!(net.predict_row(&vec![1.0; FEATURES.len()]), 0.0);
    }
}
