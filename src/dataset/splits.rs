//! Seeded splits that never separate a group of twins, and the same on every machine.

use std::collections::BTreeMap;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};

use super::DatasetError;

/// Row indices to train on and to test on, each ascending. No group has rows on both sides.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Fold {
    /// Rows to train on.
    pub train: Vec<usize>,
    /// Rows to test on.
    pub test: Vec<usize>,
}

/// `k` folds of about equal size over whole groups; every row is tested exactly once.
///
/// `groups[i]` is the group of row `i`.
pub fn k_fold(groups: &[u32], k: usize, seed: u64) -> Result<Vec<Fold>, DatasetError> {
    let members = index_by(groups);
    check(k, members.len(), "groups")?;
    let fold_of = assign(
        members.into_values().collect(),
        k,
        groups.len(),
        seed,
        false,
    );
    Ok(folds(&fold_of, groups, k))
}

/// Folds over whole values of a key (a family, a part, a publication); every row is tested exactly once.
///
/// With `k` at or above the number of values each value is its own fold. Rows that share a group with a test row
/// leave the training side, so a fold's two sides need not cover all rows.
pub fn leave_groups_out(
    keys: &[String],
    groups: &[u32],
    k: usize,
    seed: u64,
) -> Result<Vec<Fold>, DatasetError> {
    same_length(keys.len(), groups.len())?;
    let members = index_by(keys);
    let k = k.min(members.len());
    check(k, members.len(), "key values")?;
    let fold_of = assign(members.into_values().collect(), k, keys.len(), seed, true);
    Ok(folds(&fold_of, groups, k))
}

/// Trains on rows of at most `limit` devices and tests on larger ones; rows that share a group with a test row leave
/// the training side.
pub fn scale_split(devices: &[u32], groups: &[u32], limit: u32) -> Result<Fold, DatasetError> {
    same_length(devices.len(), groups.len())?;
    let is_test: Vec<usize> = devices
        .iter()
        .map(|&count| usize::from(count > limit))
        .collect();
    let fold = one_fold(&is_test, groups, 1);
    if fold.test.is_empty() || fold.train.is_empty() {
        let side = if fold.test.is_empty() {
            "above"
        } else {
            "at or below"
        };
        return Err(DatasetError::Split(format!(
            "no rows {side} {limit} devices"
        )));
    }
    Ok(fold)
}

/// Rows of each value, in the order of the values.
fn index_by<K: Ord>(keys: &[K]) -> BTreeMap<&K, Vec<usize>> {
    let mut members: BTreeMap<&K, Vec<usize>> = BTreeMap::new();
    for (row, key) in keys.iter().enumerate() {
        members.entry(key).or_default().push(row);
    }
    members
}

/// The fold of each row: blocks in a seeded order (largest first where blocks are few and uneven), each to the fold
/// that is smallest so far.
fn assign(
    mut blocks: Vec<Vec<usize>>,
    k: usize,
    rows: usize,
    seed: u64,
    largest_first: bool,
) -> Vec<usize> {
    shuffle(&mut blocks, seed);
    if largest_first {
        blocks.sort_by_key(|block| std::cmp::Reverse(block.len()));
    }
    let mut sizes = vec![0_usize; k];
    let mut fold_of = vec![0; rows];
    for block in blocks {
        let smallest = (0..k).min_by_key(|&fold| sizes[fold]).unwrap_or(0);
        sizes[smallest] += block.len();
        for row in block {
            fold_of[row] = smallest;
        }
    }
    fold_of
}

/// Fisher-Yates written out: the order must outlive any version of a random-number crate's own shuffle.
fn shuffle<T>(items: &mut [T], seed: u64) {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    for last in (1..items.len()).rev() {
        // The bias of the remainder is below 1e-15 for any list that fits in memory.
        let other = (random.next_u64() % (last as u64 + 1)) as usize;
        items.swap(last, other);
    }
}

fn folds(fold_of: &[usize], groups: &[u32], k: usize) -> Vec<Fold> {
    (0..k).map(|fold| one_fold(fold_of, groups, fold)).collect()
}

/// The fold that tests the rows marked `fold`.
fn one_fold(fold_of: &[usize], groups: &[u32], fold: usize) -> Fold {
    let test: Vec<usize> = (0..fold_of.len())
        .filter(|&row| fold_of[row] == fold)
        .collect();
    let mut tested: Vec<u32> = test.iter().map(|&row| groups[row]).collect();
    tested.sort_unstable();
    tested.dedup();
    let free = |&row: &usize| fold_of[row] != fold && tested.binary_search(&groups[row]).is_err();
    let train = (0..fold_of.len()).filter(free).collect();
    Fold { train, test }
}

fn check(k: usize, available: usize, what: &str) -> Result<(), DatasetError> {
    if k < 2 || available < k {
        let message = format!(
            "{k} folds of {available} {what}; at least 2 folds, and no more than there are {what}"
        );
        return Err(DatasetError::Split(message));
    }
    Ok(())
}

fn same_length(keys: usize, groups: usize) -> Result<(), DatasetError> {
    if keys == groups {
        return Ok(());
    }
    Err(DatasetError::Split(format!(
        "{keys} rows have a key and {groups} a group"
    )))
}

#[cfg(test)]
#[path = "splits_tests.rs"]
mod tests;
