//! File schema of systems, and what it becomes.

use super::fields::{Count, Date, Positive, Text, number};
use crate::domain::System;
use crate::units::{BytesPerSecond, Watts};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SystemsFile {
    pub schema: u32,
    #[serde(default)]
    pub system: Vec<SystemRow>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SystemRow {
    name: Text,
    #[serde(default)]
    aliases: Vec<Text>,
    /// Left out where any card fits.
    accelerator: Option<Text>,
    accelerators_per_node: Count,
    intra_kind: Text,
    #[serde(rename = "intra_topology")]
    _intra_topology: Option<Text>,
    intra_gb_per_s: Option<Positive>,
    link_domain: Count,
    inter_kind: Text,
    inter_gb_per_s: Option<Positive>,
    #[serde(rename = "nics_per_node")]
    _nics_per_node: Option<Count>,
    #[serde(rename = "nic_gbit_per_s")]
    _nic_gbit_per_s: Option<Positive>,
    node_power_w: Option<Positive>,
    #[serde(rename = "host_memory_gb")]
    _host_memory_gb: Option<Positive>,
    #[serde(rename = "cpu")]
    _cpu: Option<Text>,
    source: Text,
    retrieved: Date,
    #[serde(rename = "note")]
    _note: Option<Text>,
}

impl From<SystemRow> for System {
    fn from(row: SystemRow) -> Self {
        Self {
            name: row.name.0,
            aliases: row.aliases.into_iter().map(|a| a.0).collect(),
            accelerator: row.accelerator.map(|a| a.0).unwrap_or_default(),
            accelerators_per_node: row.accelerators_per_node.0,
            intra_kind: row.intra_kind.0,
            intra_bandwidth: number(row.intra_gb_per_s).map(BytesPerSecond::from_gb_per_s),
            link_domain: row.link_domain.0,
            inter_kind: row.inter_kind.0,
            inter_bandwidth: number(row.inter_gb_per_s).map(BytesPerSecond::from_gb_per_s),
            node_power: number(row.node_power_w).map(Watts),
            source: row.source.0,
            retrieved: row.retrieved.0,
        }
    }
}
