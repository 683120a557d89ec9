//! The communication stage: boosted trees on measured collectives, as the log of measured over alpha-beta.

use super::trees::{BoostError, BoostParams, Forest};
use crate::physics::collectives::{Collective, CollectiveKind};
use crate::physics::exchange::{Exchange, Purpose};
use crate::presets::Catalogue;
use linfa::DatasetBase;
use linfa::traits::Fit;
use ndarray::{Array1, Array2};
use serde::{Deserialize, Serialize};

/// Names of the stage's features, in the order of a row.
pub const LABELS: [&str; 7] = [
    "Message size",
    "Ranks of a collective",
    "Domains of a collective",
    "Link bandwidth",
    "Network bandwidth",
    "Kind of collective",
    "Network cards a ring may use",
];

/// Links (bytes per second, per device and direction) that collectives were measured on; beyond them physics stands.
const MEASURED_LINKS: std::ops::RangeInclusive<f64> = 200e9..=1000e9;

/// Ranks of a node that take part in every collective measured over several nodes; rings of fewer, as between
/// data-parallel ranks of models cut within the node, were not measured, and physics stands.
const MEASURED_RANKS: f64 = 8.0;

/// The fitted stage.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct CommunicationStage {
    /// Trees on the log of measured over alpha-beta.
    pub forest: Forest,
    /// Measured points it was fitted on.
    pub points: usize,
    /// Median absolute percentage error of alpha-beta alone and of the stage, systems held out.
    pub held_out_error: (f64, f64),
}

/// One measured collective.
#[derive(Debug, Clone)]
pub struct MeasuredCollective {
    /// The collective.
    pub collective: Collective,
    /// Measured seconds.
    pub seconds: f64,
    /// The system it was measured on: held out whole.
    pub system: String,
}

#[derive(Debug, Deserialize)]
struct Row {
    collective: String,
    gpu: String,
    system: String,
    gpus: u32,
    nodes: u32,
    interconnect: String,
    message_bytes: Option<f64>,
    time_us: Option<f64>,
    busbw_gbs: Option<f64>,
    #[serde(rename = "use")]
    usage: String,
}

static MEASURED: &str = include_str!("../../assets/collectives/measured.csv");

/// The measured collectives that ship; rows marked `evidence` and parts unknown to the catalogue are left out.
pub fn measured_collectives(catalogue: &Catalogue) -> Vec<MeasuredCollective> {
    csv::Reader::from_reader(MEASURED.as_bytes())
        .deserialize::<Row>()
        .filter_map(|row| measured(&row.ok()?, catalogue))
        .collect()
}

fn measured(row: &Row, catalogue: &Catalogue) -> Option<MeasuredCollective> {
    if row.usage != "fit" {
        return None;
    }
    let kind = match row.collective.as_str() {
        "all_reduce" => CollectiveKind::AllReduce,
        "all_gather" => CollectiveKind::AllGather,
        "reduce_scatter" => CollectiveKind::ReduceScatter,
        "alltoall" => CollectiveKind::AllToAll,
        _ => return None,
    };
    let accelerator = catalogue.accelerator(&row.gpu).ok()?;
    let system = catalogue.system(&row.system).ok();
    let fabric = catalogue.fabric(
        accelerator,
        system.map(|s| &**s),
        row.gpus,
        Some(row.nodes),
        Some(&row.interconnect),
    );
    let bytes = row.message_bytes.filter(|b| *b > 0.0)?;
    let collective = Collective::over(&fabric, kind, bytes, row.gpus, [row.gpus, 1]);
    let seconds = match (row.time_us, row.busbw_gbs) {
        (Some(time), _) if time > 0.0 => time / 1e6,
        // nccl-tests define bus bandwidth as the volume each rank sends over the time.
        (_, Some(bus)) if bus > 0.0 => collective.volume() / (bus * 1e9),
        _ => return None,
    };
    Some(MeasuredCollective {
        collective,
        seconds,
        system: row.system.clone(),
    })
}

