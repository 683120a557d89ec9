//! Gradient boosting with histograms, grown leaf by leaf.
//!
//! The loss is the Fair loss `c² (|r|/c − ln(1 + |r|/c))`: quadratic near zero, linear far away, so that a few strange
//! rows do not bend the fit. Trees grow by best gain first (Shi 2007), second-order leaf values as in XGBoost
//! (arXiv 1603.02754, eq. 5 and 7). A leaf tries every cut of a feature, or one drawn by lot
//! ([`BoostParams::random_cuts`]).

use super::bins::{BinnedColumn, bin_columns};
use super::forest::{Forest, LEAF, Tree};
use super::params::{BoostError, BoostParams};
use crate::predictor::quantile::weighted_quantile;
use linfa::dataset::{DatasetBase, Records};
use linfa::traits::Fit;
use ndarray::{Array1, Array2, ArrayView2};
use rand::seq::SliceRandom;
use rand::{RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;

impl Fit<Array2<f32>, Array1<f64>, BoostError> for BoostParams {
    type Object = Forest;

    /// Fits a forest; the data set's weights weigh rows (all one where absent).
    fn fit(&self, dataset: &DatasetBase<Array2<f32>, Array1<f64>>) -> Result<Forest, BoostError> {
        if dataset.nsamples() == 0 || dataset.nfeatures() == 0 {
            return Err(BoostError::Empty);
        }
        let weights: Vec<f64> = match dataset.weights() {
            Some(weights) => weights.iter().map(|w| f64::from(*w)).collect(),
            None => vec![1.0; dataset.nsamples()],
        };
        let targets: Vec<f64> = dataset.targets().to_vec();
        Ok(Booster::new(self, dataset.records().view(), targets, weights).run())
    }
}

#[derive(Debug, Clone, Copy, Default)]
struct Bin {
    gradient: f64,
    hessian: f64,
    rows: u32,
}

impl Bin {
    fn add(&mut self, other: Self) {
        self.gradient += other.gradient;
        self.hessian += other.hessian;
        self.rows += other.rows;
    }
    fn minus(self, other: Self) -> Self {
        Self {
            gradient: self.gradient - other.gradient,
            hessian: self.hessian - other.hessian,
            rows: self.rows - other.rows,
        }
    }
}

#[derive(Debug, Clone, Copy)]
struct Split {
    gain: f64,
    feature: usize,
    bin: usize,
    left: Bin,
}

/// A leaf that may still be split; rows are `rows[from..to]`.
struct Open {
    node: usize,
    from: usize,
    to: usize,
    total: Bin,
    bounds: (f64, f64),
    histogram: Vec<Vec<Bin>>,
    split: Option<Split>,
}

struct Booster<'a> {
    params: &'a BoostParams,
    columns: Vec<BinnedColumn>,
    targets: Vec<f64>,
    weights: Vec<f64>,
    scores: Vec<f64>,
    gradients: Vec<(f64, f64)>,
    rows: Vec<u32>,
    spare: Vec<u32>,
    random: ChaCha8Rng,
}

impl<'a> Booster<'a> {
    fn new(
        params: &'a BoostParams,
        records: ArrayView2<'_, f32>,
        targets: Vec<f64>,
        weights: Vec<f64>,
    ) -> Self {
        let count = targets.len();
        Self {
            params,
            columns: bin_columns(records, params.bins),
            scores: vec![0.0; count],
            gradients: vec![(0.0, 0.0); count],
            rows: (0..count as u32).collect(),
            spare: vec![0; count],
            random: ChaCha8Rng::seed_from_u64(params.seed),
            targets,
            weights,
        }
    }

    fn run(mut self) -> Forest {
        let mut targets: Vec<(f64, f64)> = (self.targets.iter().copied())
            .zip(self.weights.iter().copied())
            .collect();
        let base = weighted_quantile(&mut targets, 0.5).unwrap_or(0.0);
        self.scores.fill(base);
        let mut forest = Forest {
            base,
            features: self.columns.len(),
            trees: Vec::new(),
        };
        let mut order: Vec<usize> = (0..self.columns.len()).collect();
        let used =
            ((order.len() as f64 * self.params.column_share).ceil() as usize).clamp(1, order.len());
        for _ in 0..self.params.trees {
            order.shuffle(&mut self.random);
            let mut features = order[..used].to_vec();
            features.sort_unstable();
            self.update_gradients();
            let tree = self.grow(&features);
            if tree.leaves() < 2 {
                continue;
            }
            forest.trees.push(tree);
        }
        forest
    }

