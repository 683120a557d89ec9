//! Exact contributions of features to one prediction: path-dependent TreeSHAP (arXiv 1802.03888, algorithm 2).

use super::forest::{Forest, LEAF, Tree};

/// One feature on the path from the root: the shares of zero and one paths that flow on, and the weight of subsets.
#[derive(Debug, Clone, Copy)]
struct Step {
    feature: u16,
    zero: f64,
    one: f64,
    weight: f64,
}

impl Forest {
    /// Contributions by feature for one row; with [`Forest::expected`] they add up to the prediction.
    pub fn contributions(&self, row: &[f32]) -> Vec<f64> {
        let mut phi = vec![0.0; self.features];
        for tree in &self.trees {
            if tree.leaves() > 1 {
                recurse(tree, row, 0, &[], (1.0, 1.0, LEAF), &mut phi);
            }
        }
        phi
    }

    /// The mean prediction over the training rows, as the trees' covers weigh them.
    pub fn expected(&self) -> f64 {
        self.base
            + self
                .trees
                .iter()
                .map(|tree| mean_value(tree, 0))
                .sum::<f64>()
    }
}

fn mean_value(tree: &Tree, node: usize) -> f64 {
    if tree.feature[node] == LEAF {
        return f64::from(tree.value[node]);
    }
    let left = usize::from(tree.left[node]);
    let (a, b) = (f64::from(tree.cover[left]), f64::from(tree.cover[left + 1]));
    (a * mean_value(tree, left) + b * mean_value(tree, left + 1)) / (a + b)
}

fn recurse(
    tree: &Tree,
    row: &[f32],
    node: usize,
    parent: &[Step],
    incoming: (f64, f64, u16),
    phi: &mut [f64],
) {
    let mut path = parent.to_vec();
    extend(&mut path, incoming.0, incoming.1, incoming.2);
    let feature = tree.feature[node];
    if feature == LEAF {
        for i in 1..path.len() {
            let step = path[i];
            let weight = unwound_sum(&path, i);
            phi[usize::from(step.feature)] +=
                weight * (step.one - step.zero) * f64::from(tree.value[node]);
        }
        return;
    }
    let left = usize::from(tree.left[node]);
    let goes_right = row[usize::from(feature)] > tree.threshold[node];
    let (hot, cold) = if goes_right {
        (left + 1, left)
    } else {
        (left, left + 1)
    };
    let cover = f64::from(tree.cover[node]);
    let (mut zero, mut one) = (1.0, 1.0);
    if let Some(k) = (1..path.len()).find(|k| path[*k].feature == feature) {
        zero = path[k].zero;
        one = path[k].one;
        unwind(&mut path, k);
    }
    let share = |child: usize| f64::from(tree.cover[child]) / cover;
    recurse(
        tree,
        row,
        hot,
        &path,
        (zero * share(hot), one, feature),
        phi,
    );
    recurse(
        tree,
        row,
        cold,
        &path,
        (zero * share(cold), 0.0, feature),
        phi,
    );
}

fn extend(path: &mut Vec<Step>, zero: f64, one: f64, feature: u16) {
    let depth = path.len();
    path.push(Step {
        feature,
        zero,
        one,
        weight: if depth == 0 { 1.0 } else { 0.0 },
    });
    let total = (depth + 1) as f64;
    for i in (0..depth).rev() {
        let weight = path[i].weight;
        path[i + 1].weight += one * weight * (i + 1) as f64 / total;
        path[i].weight = zero * weight * (depth - i) as f64 / total;
    }
}

fn unwind(path: &mut Vec<Step>, index: usize) {
    let depth = path.len() - 1;
    let Step { zero, one, .. } = path[index];
    let total = (depth + 1) as f64;
    let mut next = path[depth].weight;
    for i in (0..depth).rev() {
        if one != 0.0 {
            let old = path[i].weight;
            path[i].weight = next * total / ((i + 1) as f64 * one);
            next = old - path[i].weight * zero * (depth - i) as f64 / total;
        } else {
            path[i].weight *= total / (zero * (depth - i) as f64);
        }
    }
    for i in index..depth {
        let weight = path[i].weight;
        path[i] = Step {
            weight,
            ..path[i + 1]
        };
    }
    path.pop();
}

/// Sum of the weights of the path without one step.
fn unwound_sum(path: &[Step], index: usize) -> f64 {
    let depth = path.len() - 1;
    let Step { zero, one, .. } = path[index];
    let total = (depth + 1) as f64;
    let mut next = path[depth].weight;
    let mut sum = 0.0;
    for i in (0..depth).rev() {
        if one != 0.0 {
            let weight = next * total / ((i + 1) as f64 * one);
            sum += weight;
            next = path[i].weight - weight * zero * (depth - i) as f64 / total;
        } else {
            sum += path[i].weight * total / (zero * (depth - i) as f64);
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use crate::predictor::trees::BoostParams;
    use linfa::Dataset;
    use linfa::traits::Fit;
    use ndarray::{Array2, Axis};

    #[test]
    fn contributions_add_up_to_the_prediction() {
        let records = Array2::from_shape_fn((400, 4), |(i, j)| {
            ((i * (11 + 17 * j)) % 101) as f32 / 101.0
        });
        let targets = records.map_axis(Axis(1), |r| {
            f64::from(r[0] * r[1]) + f64::from(r[2]).powi(2)
        });
        let params = BoostParams {
            trees: 40,
            leaves: 12,
            ..BoostParams::default()
        };
        let forest = params.fit(&Dataset::new(records.clone(), targets)).unwrap();
        for row in records.rows().into_iter().take(25) {
            let row = row.to_vec();
            let sum: f64 = forest.contributions(&row).iter().sum();
            assert!((forest.expected() + sum - forest.predict_row(&row)).abs() < 1e-6);
        }
    }
}
