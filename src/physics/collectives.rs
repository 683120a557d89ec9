//! Collectives as latency plus volume over bandwidth (the alpha-beta model; Thakur et al., "Optimization of collective
//! communication operations in MPICH", 2005) and the ramp of messages that are cut up.

use crate::domain::Fabric;
use crate::units::Seconds;
use serde::{Deserialize, Serialize};

/// Kind of a collective.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CollectiveKind {
    /// Every rank ends with the sum.
    AllReduce,
    /// Every rank ends with everybody's part.
    AllGather,
    /// Every rank ends with its part of the sum.
    ReduceScatter,
    /// Every rank sends a part to every other.
    AllToAll,
    /// One rank sends to one other.
    SendReceive,
    /// One rank sends to all.
    Broadcast,
}

/// One collective over some ranks of a fabric.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Collective {
    /// Kind.
    pub kind: CollectiveKind,
    /// Message size as collective benchmarks state it, in bytes.
    pub bytes: f64,
    /// Ranks taking part.
    pub ranks: f64,
    /// Ranks of it that share a fast domain.
    pub ranks_per_domain: f64,
    /// Bandwidth inside the domain, per device and direction, in bytes per second.
    pub intra: f64,
    /// Bandwidth between domains, per device and direction, in bytes per second.
    pub inter: f64,
    /// Devices of a domain whose network cards the ring may use.
    pub cards: f64,
    /// The domain is joined by PCIe alone.
    pub pcie: bool,
    /// The domain's switches add up what passes them.
    pub in_switch: bool,
}

// The shares and the ramps are least squares on the 400 measured collectives, each system of equal weight; with whole systems
// left out of that fit too they err by 21 % in the median, rings of latency and bandwidth alone by 28 %.

/// Share of a fast link's data-sheet bandwidth that long messages reach.
const LINK_SHARE: f64 = 0.8;
/// The same over PCIe, where the host bridge is shared (nccl-tests).
const PCIE_SHARE: f64 = 0.6;
/// The same between nodes.
const NETWORK_SHARE: f64 = 0.96;
/// Time inside a domain whose switches add, over that of a ring (NVLink SHARP; of the bytes alone it would be 0.57 for 8 ranks).
const SWITCH_TIME: f64 = 0.86;
/// Seconds by which a message that is cut up fills the pipeline, for each hop inside a domain and for the network as a whole (a
/// term for each hop between domains as well would be refuted by runs on hundreds of nodes). With the best cut a message
/// waits the geometric mean of this and of its bytes' time (Thakur et al., section 4.4). Points of a bare A100, which are not
/// fitted on, are met within 2 % from 500 MB on and half as far off as without below.
const RAMP: f64 = 4.1e-6;
const NETWORK_RAMP: f64 = 453e-6;
/// Seconds per hop inside a domain.
const HOP: f64 = 6e-6;
/// Seconds per hop between domains.
const NETWORK_HOP: f64 = 15e-6;

impl Collective {
    /// One over `ranks` of the `count` devices of a fabric, neighbours `stride` devices apart.
    pub fn over(
        fabric: &Fabric,
        kind: CollectiveKind,
        bytes: f64,
        ranks: u32,
        [count, stride]: [u32; 2],
    ) -> Self {
        let apart = f64::from(stride.max(1));
        let in_domain = f64::from(fabric.domain.min(count)) / apart;
        Self {
            kind,
            bytes,
            ranks: f64::from(ranks),
            ranks_per_domain: in_domain.clamp(1.0, f64::from(ranks)),
            intra: fabric.intra.value(),
            inter: fabric.inter.value(),
            // Rings leave a domain of several nodes by the cards of all of them.
            cards: f64::from(fabric.per_node.max(fabric.domain).min(count)) / apart,
            pcie: fabric.is_pcie(),
            in_switch: fabric.in_switch,
        }
    }

    /// Domains it spans.
    pub fn domains(&self) -> f64 {
        (self.ranks / self.ranks_per_domain.max(1.0))
            .ceil()
            .max(1.0)
    }

    /// Bandwidth inside a domain, in bytes per second and direction.
    fn inside(&self) -> f64 {
        self.intra * if self.pcie { PCIE_SHARE } else { LINK_SHARE }
    }

    /// Bandwidth out of a domain: messages leave by every card, in bytes per second and direction.
    fn outside(&self) -> f64 {
        NETWORK_SHARE * self.inter * self.cards.max(1.0)
    }