    fn update_gradients(&mut self) {
        let c = self.params.fair;
        for (i, pair) in self.gradients.iter_mut().enumerate() {
            let residual = self.scores[i] - self.targets[i];
            let scale = c / (residual.abs() + c);
            *pair = (
                self.weights[i] * residual * scale,
                self.weights[i] * scale * scale,
            );
        }
    }

    fn grow(&mut self, features: &[usize]) -> Tree {
        let count = self.rows.len();
        self.rows
            .iter_mut()
            .enumerate()
            .for_each(|(i, row)| *row = i as u32);
        let mut tree = Tree::default();
        let total = self
            .gradients
            .iter()
            .fold(Bin::default(), |mut sum, (g, h)| {
                sum.add(Bin {
                    gradient: *g,
                    hessian: *h,
                    rows: 1,
                });
                sum
            });
        push_node(&mut tree, &total, self.leaf_value(&total, FREE));
        let histogram = self.histogram(features, 0, count);
        let mut root = Open {
            node: 0,
            from: 0,
            to: count,
            total,
            bounds: FREE,
            histogram,
            split: None,
        };
        root.split = self.best_split(features, &root);
        let mut open = vec![root];
        let mut closed: Vec<Open> = Vec::new();
        while open.len() + closed.len() < self.params.leaves {
            let Some(best) = best_open(&open) else { break };
            let leaf = open.swap_remove(best);
            let Some(split) = leaf.split else {
                closed.push(leaf);
                continue;
            };
            let (left, right) = self.divide(features, leaf, &split, &mut tree);
            open.push(left);
            open.push(right);
        }
        for leaf in open.iter().chain(&closed) {
            let value = f64::from(tree.value[leaf.node]);
            for &row in &self.rows[leaf.from..leaf.to] {
                self.scores[row as usize] += value;
            }
        }
        tree
    }

    /// Splits a leaf in the tree and partitions its rows; the smaller side's histogram is counted, the other's is the
    /// difference.
    fn divide(
        &mut self,
        features: &[usize],
        leaf: Open,
        split: &Split,
        tree: &mut Tree,
    ) -> (Open, Open) {
        let feature = features[split.feature];
        let middle = self.partition(feature, split.bin, leaf.from, leaf.to);
        let right = leaf.total.minus(split.left);
        let (left_bounds, right_bounds) = self.child_bounds(feature, &leaf, split, &right);
        let child = tree.feature.len();
        tree.feature[leaf.node] = feature as u16;
        tree.threshold[leaf.node] = self.columns[feature].edges[split.bin];
        tree.left[leaf.node] = child as u16;
        tree.gain[leaf.node] = split.gain as f32;
        push_node(tree, &split.left, self.leaf_value(&split.left, left_bounds));
        push_node(tree, &right, self.leaf_value(&right, right_bounds));
        let left_smaller = middle - leaf.from <= leaf.to - middle;
        let (from, to) = if left_smaller {
            (leaf.from, middle)
        } else {
            (middle, leaf.to)
        };
        let small = self.histogram(features, from, to);
        let mut large = leaf.histogram;
        for (column, other) in large.iter_mut().zip(&small) {
            for (bin, less) in column.iter_mut().zip(other) {
                *bin = bin.minus(*less);
            }
        }
        let (left_histogram, right_histogram) = if left_smaller {
            (small, large)
        } else {
            (large, small)
        };
        let mut pair = [
            Open {
                node: child,
                from: leaf.from,
                to: middle,
                total: split.left,
                bounds: left_bounds,
                histogram: left_histogram,
                split: None,
            },
            Open {
                node: child + 1,
                from: middle,
                to: leaf.to,
                total: right,
                bounds: right_bounds,
                histogram: right_histogram,
                split: None,
            },
        ];
        for side in &mut pair {
            side.split = self.best_split(features, side);
        }
        let [left, right] = pair;
        (left, right)
    }

    fn child_bounds(
        &self,
        feature: usize,
        leaf: &Open,
        split: &Split,
        right: &Bin,
    ) -> ((f64, f64), (f64, f64)) {
        let middle = 0.5 * (self.raw_value(&split.left) + self.raw_value(right));
        let middle = middle.clamp(leaf.bounds.0, leaf.bounds.1);
        match self.direction(feature) {
            1 => ((leaf.bounds.0, middle), (middle, leaf.bounds.1)),
            -1 => ((middle, leaf.bounds.1), (leaf.bounds.0, middle)),
            _ => (leaf.bounds, leaf.bounds),
        }
    }

    fn direction(&self, feature: usize) -> i8 {
        self.params.monotone.get(feature).copied().unwrap_or(0)
    }