fn row(c: &Collective) -> [f32; 7] {
    [
        c.bytes.max(1.0).ln() as f32,
        c.ranks.ln() as f32,
        c.domains().ln() as f32,
        c.intra.ln() as f32,
        if c.domains() > 1.0 {
            c.inter.ln() as f32
        } else {
            0.0
        },
        f32::from(c.kind as u8),
        c.cards as f32,
    ]
}

/// Few, small trees: the 20 measured systems differ in much that no feature tells, and what is learned of a number of ranks must
/// not be one system's. More ranks or domains are never faster.
fn params() -> BoostParams {
    BoostParams {
        trees: 50,
        leaves: 4,
        monotone: vec![0, 1, 1, 0, 0, 0, 0],
        rate: 0.05,
        min_leaf: 5,
        l2: 2.0,
        column_share: 0.7,
        ..BoostParams::default()
    }
}

fn fit_forest(points: &[MeasuredCollective]) -> Result<Forest, BoostError> {
    let records = Array2::from_shape_fn((points.len(), LABELS.len()), |(i, j)| {
        row(&points[i].collective)[j]
    });
    let targets: Array1<f64> = points
        .iter()
        .map(|p| (p.seconds / p.collective.time().value()).ln())
        .collect();
    params().fit(&DatasetBase::new(records, targets))
}

impl CommunicationStage {
    /// Fits the stage and measures it with whole systems held out.
    ///
    /// # Errors
    /// [`BoostError`] where there are no points.
    pub fn fit(points: &[MeasuredCollective]) -> Result<Self, BoostError> {
        Ok(Self {
            forest: fit_forest(points)?,
            points: points.len(),
            held_out_error: held_out_error(points)?,
        })
    }

    /// Log of the correction for one collective; 0 where nothing like it was measured.
    pub fn correction(&self, c: &Collective) -> f64 {
        if c.pcie
            || c.ranks <= 1.0
            || !MEASURED_LINKS.contains(&c.intra)
            || (c.domains() > 1.0 && c.ranks_per_domain < MEASURED_RANKS)
            || self.forest.trees.is_empty()
        {
            return 0.0;
        }
        self.forest.predict_row(&row(c)).clamp(-1.0, 1.5)
    }

    /// Corrects every call of an exchange in place.
    pub fn apply(&self, exchange: &mut Exchange) {
        for call in exchange.calls.iter_mut().flatten() {
            call.seconds *= self.correction(&call.collective).exp();
        }
    }

    /// Contributions by feature to one collective's log correction, and the mean of measured points.
    pub fn contributions(&self, c: &Collective) -> Vec<f64> {
        self.forest.contributions(&row(c))
    }
}

/// Takes the correction of every call back: latency, bandwidth and ramp alone.
pub(super) fn uncorrect(exchange: &mut Exchange) {
    for (purpose, call) in Purpose::ALL.into_iter().zip(&mut exchange.calls) {
        if let Some(call) = call {
            call.seconds = purpose.by_physics(&call.collective, call.calls);
        }
    }
}

