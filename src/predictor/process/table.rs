//! Scaled rows side by side, and how near a point is to each: what every prediction spends its time on.

/// Coordinates are padded to a multiple of this, so that distances vectorise in a fixed order.
pub(super) const LANES: usize = 8;

#[derive(Debug, Clone, Default)]
pub(super) struct Table {
    /// Which rows of the process, in order.
    pub members: Vec<usize>,
    /// Members × padded coordinates.
    pub cells: Vec<f32>,
    pub width: usize,
}

impl Table {
    /// Members with their coordinates.
    pub fn rows(&self) -> impl Iterator<Item = (usize, &[f32])> {
        self.members
            .iter()
            .copied()
            .zip(self.cells.chunks_exact(self.width.max(1)))
    }
}

impl Table {
    /// `exp(−distance)` of every member to a point, in one sweep that vectorises.
    pub fn similarities(&self, at: &[f32]) -> Vec<f32> {
        let mut values: Vec<f32> = self.rows().map(|(_, cells)| distance(at, cells)).collect();
        values.iter_mut().for_each(|v| *v = falling(*v));
        values
    }
}

/// `exp(−r)` for `r ≥ 0` to about one part in ten thousand, far below what a fit can know: a power of two from the
/// exponent bits times a polynomial, free of calls and branches.
fn falling(r: f32) -> f32 {
    let x = (-r * std::f32::consts::LOG2_E).max(-120.0);
    let whole = x.floor();
    let f = x - whole;
    let p = 1.0
        + f * (std::f32::consts::LN_2
            + f * (0.240_226_5 + f * (0.055_503_3 + f * (0.009_618_1 + f * 0.001_339_6))));
    p * f32::from_bits((((whole as i32) + 127) << 23) as u32)
}

/// Distance of two padded rows, summed in lanes so that the order is fixed and the compiler can vectorise.
pub(super) fn distance(a: &[f32], b: &[f32]) -> f32 {
    let mut sums = [0.0f32; LANES];
    for (x, y) in a.chunks_exact(LANES).zip(b.chunks_exact(LANES)) {
        for lane in 0..LANES {
            let d = x[lane] - y[lane];
            sums[lane] += d * d;
        }
    }
    (sums.iter().sum::<f32>() + 1e-6).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fast_exponential_is_the_exponential() {
        for i in 0..2000 {
            let r = i as f32 / 100.0;
            assert!((falling(r) / (-r).exp() - 1.0).abs() < 1e-4, "{r}");
        }
        assert!(falling(1e6) < 1e-30);
    }
}
