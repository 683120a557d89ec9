//! Scaled rows side by side, and how near a point is to each: what every prediction spends its time on.

/// Rows of a block: a sweep works on as many at once, one to a lane, so that it vectorises without summing across lanes.
const ROWS: usize = 16;

/// Rows that a kernel compares a point with, in blocks of [`ROWS`].
#[derive(Debug, Clone, Default)]
pub(super) struct Table {
    /// Which rows of the process, in order.
    pub members: Vec<usize>,
    /// Blocks × coordinates × rows of a block; a last block that is not full ends in zeros.
    cells: Vec<f32>,
    width: usize,
}

impl Table {
    /// Of members with `width` coordinates each.
    pub fn new(members: Vec<usize>, width: usize, row: impl Fn(usize) -> Vec<f32>) -> Self {
        let mut cells = vec![0.0; members.len().div_ceil(ROWS) * ROWS * width];
        for (at, member) in members.iter().enumerate() {
            let block = &mut cells[at / ROWS * ROWS * width..];
            for (coordinate, cell) in row(*member).into_iter().enumerate() {
                block[coordinate * ROWS + at % ROWS] = cell;
            }
        }
        Self {
            members,
            cells,
            width,
        }
    }

    fn blocks(&self) -> std::slice::ChunksExact<'_, f32> {
        self.cells.chunks_exact(self.width.max(1) * ROWS)
    }

    /// `exp(−distance)` of every member to each of some points. A block is read once for all points: from memory, it takes
    /// longer to come than to work on.
    pub fn similarities(&self, points: &[Vec<f32>]) -> Vec<Vec<f32>> {
        let rows = self.cells.len() / self.width.max(1);
        let mut values = vec![Vec::with_capacity(rows); points.len()];
        for block in self.blocks() {
            for (values, at) in values.iter_mut().zip(points) {
                values.extend(distances(at, block).map(falling));
            }
        }
        values
            .iter_mut()
            .for_each(|v| v.truncate(self.members.len()));
        values
    }

    /// Mean of every coordinate over the members.
    pub fn mean(&self) -> Vec<f32> {
        let count = self.members.len().max(1) as f32;
        let mut mean = vec![0.0; self.width];
        for block in self.blocks() {
            for (sum, cells) in mean.iter_mut().zip(block.chunks_exact(ROWS)) {
                *sum += cells.iter().sum::<f32>() / count;
            }
        }
        mean
    }

    /// Adds the slope of `Σ weight · exp(−distance)` at a point, with the weights of the members in order.
    pub fn add_slope(&self, at: &[f32], weights: &[f64], slope: &mut [f64]) {
        for (block, weights) in self.blocks().zip(weights.chunks(ROWS)) {
            let mut pull = [0.0f32; ROWS];
            for ((pull, r), weight) in pull.iter_mut().zip(distances(at, block)).zip(weights) {
                *pull = -(*weight as f32) * falling(r) / r;
            }
            for ((slope, a), cells) in slope.iter_mut().zip(at).zip(block.chunks_exact(ROWS)) {
                let mut sums = [0.0f32; ROWS];
                for ((sum, pull), cell) in sums.iter_mut().zip(&pull).zip(cells) {
                    *sum = pull * (a - cell);
                }
                *slope += f64::from(sums.iter().sum::<f32>());
            }
        }
    }
}

/// Distances of a point to the rows of a block.
fn distances(at: &[f32], block: &[f32]) -> [f32; ROWS] {
    let mut sums = [0.0f32; ROWS];
    for (a, cells) in at.iter().zip(block.chunks_exact(ROWS)) {
        for (sum, cell) in sums.iter_mut().zip(cells) {
            let d = a - cell;
            *sum += d * d;
        }
    }
    sums.map(|sum| (sum + 1e-6).sqrt())
}

/// `exp(−r)` for `r ≥ 0` to about one part in ten thousand, far below what a fit can know: a power of two from the
/// exponent bits times a polynomial, free of calls and branches.
fn falling(r: f32) -> f32 {
    // Added and taken away, it leaves the nearest whole number: `floor` would be a call where a processor has no
    // instruction for it.
    const WHOLE: f32 = 12_582_912.0;
    let x = (-r * std::f32::consts::LOG2_E).max(-120.0);
    let nearest = (x + WHOLE) - WHOLE;
    let whole = nearest - f32::from(u8::from(nearest > x));
    let f = x - whole;
    let p = 1.0
        + f * (std::f32::consts::LN_2
            + f * (0.240_226_5 + f * (0.055_503_3 + f * (0.009_618_1 + f * 0.001_339_6))));
    p * f32::from_bits((((whole as i32) + 127) << 23) as u32)
}

/// Distance of two rows.
pub(super) fn distance(a: &[f32], b: &[f32]) -> f32 {
    let sum: f32 = a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum();
    (sum + 1e-6).sqrt()
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

    #[test]
    fn blocks_hold_every_row_and_no_other() {
        let width = 5;
        let row =
            |i: usize| -> Vec<f32> { (0..width).map(|c| ((i * 7 + c * 3) % 11) as f32).collect() };
        let at = [1.0, 2.5, 0.0, 4.0, 3.0];
        for count in [0, 1, ROWS - 1, ROWS, 2 * ROWS + 3] {
            let table = Table::new((0..count).collect(), width, row);
            let near = table.similarities(&[at.to_vec()]).remove(0);
            assert_eq!(near.len(), count);
            for (i, near) in near.iter().enumerate() {
                assert!((near / (-distance(&at, &row(i))).exp() - 1.0).abs() < 1e-4);
            }
            let sum = |c: usize| (0..count).map(|i| row(i)[c]).sum::<f32>();
            for (c, mean) in table.mean().into_iter().enumerate() {
                assert!((mean * count.max(1) as f32 - sum(c)).abs() < 1e-3);
            }
        }
    }

    #[test]
    fn a_slope_is_what_a_small_step_changes() {
        let row = |i: usize| vec![i as f32 * 0.3, (i % 4) as f32, 1.0];
        let table = Table::new((0..37).collect(), 3, row);
        let weights: Vec<f64> = (0..37).map(|i| f64::from(i % 5) - 1.5).collect();
        let value = |at: [f32; 3]| -> f64 {
            (0..37)
                .map(|i| weights[i] * f64::from(-distance(&at, &row(i))).exp())
                .sum()
        };
        let mut slope = vec![0.0; 3];
        table.add_slope(&[1.1, 0.4, 0.2], &weights, &mut slope);
        let step = (value([1.11, 0.4, 0.2]) - value([1.09, 0.4, 0.2])) / 0.02;
        assert!((slope[0] - step).abs() < 1e-2, "{slope:?} {step}");
    }
}