    /// Seconds of the bytes alone: those of a ring through its slowest link, or where switches add, those inside the domains
    /// and those between, each domain counting as one rank there.
    fn bytes_seconds(&self) -> f64 {
        let adds = self.in_switch && self.kind == CollectiveKind::AllReduce;
        let inside = self.volume() / self.inside() * if adds { SWITCH_TIME } else { 1.0 };
        let domains = self.domains();
        if domains <= 1.0 {
            return inside;
        }
        let leaving = if adds {
            2.0 * (domains - 1.0) / domains * self.bytes
        } else {
            self.volume()
        };
        inside.max(leaving / self.outside())
    }

    /// Bytes each rank sends.
    pub fn volume(&self) -> f64 {
        let share = (self.ranks - 1.0) / self.ranks.max(1.0);
        match self.kind {
            CollectiveKind::AllReduce => 2.0 * share * self.bytes,
            CollectiveKind::AllGather
            | CollectiveKind::ReduceScatter
            | CollectiveKind::AllToAll => share * self.bytes,
            CollectiveKind::SendReceive | CollectiveKind::Broadcast => self.bytes,
        }
    }

    /// Hops inside a domain and between domains.
    fn hops(&self) -> [f64; 2] {
        let inside = self.ranks_per_domain.min(self.ranks).max(1.0);
        [1.0 + inside.log2(), self.domains().log2()]
    }

    /// Latency of the hops, in seconds.
    fn latency(&self) -> f64 {
        let [inside, between] = self.hops();
        HOP * inside + NETWORK_HOP * between
    }

    /// Seconds by which a message whose bytes take so many fills the pipeline of its hops. Nothing is measured of it inside
    /// nodes joined by PCIe, from one rank to another, or among experts of several domains.
    fn ramp(&self, seconds: f64) -> f64 {
        let [inside, between] = self.hops();
        let inside = if self.pcie { 0.0 } else { RAMP * inside };
        let between = if between > 0.0 { NETWORK_RAMP } else { 0.0 };
        let pipeline = match self.kind {
            CollectiveKind::AllReduce
            | CollectiveKind::AllGather
            | CollectiveKind::ReduceScatter => inside + between,
            CollectiveKind::AllToAll if between > 0.0 => 0.0,
            CollectiveKind::AllToAll => inside,
            CollectiveKind::SendReceive | CollectiveKind::Broadcast => 0.0,
        };
        (pipeline * seconds).sqrt()
    }

    /// Latency, the bytes, and the ramp.
    pub fn time(&self) -> Seconds {
        self.times(1.0)
    }

    /// So many of them one after another: each waits for its hops, but those that follow find the pipeline filled.
    pub fn times(&self, calls: f64) -> Seconds {
        if self.ranks <= 1.0 || self.bytes <= 0.0 {
            return Seconds(0.0);
        }
        let bytes = if self.kind == CollectiveKind::AllToAll && self.domains() > 1.0 {
            self.all_to_all_seconds()
        } else {
            self.bytes_seconds()
        };
        Seconds(calls * (self.latency() + bytes) + self.ramp(calls * bytes))
    }

    /// Only the share that leaves the node pays the network; each device has its own card.
    fn all_to_all_seconds(&self) -> f64 {
        let leaving = 1.0 - self.ranks_per_domain / self.ranks;
        (self.volume() / self.inside()).max(self.bytes * leaving / (NETWORK_SHARE * self.inter))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn over(ranks: f64, bytes: f64) -> Collective {
        Collective {
            kind: CollectiveKind::AllReduce,
            bytes,
            ranks,
            ranks_per_domain: ranks.min(8.0),
            intra: 300e9,
            inter: 25e9,
            cards: 8.0,
            pcie: false,
            in_switch: false,
        }
    }

    #[test]
    fn switches_that_add_send_each_byte_between_two_nodes_once() {
        let ring = over(16.0, 1e9);
        let adding = Collective {
            in_switch: true,
            ..ring
        };
        let share = adding.time().value() / ring.time().value();
        assert!((0.5..0.75).contains(&share), "{share}");
        let one_node = |in_switch| {
            Collective {
                in_switch,
                ..over(8.0, 1e9)
            }
            .time()
        };
        assert!(one_node(true) < one_node(false));
    }

    #[test]
    fn short_messages_waste_more_of_the_link() {
        let rate = |bytes: f64| bytes / over(16.0, bytes).time().value();
        assert!(rate(25e6) < 0.5 * rate(4e9));
    }

    #[test]
    fn more_bytes_and_more_nodes_are_never_faster() {
        assert!(over(8.0, 1e6).time() < over(8.0, 1e9).time());
        assert!(over(8.0, 1e9).time() < over(64.0, 1e9).time());
    }

    #[test]
    fn one_rank_exchanges_nothing() {
        assert_eq!(over(1.0, 1e9).time(), Seconds(0.0));
    }
}
