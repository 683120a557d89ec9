//! Seconds of matmul-like operators: tiles, waves, split-K, and the memory floor.

use crate::domain::{MatmulKind, MatmulOp};

/// Rows, columns, share of peak, depth.
type Tile = (f64, f64, f64, f64);

/// Output tiles of common GEMM libraries: rows, columns, the share of a tensor core's peak one full wave reaches relative
/// to the largest tile (CUTLASS tile catalogue; see also arXiv 2302.02825, section 3, on tile and wave quantisation), and
/// the depth of the main loop that fill and drain of one tile cost there, in elements of `k`. The smallest stands for
/// kernels that batch many tiny products.
const TILES: [Tile; 6] = [
    (256.0, 128.0, 1.0, 96.0),
    (128.0, 128.0, 0.95, 96.0),
    (128.0, 64.0, 0.8, 96.0),
    (64.0, 64.0, 0.62, 96.0),
    (32.0, 32.0, 0.3, 96.0),
    (16.0, 8.0, 0.12, 8.0),
];

/// FLOP a byte of on-chip traffic at which a unit of `UNIT_RATE` would run at half speed: what the shares of `TILES` come
/// to. Vector units compute so slowly that small tiles feed them as well.
const TILE_BALANCE: f64 = 35.0;
/// FLOP/s of one unit with tensor cores: an A100's.
const UNIT_RATE: f64 = 312e12 / 108.0;
/// Elements of `k` that fill and drain of a tile cost vector units.
const VECTOR_PROLOGUE: f64 = 8.0;

/// Share of its rate that a vector unit reaches on one tile: the tile's FLOP a byte of on-chip traffic against the balance
/// of the unit (a roofline over shared memory, smoothly).
fn vector_share(rows: f64, columns: f64, width: f64, unit_rate: f64) -> f64 {
    let intensity = 2.0 * rows * columns / ((rows + columns) * width);
    intensity / (intensity + TILE_BALANCE * unit_rate / UNIT_RATE)
}

/// Share of peak and of bandwidth that a perfect kernel reaches; the fitted constants are relative to it.
const REACH: f64 = 0.85;

/// Products of activations with a side up to this long skip the tiles: libraries batch them in kernels of their own that
/// run near the vector units' roofline (Masliah et al., "High-performance matrix-matrix multiplications of very small
/// matrices", Euro-Par 2016).
const TINY: f64 = 8.0;

/// From one step of a recurrent layer to the next beyond its product: a second kernel for the gates, and the wait of each
/// for the one before. The 3,180 steps, both ways, of RNN-T's layers take 27 ms in all with 4 samples on an A100 and 17 ms
/// with 8 on an H100, of which products this narrow are 5 and 2 µs a step (MLPerf 1.1 and 3.0).
const STEP: f64 = 2.5e-6;

/// What a matmul runs on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Device {
    /// Exponentials a second of the special-function units.
    pub exponentials: f64,
    /// Clocks a second of all multiprocessors together.
    pub unit_clocks: f64,
    /// Peak for layers with weights, FLOP/s.
    pub peak: f64,
    /// Peak for convolutions, FLOP/s.
    pub convolution_peak: f64,
    /// Peak for products of activations, FLOP/s.
    pub activation_peak: f64,
    /// Peak of the vector units, FLOP/s.
    pub vector_peak: f64,
    /// Memory bandwidth, B/s.
    pub bandwidth: f64,
    /// Independent compute units.
    pub units: f64,
    /// Bytes per element moved.
    pub width: f64,
    /// Computes on vector units, without tensor cores.
    pub vector: bool,
}

/// Seconds of one occurrence-weighted operator for a micro-batch, at unit efficiency.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct MatmulSeconds {
    pub forward: f64,
    pub backward: f64,
    /// Memory floor, forward plus backward.
    pub memory: f64,
    /// Forward plus backward FLOPs.
    pub flops: f64,
    /// FLOPs over peak, forward plus backward.
    pub ideal: f64,
}

/// The tiles of the kernels that serve an operator. Those of convolutions have none of the smallest: narrow ones waste most
/// of a tile, on tensor cores up to 64 channels wide (cuDNN's names of its kernels state 64×64 and larger; vector units have
/// 128×32).
const fn tiles_of(kind: MatmulKind, device: &Device) -> &'static [Tile] {
    let [tensor_cores @ .., _, _] = &TILES;
    let [vector_units @ .., _] = &TILES;
    match (kind.is_dense_convolution(), device.vector) {
        (false, _) => &TILES,
        (true, true) => vector_units,
        (true, false) => tensor_cores,
    }
}

