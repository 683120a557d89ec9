//! How accelerators are joined: from a system, from words of a run, or from what is typical of the part.

use super::fields::{Count, Date, Positive, Text, number};
use crate::domain::{Accelerator, Fabric, Generation, LinkKind, System};
use crate::units::BytesPerSecond;
use serde::Deserialize;

/// What stands after a rate in bytes, once all is in lower case.
const GIGABYTES: &str = "gigabytes";
/// Rates of network cards that words are read for, in Gbit/s; other numbers before a `g` mean something else.
const CARD_RATES: [u32; 6] = [40, 50, 100, 200, 400, 800];
/// More cards than this a node is a count of links, not of cards.
const MOST_CARDS: u32 = 18;
/// A node that is said to have less than this is said to have only its management port (GB/s).
const LEAST_NODE_GB_PER_S: f64 = 6.0;
/// How far after a card count its rate may stand, in characters.
const RATE_REACH: usize = 60;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FabricFile {
    pub schema: u32,
    #[serde(default)]
    pcie: Vec<PcieRow>,
    defaults: Option<DefaultsRow>,
    #[serde(default)]
    words: Vec<WordsRow>,
    #[serde(default)]
    node: Vec<NodeRow>,
    #[serde(default)]
    staged: Vec<StagedRow>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct PcieRow {
    generation: u8,
    gb_per_s: Positive,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct DefaultsRow {
    per_node: Count,
    inter_gb_per_s: Positive,
    pcie_generation: u8,
    #[serde(rename = "source")]
    _source: Text,
    #[serde(rename = "retrieved")]
    _retrieved: Date,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct WordsRow {
    contains: Text,
    prefix: Option<Text>,
    cards: Count,
    gbit_per_s: Positive,
}

/// Which devices of a host cannot read one another's memory over PCIe: parts by the starts of their names, or hosts by words.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct StagedRow {
    #[serde(default)]
    prefixes: Vec<Text>,
    #[serde(default)]
    contains: Vec<Text>,
    #[serde(rename = "source")]
    _source: Text,
    #[serde(rename = "retrieved")]
    _retrieved: Date,
}

impl StagedRow {
    fn is_of(&self, site: &Site<'_>) -> bool {
        let part = site.accelerator.name.as_str();
        self.prefixes.iter().any(|start| part.starts_with(&start.0))
            || self
                .contains
                .iter()
                .any(|word| site.words.contains(&word.0))
    }
}

/// The node a part usually sits in.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NodeRow {
    prefix: Text,
    system: Option<Text>,
    fast_domain: Option<Count>,
    per_node: Option<Count>,
    inter_gb_per_s: Option<Positive>,
    host_share: Option<Positive>,
    #[serde(rename = "source")]
    _source: Text,
    #[serde(rename = "retrieved")]
    _retrieved: Date,
}

impl NodeRow {
    /// Name of the system entry that is typical.
    pub(super) fn system(&self) -> Option<&str> {
        self.system.as_ref().map(|s| s.0.as_str())
    }
}

/// The rules of `fabric.toml`.
#[derive(Debug, Clone, Default)]
pub(super) struct FabricRules {
    pcie: Vec<PcieRow>,
    defaults: Option<DefaultsRow>,
    words: Vec<WordsRow>,
    nodes: Vec<NodeRow>,
    staged: Vec<StagedRow>,
}

/// What is said of network and system in lower case; a capital B is told from a small one before it is lost.
pub(super) fn words(said: &str) -> String {
    said.replace("GBps", GIGABYTES).to_lowercase()
}

/// Where accelerators stand, as far as it is known.
pub(super) struct Site<'a> {
    pub accelerator: &'a Accelerator,
    pub optional_link: bool,
    /// The system somebody named.
    pub stated: Option<&'a System>,
    /// The system that is typical of the part.
    pub typical: Option<&'a System>,
    /// Words on network and system as [`words`] gives them.
    pub words: String,
}

