//! Tests of the fit.

use super::*;
use linfa::Dataset;
use linfa::prelude::SingleTargetRegression;
use linfa::traits::Predict;

fn data(rows: usize) -> DatasetBase<Array2<f32>, Array1<f64>> {
    let records = Array2::from_shape_fn((rows, 3), |(i, j)| {
        ((i * (7 + 13 * j) + j) % 97) as f32 / 97.0
    });
    let targets = records.map_axis(ndarray::Axis(1), |r| {
        f64::from(r[0]) * 2.0 + if r[1] > 0.5 { 1.0 } else { 0.0 }
    });
    Dataset::new(records, targets)
}

/// So many trees, quick ones, that see all columns.
fn of_all_columns(trees: usize) -> BoostParams {
    BoostParams {
        trees,
        rate: 0.1,
        column_share: 1.0,
        ..BoostParams::default()
    }
}

#[test]
fn learns_a_step_and_a_slope() {
    let data = data(2000);
    let params = of_all_columns(200);
    let forest = params.fit(&data).unwrap();
    let predicted: Array1<f64> = forest.predict(data.records());
    assert!(predicted.r2(&data).unwrap() > 0.99);
}

#[test]
fn same_seed_same_forest() {
    let params = BoostParams {
        trees: 20,
        ..BoostParams::default()
    };
    assert_eq!(
        params.fit(&data(500)).unwrap(),
        params.fit(&data(500)).unwrap()
    );
}

#[test]
fn monotone_constraint_holds_everywhere() {
    let mut set = data(1000);
    // A target that falls with feature 0, under a constraint that it must not.
    set.targets
        .iter_mut()
        .zip(set.records.rows())
        .for_each(|(t, r)| *t = -f64::from(r[0]) + f64::from(r[1]));
    let params = BoostParams {
        trees: 50,
        monotone: vec![1, 0, 0],
        column_share: 1.0,
        ..BoostParams::default()
    };
    let forest = params.fit(&set).unwrap();
    for other in [0.1f32, 0.5, 0.9] {
        let values: Vec<f64> = (0..20)
            .map(|i| forest.predict_row(&[i as f32 / 20.0, other, other]))
            .collect();
        assert!(values.windows(2).all(|w| w[1] >= w[0] - 1e-12));
    }
}

#[test]
fn one_drawn_cut_a_leaf_learns_too_and_is_the_same_each_time() {
    let data = data(2000);
    let params = BoostParams {
        random_cuts: true,
        ..of_all_columns(300)
    };
    let forest = params.fit(&data).unwrap();
    let predicted: Array1<f64> = forest.predict(data.records());
    assert!(predicted.r2(&data).unwrap() > 0.99);
    assert_eq!(forest, params.fit(&data).unwrap());
    let other = BoostParams { seed: 2, ..params };
    assert_ne!(forest, other.fit(&data).unwrap());
}

#[test]
fn drawn_cuts_differ_where_all_cuts_agree() {
    // One step at 0.5: who tries every cut finds it in each first split, who tries one drawn by lot does not.
    let mut set = data(1000);
    set.targets
        .iter_mut()
        .zip(set.records.rows())
        .for_each(|(t, r)| *t = if r[1] > 0.5 { 1.0 } else { 0.0 });
    let roots = |random_cuts: bool| {
        let params = BoostParams {
            trees: 20,
            column_share: 1.0,
            random_cuts,
            ..BoostParams::default()
        };
        let mut cuts: Vec<u32> = (params.fit(&set).unwrap().trees.iter())
            .map(|tree| tree.threshold[0].to_bits())
            .collect();
        cuts.sort_unstable();
        cuts.dedup();
        cuts.len()
    };
    assert_eq!(roots(false), 1);
    assert!(roots(true) > 5);
}
