//! What a run would emit elsewhere: in the cleanest, the median and the dirtiest grid that ships beside its own.

use super::facts;
use crate::presets::Catalogue;
use crate::units::KilowattHours;

/// The emissions of one run on one grid.
#[derive(Debug, Clone, PartialEq)]
pub struct GridEmissions {
    /// Country, state, zone or cloud region.
    pub region: String,
    /// The cloud whose region it is, if it is one.
    pub provider: Option<String>,
    /// Town or country of a cloud region.
    pub place: Option<String>,
    /// Kilograms of CO2 equivalent, as a plan for that region says.
    pub kg: f64,
    /// Where the intensity is from.
    pub source: String,
    /// When that was read.
    pub retrieved: String,
    /// What was noted with it, a commit for one.
    pub note: Option<String>,
}

/// A run's emissions over every grid that ships.
#[derive(Debug, Clone, PartialEq)]
pub struct RegionsCompared {
    /// Lowest.
    pub cleanest: GridEmissions,
    /// In the region of the request, where one is set.
    pub chosen: Option<GridEmissions>,
    /// The middle one; of an even number the upper of the two.
    pub median: GridEmissions,
    /// Highest.
    pub dirtiest: GridEmissions,
    /// Every grid, cleanest first.
    pub all: Vec<GridEmissions>,
}

/// Compares the grids of a catalogue for so much energy at the socket, bought of a provider. `None` where none ships or
/// nobody states what buildings take.
pub fn compare_regions(
    catalogue: &Catalogue,
    energy: KilowattHours,
    provider: Option<&str>,
    region: Option<&str>,
) -> Option<RegionsCompared> {
    let mut all = Vec::new();
    let mut chosen = None;
    let wanted = region.and_then(|name| catalogue.carbon(name).ok());
    for grid in catalogue.grids() {
        let overhead = facts::building_overhead(catalogue, provider, &grid.region).ok()?;
        let found = GridEmissions {
            region: grid.region.clone(),
            provider: grid.provider.clone(),
            place: grid.place.clone(),
            kg: (grid.intensity * KilowattHours(energy.value() * overhead)).value(),
            source: grid.source.clone(),
            retrieved: grid.retrieved.clone(),
            note: grid.note.clone(),
        };
        if wanted == Some(grid) {
            chosen = Some(found.clone());
        }
        all.push(found);
    }
    all.sort_by(|a, b| a.kg.total_cmp(&b.kg).then_with(|| a.region.cmp(&b.region)));
    Some(RegionsCompared {
        cleanest: all.first()?.clone(),
        chosen,
        median: all.get(all.len() / 2)?.clone(),
        dirtiest: all.last()?.clone(),
        all,
    })
}