impl Site<'_> {
    fn system(&self) -> Option<&System> {
        self.stated.or(self.typical)
    }

    /// Whether devices are joined by more than PCIe. A bridge counts only where somebody says it is there.
    fn has_fast_link(&self) -> bool {
        let stated = self.stated.is_some_and(|s| s.link_domain > 1);
        let linked = self.accelerator.link_bandwidth.is_some();
        stated || (linked && (!self.optional_link || self.words.contains("nvlink")))
    }
}

impl FabricRules {
    /// Adds the rules of a file; they are asked before those of earlier files.
    pub(super) fn add(&mut self, file: FabricFile) {
        self.pcie.splice(0..0, file.pcie);
        self.words.splice(0..0, file.words);
        self.nodes.splice(0..0, file.node);
        self.staged.splice(0..0, file.staged);
        self.defaults = file.defaults.or(self.defaults.take());
    }

    /// The typical node of a part: the entry whose prefix matches longest.
    pub(super) fn node(&self, accelerator: &str) -> Option<&NodeRow> {
        self.nodes
            .iter()
            .filter(|node| accelerator.starts_with(&node.prefix.0))
            .reduce(|best, node| {
                if node.prefix.0.len() > best.prefix.0.len() {
                    node
                } else {
                    best
                }
            })
    }

    /// The fabric of `count` accelerators.
    pub(super) fn join(&self, site: &Site<'_>, count: u32, nodes: Option<u32>) -> Fabric {
        let node = self.node(&site.accelerator.name);
        let usual = self.usual_per_node(site, node);
        let domain = fast_domain(site, node, usual);
        let rack_scale = domain > usual;
        let (per_node, nodes) = match nodes.filter(|&n| n > 0) {
            _ if rack_scale => (usual, count.div_ceil(domain)),
            Some(stated) => (count.div_ceil(stated), stated.min(count)),
            None => (usual, count.div_ceil(usual)),
        };
        // Devices of one host that are not all linked talk over its slots.
        let within = rack_scale || count.min(per_node) <= domain;
        let fast = site.has_fast_link() && within;
        Fabric {
            link: if fast { LinkKind::Fast } else { LinkKind::Pcie },
            intra: if fast {
                self.fast_bandwidth(site)
            } else {
                self.host_bandwidth(site.accelerator, node)
            },
            inter: self.inter_bandwidth(site, node, per_node),
            in_switch: fast && !site.optional_link && has_adding_switches(site.accelerator),
            staged: !fast && self.staged.iter().any(|row| row.is_of(site)),
            domain: if !fast {
                per_node
            } else if rack_scale {
                domain
            } else {
                domain.min(per_node)
            },
            per_node,
            nodes,
        }
    }

    fn usual_per_node(&self, site: &Site<'_>, node: Option<&NodeRow>) -> u32 {
        let stated = site.stated.map(|s| s.accelerators_per_node);
        let typical = site.typical.map(|s| s.accelerators_per_node);
        stated
            .or(node.and_then(|n| n.per_node).map(|c| c.0))
            .or(typical)
            .or(self.defaults.as_ref().map(|d| d.per_node.0))
            .unwrap_or(1)
    }

    fn fast_bandwidth(&self, site: &Site<'_>) -> BytesPerSecond {
        let part = site.accelerator.link_bandwidth.map(|both| both / 2.0);
        let stated = site.stated.and_then(|s| s.intra_bandwidth);
        stated
            .or(part)
            .or(site.typical.and_then(|s| s.intra_bandwidth))
            .unwrap_or_else(|| self.host_bandwidth(site.accelerator, None))
    }

    fn host_bandwidth(&self, accelerator: &Accelerator, node: Option<&NodeRow>) -> BytesPerSecond {
        let usual = self.defaults.as_ref().map_or(3, |d| d.pcie_generation);
        let generation = accelerator.pcie_generation.unwrap_or(usual);
        let slot = self
            .pcie
            .iter()
            .find(|row| row.generation == generation)
            .or(self.pcie.first())
            .map_or(0.0, |row| row.gb_per_s.0);
        let share = node.and_then(|n| number(n.host_share)).unwrap_or(1.0);
        BytesPerSecond::from_gb_per_s(slot * share)
    }

