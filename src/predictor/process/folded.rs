//! Measured runs that no feature tells apart, as one.

use super::fit::{CLIP, Example};
use super::inputs::Place;
use super::shape::Shape;
use std::collections::BTreeMap;

/// Rows that are the same in every feature, folded into one with the precision of all.
pub(super) struct Folded<'a> {
    pub place: Place<'a>,
    /// One over the variance of the noise of their mean.
    pub precision: f64,
    /// Targets times their precisions.
    pub sum: f64,
    /// Group of the first.
    pub group: u32,
    /// Which examples they are.
    pub members: Vec<usize>,
}

/// Folds examples; those of a group stand together.
pub(super) fn fold<'a>(examples: &[Example<'a>], shape: &Shape) -> Vec<Folded<'a>> {
    let mut seen: BTreeMap<(Vec<u32>, u64, bool), usize> = BTreeMap::new();
    let mut folded: Vec<Folded<'a>> = Vec::new();
    for (i, e) in examples.iter().enumerate() {
        let bits = e.place.row.iter().map(|v| v.to_bits()).collect();
        let key = (bits, e.place.compute_share.to_bits(), e.place.many);
        let at = *seen.entry(key).or_insert_with(|| {
            folded.push(Folded {
                place: e.place,
                precision: 0.0,
                sum: 0.0,
                group: e.group,
                members: Vec::new(),
            });
            folded.len() - 1
        });
        let precision = 1.0 / shape.noise_variance(e.doubts);
        folded[at].precision += precision;
        folded[at].sum += precision * e.target.clamp(-CLIP, CLIP);
        folded[at].members.push(i);
    }
    folded.sort_by_key(|f| f.group);
    folded
}