/// The best time of these tiles for one GEMM, in whole waves over `units`.
fn gemm(
    [m, n, k, groups]: [f64; 4],
    rate: f64,
    device: &Device,
    split_k: bool,
    tiles: &[Tile],
) -> f64 {
    let units = device.units;
    let mut best = f64::INFINITY;
    for &(rows, columns, efficiency, prologue) in tiles {
        let (efficiency, prologue) = if device.vector {
            let share = vector_share(rows, columns, device.width, rate / units);
            (share, VECTOR_PROLOGUE)
        } else {
            (efficiency, prologue)
        };
        let tiles = (m / rows).ceil() * (n / columns).ceil() * groups;
        let split = if split_k {
            (units / tiles.max(1.0))
                .floor()
                .clamp(1.0, (k / 512.0).max(1.0))
        } else {
            1.0
        };
        let waves = (tiles * split / units).ceil();
        let seconds =
            2.0 * waves * units * rows * columns * (k / split + prologue) / (rate * efficiency);
        best = best.min(seconds);
    }
    best
}

impl std::ops::AddAssign for MatmulSeconds {
    fn add_assign(&mut self, other: Self) {
        self.forward += other.forward;
        self.backward += other.backward;
        self.memory += other.memory;
        self.flops += other.flops;
        self.ideal += other.ideal;
    }
}

/// Times one operator for `batch` samples per micro-step.
pub(super) fn time(op: &MatmulOp, batch: f64, device: &Device) -> MatmulSeconds {
    time_of(op, batch, device, true)
}

/// Times one operator whose weights are frozen beside low-rank adapters of theirs: no gradient of the weights is computed;
/// the adapters' two thin products are, forward and backward (LoRA, arXiv 2106.09685, section 4).
pub(super) fn adapted(op: &MatmulOp, rank: f64, batch: f64, device: &Device) -> MatmulSeconds {
    let inner = op.m * rank * op.groups;
    let (down, up) = (
        MatmulOp {
            n: rank,
            output_elements: inner,
            ..*op
        },
        MatmulOp {
            k: rank,
            input_elements: inner,
            ..*op
        },
    );
    let mut seconds = time_of(op, batch, device, false);
    seconds += time(&down, batch, device);
    seconds += time(&up, batch, device);
    seconds
}

/// Times one operator; `trained` where its weights get a gradient.
fn time_of(op: &MatmulOp, batch: f64, device: &Device, trained: bool) -> MatmulSeconds {
    let activation = op.kind == MatmulKind::Activation;
    let (rows, groups) = if activation {
        (op.m, op.groups * batch)
    } else {
        (op.m * batch, op.groups)
    };
    let rate = match op.kind {
        MatmulKind::Activation => device.activation_peak,
        MatmulKind::Dense | MatmulKind::Recurrent => device.peak,
        _ => device.convolution_peak,
    };
    // Tensor cores want multiples of 8 (16-bit) or 4 (32-bit) elements; libraries pad.
    let align = if device.width <= 2.0 { 8.0 } else { 4.0 };
    let padded = |side: f64| (side / align).ceil() * align;
    let (n, k) = (padded(op.n), padded(op.k));
    let weights = if activation {
        0.0
    } else {
        op.n * op.k * op.groups
    };
    let memory = ((op.input_elements + op.output_elements) * batch + weights) * device.width
        / device.bandwidth;
    let tiny = activation && op.m.min(op.n).min(op.k) <= TINY;
    let served = tiles_of(op.kind, device);
    let run = |m: f64, n: f64, k: f64, split: bool| {
        let mut seconds = gemm([m, n, k, groups], rate, device, split, served);
        if tiny {
            seconds = seconds.min(2.0 * m * n * k * groups / device.vector_peak);
        }
        seconds.max(memory) / REACH * op.count
    };
    // A recurrent layer's weights stay on the chip from step to step (cuDNN's persistent kernels, or the cache); what its
    // states move is traffic of its gates.
    let in_turn = |n: f64, k: f64| {
        let step = gemm([batch, n, k, groups], rate, device, false, served) / REACH + STEP;
        op.m * op.count * step
    };
    let is_recurrent = op.kind == MatmulKind::Recurrent;
    let forward = match is_recurrent {
        true => in_turn(n, k),
        false => run(rows, n, k, false),
    };
    let input_gradient = if is_recurrent {
        in_turn(k, n)
    } else if op.reads_samples() {
        0.0
    } else if op.taps > 1.0 {
        // For the input's channels at each of its positions, a product over the output's channels and the taps that reach it.
        let channels = op.input_channels();
        let positions = op.input_elements / (channels * op.groups);
        let reached = op.n * op.taps * (op.m / positions).min(1.0);
        run(
            positions.max(op.m) * batch,
            padded(channels),
            padded(reached),
            false,
        )
    } else {
        run(rows, k, n, false)
    };
    let weight_gradient = match (activation, trained) {
        (true, _) => run(op.n, k, rows, true),
        (false, true) => run(n, k, rows, true),
        (false, false) => 0.0,
    };
    let mut products = 1.0;
    if !op.reads_samples() {
        products += 1.0;
    }
    if trained {
        products += 1.0;
    }
    let flops = products * op.forward_flops() * batch;
    MatmulSeconds {
        forward,
        backward: input_gradient + weight_gradient,
        memory: products * (memory / REACH * op.count),
        flops,
        ideal: flops / rate,
    }
}