    fn inter_bandwidth(
        &self,
        site: &Site<'_>,
        node: Option<&NodeRow>,
        per_node: u32,
    ) -> BytesPerSecond {
        let said = network_cards(&site.words).or_else(|| self.known_words(site));
        if let Some((cards, gbit)) = said {
            // A device drives one card at most.
            let sharing = f64::from(cards.max(per_node));
            return BytesPerSecond::from_gb_per_s(f64::from(cards) * gbit / 8.0 / sharing);
        }
        site.stated
            .and_then(|s| s.inter_bandwidth)
            .or(node
                .and_then(|n| number(n.inter_gb_per_s))
                .map(BytesPerSecond::from_gb_per_s))
            .or(site.system().and_then(|s| s.inter_bandwidth))
            .unwrap_or_else(|| {
                let usual = self.defaults.as_ref().map_or(0.0, |d| d.inter_gb_per_s.0);
                BytesPerSecond::from_gb_per_s(usual)
            })
    }

    fn known_words(&self, site: &Site<'_>) -> Option<(u32, f64)> {
        self.words
            .iter()
            .find(|row| {
                let part = row.prefix.as_ref();
                site.words.contains(&row.contains.0)
                    && part.is_none_or(|p| site.accelerator.name.starts_with(&p.0))
            })
            .map(|row| (row.cards.0, row.gbit_per_s.0))
    }
}

/// Whether the switches that join a part's boards add what passes them: those of Hopper and later do.
fn has_adding_switches(part: &Accelerator) -> bool {
    matches!(part.generation, Generation::Hopper | Generation::Blackwell)
}

/// Devices that share the fast link.
fn fast_domain(site: &Site<'_>, node: Option<&NodeRow>, per_node: u32) -> u32 {
    if let Some(stated) = site.stated {
        return stated.link_domain;
    }
    node.and_then(|n| n.fast_domain)
        .map(|c| c.0)
        .or(site.typical.map(|s| s.link_domain).filter(|&d| d > 1))
        .unwrap_or(if site.optional_link { 2 } else { per_node })
}

/// Cards of a node and Gbit/s of one, from words such as `ib-hdr-8x200g`, `4x connectx-7 ib ndr 400gb/s` or
/// `roce-1600gbps-node`; the fastest set counts, and cards for storage or management do not. Where the words break off
/// before the rate of the largest set, nothing is read.
fn network_cards(words: &str) -> Option<(u32, f64)> {
    let sets = words.match_indices('x').filter_map(|(at, _)| {
        let cards = trailing_number(&words[..at])?;
        let role = &words[..at];
        let role = &role[role.rfind(['/', ',']).map_or(0, |cut| cut + 1)..];
        let other_use = role.contains("storage") || role.contains("management");
        (!other_use && (1..=MOST_CARDS).contains(&cards)).then_some((cards, &words[at + 1..]))
    });
    let counted = sets
        .clone()
        .filter_map(|(cards, after)| Some((cards, f64::from(card_rate(after)?))));
    let unread = sets
        .filter(|(_, after)| card_rate(after).is_none() && names_a_network(after))
        .map(|(cards, _)| cards)
        .max();
    let whole_node = words.match_indices("gbps-node").filter_map(|(at, _)| {
        let gbit = trailing_number(&words[..at])?;
        (gbit >= 100).then_some((8, f64::from(gbit) / 8.0))
    });
    counted
        .chain(whole_node)
        .filter(|(cards, gbit)| f64::from(*cards) * gbit / 8.0 >= LEAST_NODE_GB_PER_S)
        .max_by(|a, b| (f64::from(a.0) * a.1).total_cmp(&(f64::from(b.0) * b.1)))
        .filter(|(cards, _)| unread.is_none_or(|more| more <= *cards))
}