    fn histogram(&self, features: &[usize], from: usize, to: usize) -> Vec<Vec<Bin>> {
        let rows = &self.rows[from..to];
        let pairs: Vec<(f64, f64)> = rows.iter().map(|r| self.gradients[*r as usize]).collect();
        features
            .iter()
            .map(|feature| {
                let column = &self.columns[*feature];
                let mut bins = vec![Bin::default(); column.edges.len() + 1];
                for (row, (gradient, hessian)) in rows.iter().zip(&pairs) {
                    let bin = &mut bins[usize::from(column.bins[*row as usize])];
                    bin.gradient += gradient;
                    bin.hessian += hessian;
                    bin.rows += 1;
                }
                bins
            })
            .collect()
    }

    fn best_split(&mut self, features: &[usize], leaf: &Open) -> Option<Split> {
        let least = self.params.min_leaf as u32;
        if leaf.total.rows < 2 * least {
            return None;
        }
        let parent = self.score(&leaf.total);
        let mut best: Option<Split> = None;
        for (index, bins) in leaf.histogram.iter().enumerate() {
            let direction = self.direction(features[index]);
            let cuts = bins.len().saturating_sub(1);
            let only = self.drawn_cut(cuts);
            let mut left = Bin::default();
            for (bin, content) in bins
                .iter()
                .enumerate()
                .take(only.map_or(cuts, |cut| cut + 1))
            {
                left.add(*content);
                // A cut below an empty bin parts the rows as the one before it; a drawn one counts wherever it falls.
                let skipped = only.map_or(content.rows == 0, |cut| bin < cut);
                if left.rows < least || skipped {
                    continue;
                }
                if leaf.total.rows - left.rows < least {
                    break;
                }
                let right = leaf.total.minus(left);
                let gain = self.score(&left) + self.score(&right) - parent;
                if gain <= best.map_or(1e-9, |b| b.gain) {
                    continue;
                }
                let rise = self.raw_value(&right) - self.raw_value(&left);
                if f64::from(direction) * rise < 0.0 {
                    continue;
                }
                best = Some(Split {
                    gain,
                    feature: index,
                    bin,
                    left,
                });
            }
        }
        best
    }

    /// The one cut of so many that a leaf tries; `None` where it tries all.
    fn drawn_cut(&mut self, cuts: usize) -> Option<usize> {
        // The bias of the remainder is nothing among fewer than 255.
        (self.params.random_cuts && cuts > 0)
            .then(|| (u64::from(self.random.next_u32()) % cuts as u64) as usize)
    }

    fn score(&self, bin: &Bin) -> f64 {
        bin.gradient * bin.gradient / (bin.hessian + self.params.l2)
    }

    fn raw_value(&self, bin: &Bin) -> f64 {
        -bin.gradient / (bin.hessian + self.params.l2)
    }

    fn leaf_value(&self, bin: &Bin, bounds: (f64, f64)) -> f64 {
        self.raw_value(bin).clamp(bounds.0, bounds.1) * self.params.rate
    }

    /// Moves rows at or below the bin's edge to the front, both sides in their old order.
    fn partition(&mut self, feature: usize, bin: usize, from: usize, to: usize) -> usize {
        let bins = &self.columns[feature].bins;
        let (mut front, mut back) = (from, 0);
        for i in from..to {
            let row = self.rows[i];
            if usize::from(bins[row as usize]) <= bin {
                self.rows[front] = row;
                front += 1;
            } else {
                self.spare[back] = row;
                back += 1;
            }
        }
        self.rows[front..to].copy_from_slice(&self.spare[..back]);
        front
    }
}

const FREE: (f64, f64) = (f64::NEG_INFINITY, f64::INFINITY);

fn push_node(tree: &mut Tree, content: &Bin, value: f64) {
    tree.feature.push(LEAF);
    tree.threshold.push(0.0);
    tree.left.push(0);
    tree.value.push(value as f32);
    tree.cover.push(content.rows as f32);
    tree.gain.push(0.0);
}

/// The open leaf with the largest gain, the earliest node on a tie.
fn best_open(open: &[Open]) -> Option<usize> {
    let gain = |leaf: &Open| leaf.split.map_or(0.0, |s| s.gain);
    (0..open.len())
        .filter(|i| open[*i].split.is_some())
        .max_by(|a, b| {
            gain(&open[*a])
                .total_cmp(&gain(&open[*b]))
                .then(open[*b].node.cmp(&open[*a].node))
        })
}

#[cfg(test)]
#[path = "fit_tests.rs"]
mod tests;