/// Times one of the two products inside a fused attention kernel, and the exponentials of its scores.
///
/// Scores never leave the chip, so no tile of them is filled or drained; the backward pass computes them anew, which is
/// five products to the two of the forward pass (FlashAttention-2, arXiv 2307.08691, section 3.2). Each score takes an
/// exponential each way on units far slower than tensor cores (FlashAttention-3, arXiv 2407.08608, section 3.2).
pub(super) fn fused(op: &MatmulOp, batch: f64, device: &Device) -> (MatmulSeconds, f64) {
    let product = op.forward_flops() * batch / device.activation_peak;
    let memory = (op.input_elements + op.output_elements) * batch * op.count * device.width
        / device.bandwidth;
    let makes_scores = op.n >= op.k;
    let (again, scores) = if makes_scores {
        (3.0, op.groups * batch * op.m * op.n * op.count)
    } else {
        (2.0, 0.0)
    };
    let seconds = MatmulSeconds {
        forward: product.max(memory) / REACH,
        backward: (again * product).max(2.0 * memory) / REACH,
        memory: 3.0 * (memory / REACH),
        flops: 3.0 * op.forward_flops() * batch,
        ideal: 3.0 * product,
    };
    (seconds, scores / device.exponentials)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::ShardAxis;

    fn device() -> Device {
        Device {
            exponentials: 2.4e12,
            unit_clocks: 1.5e11,
            peak: 312e12,
            activation_peak: 312e12,
            convolution_peak: 312e12,
            vector_peak: 19.5e12,
            bandwidth: 2e12,
            units: 108.0,
            width: 2.0,
            vector: false,
        }
    }

    fn square(size: f64) -> MatmulOp {
        MatmulOp {
            kind: MatmulKind::Dense,
            m: size,
            n: size,
            k: size,
            groups: 1.0,
            count: 1.0,
            input_elements: size * size,
            output_elements: size * size,
            taps: 1.0,
            shard: ShardAxis::None,
            causal: false,
        }
    }

    #[test]
    fn never_faster_than_peak_and_large_products_come_near_it() {
        let big = time(&square(8192.0), 1.0, &device());
        assert!(big.forward + big.backward > big.ideal);
        assert!(big.forward + big.backward < 1.6 * big.ideal);
        let small = time(&square(128.0), 1.0, &device());
        assert!(small.forward + small.backward > 5.0 * small.ideal);
    }

    #[test]
    fn steps_of_a_recurrent_layer_follow_one_another_and_keep_their_weights() {
        let steps = 420.0;
        let rows = MatmulOp {
            m: steps,
            n: 4096.0,
            k: 1024.0,
            input_elements: steps * 1024.0,
            output_elements: steps * 4096.0,
            ..square(1.0)
        };
        let recurrent = MatmulOp {
            kind: MatmulKind::Recurrent,
            ..rows
        };
        let slow = Device {
            bandwidth: 0.2e12,
            ..device()
        };
        let forward = |op: &MatmulOp, batch: f64| time(op, batch, &slow).forward;
        assert!(forward(&recurrent, 4.0) > steps * STEP);
        assert!(forward(&recurrent, 4.0) > 3.0 * forward(&rows, 4.0));
        assert!(forward(&recurrent, 4096.0) < 1.3 * forward(&rows, 4096.0));
        // A product of its own each time would read the weights each time.
        let apart = MatmulOp {
            m: 1.0,
            count: steps,
            input_elements: 1024.0,
            output_elements: 4096.0,
            ..rows
        };
        assert!(forward(&apart, 4.0) > 3.0 * forward(&recurrent, 4.0));
        let gradients = time(&recurrent, 4.0, &slow);
        assert!(gradients.backward > gradients.forward);
        assert_eq!(gradients.flops, time(&rows, 4.0, &slow).flops);
    }

    #[test]
    fn frozen_weights_spare_a_third_less_what_adapters_cost() {
        let op = square(8192.0);
        let whole = time(&op, 1.0, &device());
        let frozen = adapted(&op, 16.0, 1.0, &device());
        let share = (frozen.forward + frozen.backward) / (whole.forward + whole.backward);
        assert!((0.67..0.8).contains(&share), "{share}");
        assert!(frozen.forward > whole.forward);
        assert!((0.66..0.68).contains(&(frozen.flops / whole.flops)));
        let wider = adapted(&op, 256.0, 1.0, &device());
        assert!(wider.backward > frozen.backward && wider.flops > frozen.flops);
    }

    #[test]
    fn small_products_waste_less_of_a_vector_unit() {
        let wasted = |vector: bool| {
            let device = Device {
                peak: 19.5e12,
                vector,
                width: 4.0,
                ..device()
            };
            let op = MatmulOp {
                groups: 1024.0,
                ..square(64.0)
            };
            let t = time(&op, 1.0, &device);
            (t.forward + t.backward) / t.ideal
        };
        assert!(wasted(true) > 1.0, "faster than peak");
        assert!(wasted(true) < 0.6 * wasted(false));
    }

    /// A 3×3 convolution of stride 1 over 56×56 positions.
    fn convolution(channels: f64, out: f64) -> MatmulOp {
        let positions = 56.0 * 56.0;
        MatmulOp {
            kind: MatmulKind::Conv3x3,
            m: positions,
            n: out,
            k: 9.0 * channels,
            taps: 9.0,
            input_elements: positions * channels,
            output_elements: positions * out,
            ..square(1.0)
        }
    }

    #[test]
    fn samples_take_no_gradient() {
        let first = time(&convolution(3.0, 64.0), 32.0, &device());
        let second = time(&convolution(64.0, 64.0), 32.0, &device());
        assert_eq!(
            first.flops,
            2.0 * 32.0 * convolution(3.0, 64.0).forward_flops()
        );
        assert_eq!(
            second.flops,
            3.0 * 32.0 * convolution(64.0, 64.0).forward_flops()
        );
        // Of channels alike, each of the two gradients takes about as long as the forward pass.
        let share = second.backward / second.forward;
        assert!((1.8..2.6).contains(&share), "{share}");
    }

    #[test]
    fn narrow_convolutions_waste_most_of_a_tile() {
        // No memory bounds it.
        let device = Device {
            bandwidth: 1e15,
            ..device()
        };
        let forward = |out: f64| time(&convolution(256.0, out), 32.0, &device).forward;
        assert_eq!(forward(8.0), forward(64.0));
        assert!(forward(128.0) > forward(64.0));
        let linear = MatmulOp {
            kind: MatmulKind::Dense,
            ..convolution(256.0, 8.0)
        };
        assert!(time(&linear, 32.0, &device).forward < forward(8.0));
        // The gradient of eight input channels is as narrow, whatever their taps.
        let backward = |channels: f64| {
            let t = time(&convolution(channels, 256.0), 32.0, &device);
            t.backward / t.flops
        };
        assert!(backward(8.0) > 2.0 * backward(64.0));
    }

    #[test]
    fn thin_products_hit_the_memory_floor() {
        let op = MatmulOp {
            m: 1e6,
            n: 8.0,
            k: 8.0,
            input_elements: 8e6,
            output_elements: 8e6,
            ..square(8.0)
        };
        let t = time(&op, 1.0, &device());
        assert!(t.forward >= t.memory / 3.0);
    }
}
