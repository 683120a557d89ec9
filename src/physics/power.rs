//! Mean power of a training run: what the board draws, and what the node adds around it.
//!
//! **Board.** A board's mean power is a share of its power limit between that of a board that waits and that of one at
//! work: `share = idle + (work - idle) · busy^e`, `e` being [`EXPONENT`] and `busy` the share of the step in which the device
//! works, not waiting for launches, the network or other stages. It grows slower than `busy` at first, since the kernels of a step that
//! waits for its launches are small and fill little of the device. A waiting board draws by its memory: GDDR beside the
//! processor keeps its clock and its bus powered, stacks on the package draw less. Boards before tensor cores draw
//! [`OLDER_SHARE`] of it at work. Fitted by least relative absolute errors (`planner::power_report`, which a test holds
//! these constants to; every curve over batch sizes weighs the same) on the rows of `assets/power.csv` at the top power
//! limit of V100, P100, RTX 6000 and A40 (Zeus, NSDI '23, arXiv 2208.06102), `busy` being what the predictor says of them,
//! as in a plan. Left out: NCF and DeepSpeech 2, which wait for their input, and pipelines of unstated layout (Perseus,
//! SOSP '24, arXiv 2312.06902). `mantissa crossval` prints the errors with each part held out in turn. No row states its
//! precision and none is younger than Ampere, so neither is a term; nor is what the device works on, matmuls or memory
//! traffic: a term for it errs no less on parts left out.
//!
//! **Node.** Processors, memory, network and fans add [`HOST_SHARE`] of the difference between a node's power limit
//! and that of its boards. An 8-way DGX H100 (limit 10.2 kW, boards 5.6 kW) was seen to draw at most 8.4 kW in
//! training (arXiv 2412.08602); with boards at 0.88 of their limit that leaves 3.5 kW of 4.6 kW for the rest. Where
//! no limit of the node is known the difference is taken as [`HOST_OF_TDP`] of the boards' limit, the median of the
//! twelve 8- and 16-way NVIDIA nodes that state one.

use crate::domain::{Generation, MemoryKind};
use crate::units::Watts;

/// Share of the power limit drawn by a waiting board with its memory on the package, and with memory beside the
/// processor.
pub const IDLE_SHARES: [f64; 2] = [0.147, 0.254];
/// Share of the power limit drawn by a board that works all the time.
pub const WORK_SHARE: f64 = 0.899;
/// Power of the busy share by which a board's power grows.
pub const EXPONENT: f64 = 1.5;
/// What boards before tensor cores draw at work over that.
pub const OLDER_SHARE: f64 = 0.747;
/// Half-width of the 90 % interval of the power of a board at work, relative, from the held-out rows.
pub const BOARD_ERROR: f64 = 0.226;
/// The same of a board that waits for a fifth of the time or more.
pub const WAITING_ERROR: f64 = 0.328;
/// A board that works this share of the time is at work.
pub const AT_WORK: f64 = 0.8;
/// Share of a node's power beyond its boards that is drawn in training.
pub const HOST_SHARE: f64 = 0.76;
/// A node's power limit beyond its boards, as a share of the boards' limit, where the node states none.
pub const HOST_OF_TDP: f64 = 0.81;
/// A stated node power this many times that of its boards is a whole rack's.
const RACK_RATIO: f64 = 4.0;

/// What a board's mean power depends on beside its limit and its work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Board {
    /// Whether it has no tensor cores.
    pub older: bool,
    /// Whether its memory lies beside the processor; where nobody states it, not, as of most parts that train.
    pub graphics_memory: bool,
}

impl Board {
    /// The board of a part of some generation and memory.
    pub fn new(generation: Generation, memory: Option<MemoryKind>) -> Self {
        Self {
            older: !generation.has_matrix_units(),
            graphics_memory: memory.is_some_and(MemoryKind::is_graphics),
        }
    }

    /// Mean power at a power limit of `tdp` where the device works for a share `busy` (0 to 1) of the step.
    pub fn power(self, tdp: Watts, busy: f64) -> Watts {
        let idle = IDLE_SHARES[usize::from(self.graphics_memory)];
        let work = WORK_SHARE * if self.older { OLDER_SHARE } else { 1.0 };
        tdp * (idle + (work - idle) * busy.clamp(0.0, 1.0).powf(EXPONENT))
    }
}

/// Half-width of the 90 % interval of a board's power, relative.
pub fn board_error(busy: f64) -> f64 {
    if busy >= AT_WORK {
        BOARD_ERROR
    } else {
        WAITING_ERROR
    }
}

/// Mean power of the rest of the node for each of its accelerators.
///
/// `node_power` is the limit of the whole node with `per_node` accelerators; a limit stated for a rack is told from
/// its size and shared among the `domain` accelerators of the rack.
pub fn host(tdp: Watts, node_power: Option<Watts>, per_node: u32, domain: u32) -> Watts {
    let boards = tdp * f64::from(per_node.max(1));
    let beyond = match node_power {
        Some(limit) if limit > boards * RACK_RATIO => limit / f64::from(domain.max(1)) - tdp,
        Some(limit) => (limit - boards) / f64::from(per_node.max(1)),
        None => tdp * HOST_OF_TDP,
    };
    beyond.max(Watts(0.0)) * HOST_SHARE
}

#[cfg(test)]
mod tests {
    use super::*;

    const STACKED: Board = Board {
        older: false,
        graphics_memory: false,
    };

    #[test]
    fn a_busy_board_draws_most_of_its_limit_and_a_waiting_one_a_fraction() {
        let h100 = |busy| STACKED.power(Watts(700.0), busy).value();
        assert!((h100(1.0) - 700.0 * WORK_SHARE).abs() < 1e-9);
        assert!((h100(0.0) - 700.0 * IDLE_SHARES[0]).abs() < 1e-9);
        assert_eq!(h100(1.0), h100(7.0));
        let half = h100(0.5);
        assert!(half > h100(0.0) && half < (h100(0.0) + h100(1.0)) / 2.0);
    }

    #[test]
    fn a_board_is_told_by_its_memory_and_its_age() {
        let graphics = Board::new(Generation::Ampere, Some(MemoryKind::Gddr6));
        let pascal = Board::new(Generation::Pascal, Some(MemoryKind::Hbm2));
        assert_eq!(Board::new(Generation::Hopper, None), STACKED);
        let at = |board: Board, busy| board.power(Watts(250.0), busy);
        assert!(at(graphics, 0.0) > at(STACKED, 0.0) * 1.5);
        assert_eq!(at(graphics, 1.0), at(STACKED, 1.0));
        assert!(at(pascal, 1.0) < at(STACKED, 1.0));
        assert_eq!(at(pascal, 0.0), at(STACKED, 0.0));
    }

    #[test]
    fn a_dgx_h100_draws_what_was_measured() {
        let board = STACKED.power(Watts(700.0), 1.0);
        let host = host(Watts(700.0), Some(Watts(10_200.0)), 8, 8);
        let node = (board + host) * 8.0;
        assert!((node.value() - 8_400.0).abs() < 150.0, "{node:?}");
    }

    #[test]
    fn a_rack_limit_is_shared_by_the_rack() {
        let host = host(Watts(1200.0), Some(Watts(120_000.0)), 4, 72);
        assert!(host.value() < 500.0 && host.value() > 300.0, "{host:?}");
    }
}
