//! Splits: twins never straddle, every row is tested once, the seed decides everything.

use std::collections::HashSet;

use proptest::prelude::*;

use super::*;

fn straddles(fold: &Fold, groups: &[u32]) -> bool {
    let tested: HashSet<u32> = fold.test.iter().map(|&row| groups[row]).collect();
    fold.train.iter().any(|&row| tested.contains(&groups[row]))
}

fn tested_once(folds: &[Fold], rows: usize) -> bool {
    let mut seen: Vec<usize> = folds.iter().flat_map(|fold| fold.test.clone()).collect();
    seen.sort_unstable();
    seen == (0..rows).collect::<Vec<_>>()
}

proptest! {
    #[test]
    fn k_fold_keeps_groups_whole(groups in prop::collection::vec(0_u32..40, 60..200), k in 2_usize..7, seed: u64) {
        let folds = k_fold(&groups, k, seed).unwrap();
        prop_assert_eq!(folds.len(), k);
        prop_assert!(tested_once(&folds, groups.len()));
        for fold in &folds {
            prop_assert!(!straddles(fold, &groups));
            prop_assert_eq!(fold.train.len() + fold.test.len(), groups.len());
        }
        prop_assert_eq!(folds, k_fold(&groups, k, seed).unwrap());
    }

    #[test]
    fn keys_left_out_are_never_seen(
        rows in prop::collection::vec((0_u32..9, 0_u32..30), 60..200), k in 2_usize..20, seed: u64
    ) {
        let keys: Vec<String> = rows.iter().map(|row| format!("key{}", row.0)).collect();
        let groups: Vec<u32> = rows.iter().map(|row| row.1).collect();
        prop_assume!(keys.iter().collect::<HashSet<_>>().len() >= 2);
        let folds = leave_groups_out(&keys, &groups, k, seed).unwrap();
        prop_assert!(tested_once(&folds, rows.len()));
        for fold in &folds {
            prop_assert!(!straddles(fold, &groups));
            let tested: HashSet<&String> = fold.test.iter().map(|&row| &keys[row]).collect();
            prop_assert!(fold.train.iter().all(|&row| !tested.contains(&keys[row])));
        }
    }

    #[test]
    fn scale_trains_small_and_tests_large(rows in prop::collection::vec((1_u32..64, 0_u32..200), 60..200)) {
        let devices: Vec<u32> = rows.iter().map(|row| row.0).collect();
        let groups: Vec<u32> = rows.iter().map(|row| row.1).collect();
        if let Ok(fold) = scale_split(&devices, &groups, 8) {
            prop_assert!(!straddles(&fold, &groups));
            prop_assert!(fold.train.iter().all(|&row| devices[row] <= 8));
            prop_assert!(fold.test.iter().all(|&row| devices[row] > 8));
        }
    }
}

#[test]
fn folds_are_even_and_the_seed_matters() {
    let groups: Vec<u32> = (0..1000).map(|row| row / 2).collect();
    let folds = k_fold(&groups, 5, 1).unwrap();
    assert!(folds.iter().all(|fold| fold.test.len() == 200));
    assert_ne!(folds, k_fold(&groups, 5, 2).unwrap());
}

#[test]
fn each_key_alone_where_k_is_large() {
    let keys: Vec<String> = ["a", "a", "b", "c"].map(str::to_owned).to_vec();
    let folds = leave_groups_out(&keys, &[1, 2, 2, 3], 99, 0).unwrap();
    assert_eq!(folds.len(), 3);
    let first = folds.iter().find(|fold| fold.test == [0, 1]).unwrap();
    assert_eq!(first.train, [3], "row 2 is a twin of row 1");
}

#[test]
fn impossible_splits_say_why() {
    for (k, message) in [(1, "1 folds of 2 groups"), (3, "3 folds of 2 groups")] {
        let error = k_fold(&[1, 2], k, 0).unwrap_err().to_string();
        assert!(error.contains(message), "{error}");
    }
    assert!(leave_groups_out(&["a".to_owned()], &[1], 5, 0).is_err());
    assert!(leave_groups_out(&["a".to_owned()], &[1, 2], 5, 0).is_err());
    assert!(
        scale_split(&[1, 2], &[1, 2], 8)
            .unwrap_err()
            .to_string()
            .contains("above 8 devices")
    );
    assert!(
        scale_split(&[16], &[1], 8)
            .unwrap_err()
            .to_string()
            .contains("at or below 8 devices")
    );
}
