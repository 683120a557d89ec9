//! Fitted trees as flat arrays; inference only.

use linfa::traits::PredictInplace;
use ndarray::{Array1, ArrayBase, Data, Ix2};
use serde::{Deserialize, Serialize};

/// Marks a leaf in [`Tree::feature`].
pub(super) const LEAF: u16 = u16::MAX;

/// One regression tree; node 0 is the root.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Tree {
    /// Feature asked at a node, or `u16::MAX` at a leaf.
    pub(super) feature: Vec<u16>,
    /// Rows with a value at or below go left.
    pub(super) threshold: Vec<f32>,
    /// Left child; the right child follows it.
    pub(super) left: Vec<u16>,
    /// Value of a leaf; at inner nodes the expected value below.
    pub(super) value: Vec<f32>,
    /// Weight of the training rows that reached the node.
    pub(super) cover: Vec<f32>,
    /// Fall of the loss by the split of an inner node.
    pub(super) gain: Vec<f32>,
}

impl Tree {
    /// Value for one row.
    pub fn predict(&self, row: &[f32]) -> f64 {
        let mut node = 0usize;
        while let Some(&feature) = self.feature.get(node) {
            if feature == LEAF {
                return f64::from(self.value[node]);
            }
            let right = row[usize::from(feature)] > self.threshold[node];
            node = usize::from(self.left[node]) + usize::from(right);
        }
        0.0
    }

    /// Number of leaves.
    pub fn leaves(&self) -> usize {
        self.feature.iter().filter(|f| **f == LEAF).count()
    }
}

/// A sum of trees on a base value.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Forest {
    /// Value before any tree.
    pub base: f64,
    /// Features a row must have.
    pub features: usize,
    /// The trees.
    pub trees: Vec<Tree>,
}

impl Forest {
    /// Value for one row of at least [`Forest::features`] values.
    pub fn predict_row(&self, row: &[f32]) -> f64 {
        self.base + self.trees.iter().map(|tree| tree.predict(row)).sum::<f64>()
    }

    /// Total gain by feature, as shares of one.
    pub fn gain_shares(&self) -> Vec<f64> {
        let mut gains = vec![0.0; self.features];
        for tree in &self.trees {
            for (feature, gain) in tree.feature.iter().zip(&tree.gain) {
                if *feature != LEAF {
                    gains[usize::from(*feature)] += f64::from(*gain);
                }
            }
        }
        let total: f64 = gains.iter().sum::<f64>().max(1e-300);
        gains.iter_mut().for_each(|g| *g /= total);
        gains
    }
}

impl<D: Data<Elem = f32>> PredictInplace<ArrayBase<D, Ix2>, Array1<f64>> for Forest {
    fn predict_inplace(&self, records: &ArrayBase<D, Ix2>, targets: &mut Array1<f64>) {
        for (row, target) in records.rows().into_iter().zip(targets) {
            *target = match row.as_slice() {
                Some(row) => self.predict_row(row),
                None => self.predict_row(&row.to_vec()),
            };
        }
    }

    fn default_target(&self, records: &ArrayBase<D, Ix2>) -> Array1<f64> {
        Array1::zeros(records.nrows())
    }
}