/// Whether what follows a count, up to the next part of the words, is a card of the compute network.
fn names_a_network(after: &str) -> bool {
    let part = &after[..after.find(['/', ',']).unwrap_or(after.len())];
    part.contains("infiniband") || part.contains("connectx")
}

/// The number that ends a text.
fn trailing_number(text: &str) -> Option<u32> {
    let start = text.rfind(|c: char| !c.is_ascii_digit()).map_or(0, |at| {
        at + text[at..].chars().next().map_or(1, char::len_utf8)
    });
    text[start..].parse().ok()
}

/// The first card rate after a card count, unless another count comes first.
fn card_rate(after: &str) -> Option<u32> {
    let mut rest = after;
    let mut left = RATE_REACH;
    while let Some(at) = rest.find(|c: char| c.is_ascii_digit()) {
        left = left.checked_sub(at)?;
        let digits = &rest[at..];
        let end = digits
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(digits.len());
        let (number, tail) = (digits[..end].parse::<u32>().ok()?, &digits[end..]);
        let unit = tail.trim_start();
        let bits = if unit.starts_with(GIGABYTES) { 8 } else { 1 };
        let gbit = number.saturating_mul(bits);
        if CARD_RATES.contains(&gbit) && (unit.is_empty() || unit.starts_with('g')) {
            return Some(gbit);
        }
        if tail.starts_with('x') {
            return None;
        }
        rest = tail;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cards_are_read_from_the_words_of_runs() {
        let check = |words: &str, expect| {
            assert_eq!(network_cards(&super::words(words)), expect, "{words}");
        };
        check("NVLink5 / EFA v4 8x50GBps", Some((8, 400.0)));
        check("NVLink3/IB-HDR-8x200G", Some((8, 200.0)));
        check("NVLink3/Omni-Path-4x100G", Some((4, 100.0)));
        check("NVLink3/IB-4x200G (800 Gb/s per node)", Some((4, 200.0)));
        check("NVLink3/RoCE-1600Gbps-node", Some((8, 200.0)));
        check(
            "NVLINK Gen5 1800 GB/s + NVSWITCH Gen5/4x ConnectX-8 IB XDR 800 Gb/s",
            Some((4, 800.0)),
        );
        check(
            "1x Ethernet 40Gb/Sec, 8x ConnectX-6 IB HDR 200Gb/Sec",
            Some((8, 200.0)),
        );
        check("Storage: 2x ConnectX-6 IB HDR 200Gb/sec", None);
        check("18x 5th Gen NVLink, 14.4 TB/s aggregated bandwidth", None);
        check("24x 100Gb/s Ethernet", None);
        check(
            "NVLINK 4.0/1x Ethernet 100Gb/Sec, 8x NVIDIA Quantum-2 CX7 InfiniBand (4",
            None,
        );
        check("1x Ethernet 40Gb/Sec", None);
        check("NVLink", None);
    }

    #[test]
    fn cards_without_peer_access_and_rented_hosts_pass_messages_through_memory() {
        let catalogue = crate::presets::Catalogue::shipped().unwrap();
        let staged = |gpu: &str, words: &str| {
            let accelerator = catalogue.accelerator(gpu).unwrap();
            let fabric = catalogue.fabric(accelerator, None, 4, None, Some(words));
            fabric.staged
        };
        assert!(staged("RTX3090-24GB", ""));
        assert!(staged("RTX2080Ti-11GB", ""));
        assert!(!staged("RTX6000Ada-48GB", ""));
        assert!(!staged("A6000-48GB", ""));
        assert!(staged("A6000-48GB", "LambdaCloud_4xA6000"));
        assert!(staged("K80-12GB", "workers consolidated on one server"));
        assert!(!staged("H100-SXM5-80GB", "LambdaCloud_8xH100_80GB_SXM5"));
    }
}
