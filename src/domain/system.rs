//! A node type and its fabric.

use crate::units::{BytesPerSecond, Watts};

/// A node type or cloud shape: how many parts it holds and what joins them.
#[derive(Debug, Clone, PartialEq)]
pub struct System {
    /// Name, e.g. `DGX A100` or `p4d.24xlarge`.
    pub name: String,
    /// Other names.
    pub aliases: Vec<String>,
    /// Key of the accelerator it holds.
    pub accelerator: String,
    /// Accelerators per node.
    pub accelerators_per_node: u32,
    /// Link inside the node, e.g. `NVLink3`.
    pub intra_kind: String,
    /// Bandwidth inside the node, per accelerator and direction.
    pub intra_bandwidth: Option<BytesPerSecond>,
    /// Accelerators that share the fast link (72 for an NVL72 rack).
    pub link_domain: u32,
    /// Network between nodes, e.g. `IB HDR`.
    pub inter_kind: String,
    /// Bandwidth between nodes, per accelerator and direction.
    pub inter_bandwidth: Option<BytesPerSecond>,
    /// Power limit of the whole node, where stated.
    pub node_power: Option<Watts>,
    /// Where the figures are from.
    pub source: String,
    /// When they were retrieved or dated.
    pub retrieved: String,
}