/// Gain share of each feature in the shipped forest, and the rise of the mean absolute log error when it is shuffled on
/// held-out systems (every fourth by name).
///
/// # Errors
/// [`BoostError`] where there are no points.
pub fn importance(points: &[MeasuredCollective]) -> Result<Vec<(f64, f64)>, BoostError> {
    let mut systems: Vec<&str> = points.iter().map(|p| p.system.as_str()).collect();
    systems.sort_unstable();
    systems.dedup();
    let kept = |p: &MeasuredCollective| {
        systems
            .iter()
            .position(|s| *s == p.system)
            .is_some_and(|i| i % 4 == 0)
    };
    let (test, train): (Vec<MeasuredCollective>, Vec<_>) = points.iter().cloned().partition(kept);
    let forest = fit_forest(&train)?;
    let rows: Vec<[f32; 7]> = test.iter().map(|p| row(&p.collective)).collect();
    let error = |rows: &[[f32; 7]]| {
        let sum: f64 = rows
            .iter()
            .zip(&test)
            .map(|(row, p)| {
                ((p.seconds / p.collective.time().value()).ln() - forest.predict_row(row)).abs()
            })
            .sum();
        sum / rows.len().max(1) as f64
    };
    let before = error(&rows);
    let gains = fit_forest(points)?.gain_shares();
    Ok(gains
        .into_iter()
        .enumerate()
        .map(|(feature, gain)| {
            let mut shuffled = rows.clone();
            for (i, row) in shuffled.iter_mut().enumerate() {
                row[feature] = rows[super::importance::shuffled(i, rows.len())][feature];
            }
            (gain, error(&shuffled) - before)
        })
        .collect())
}

fn held_out_error(points: &[MeasuredCollective]) -> Result<(f64, f64), BoostError> {
    let mut systems: Vec<&str> = points.iter().map(|p| p.system.as_str()).collect();
    systems.sort_unstable();
    systems.dedup();
    let mut errors = (Vec::new(), Vec::new());
    for system in systems {
        let (test, train): (Vec<MeasuredCollective>, Vec<_>) =
            points.iter().cloned().partition(|p| p.system == system);
        if train.is_empty() {
            continue;
        }
        let stage = CommunicationStage {
            forest: fit_forest(&train)?,
            ..CommunicationStage::default()
        };
        for point in test {
            let physics = point.collective.time().value();
            errors.0.push((physics / point.seconds - 1.0).abs() * 100.0);
            let corrected = physics * stage.correction(&point.collective).exp();
            errors
                .1
                .push((corrected / point.seconds - 1.0).abs() * 100.0);
        }
    }
    let median = |mut v: Vec<f64>| {
        v.sort_by(f64::total_cmp);
        v.get(v.len() / 2).copied().unwrap_or(0.0)
    };
    Ok((median(errors.0), median(errors.1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn over_nodes(kind: CollectiveKind, nodes: u32, bytes: f64) -> Collective {
        let catalogue = Catalogue::shipped().unwrap();
        let h100 = catalogue.accelerator("H100-SXM5-80GB").unwrap();
        let count = 8 * nodes;
        let fabric = catalogue.fabric(h100, None, count, None, None);
        Collective::over(&fabric, kind, bytes, count, [count, 1])
    }

    #[test]
    fn more_nodes_are_never_faster_whatever_single_systems_were_measured() {
        let catalogue = Catalogue::shipped().unwrap();
        let stage = CommunicationStage::fit(&measured_collectives(&catalogue)).unwrap();
        for kind in [
            CollectiveKind::AllReduce,
            CollectiveKind::AllGather,
            CollectiveKind::ReduceScatter,
        ] {
            for bytes in [1e6, 25e6, 400e6, 4e9] {
                let mut before = 0.0;
                for nodes in [1, 2, 4, 8, 12, 16, 32, 64, 256] {
                    let collective = over_nodes(kind, nodes, bytes);
                    let seconds = collective.time().value() * stage.correction(&collective).exp();
                    assert!(seconds > before, "{kind:?} of {bytes} over {nodes} nodes");
                    before = seconds;
                }
            }
        }
    }

    #[test]
    fn long_messages_between_nodes_take_what_the_named_networks_carry() {
        let catalogue = Catalogue::shipped().unwrap();
        let mut checked = 0;
        for point in measured_collectives(&catalogue) {
            let c = &point.collective;
            if c.domains() > 1.0 && c.bytes >= 4e9 {
                let share = point.seconds / c.time().value();
                assert!((0.6..2.1).contains(&share), "{}: {share}", point.system);
                checked += 1;
            }
        }
        assert!(checked > 15, "{checked}");
    }
}
