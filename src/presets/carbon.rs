//! Grids, data-centre overheads and electricity prices.

use super::error::{NameKind, UnknownName};
use super::fields::{Date, Positive, Text};
use super::names::{nearest, normalise};
use crate::units::GramsPerKwh;
use serde::Deserialize;
use std::collections::HashMap;

/// Greenhouse gas of a kilowatt-hour somewhere, location-based.
#[derive(Debug, Clone, PartialEq)]
pub struct GridIntensity {
    /// Country, US state, grid zone, or cloud region.
    pub region: String,
    /// The cloud whose region it is, if it is one.
    pub provider: Option<String>,
    /// Town or country of a cloud region.
    pub place: Option<String>,
    /// Grams of CO2 equivalent per kilowatt-hour.
    pub intensity: GramsPerKwh,
    /// Year the figure holds for, if stated.
    pub year: Option<u16>,
    /// Where the figure is from.
    pub source: String,
    /// When it was retrieved.
    pub retrieved: String,
    /// Anything a reader should know.
    pub note: Option<String>,
}

/// Power of a data centre over power of its computers.
#[derive(Debug, Clone, PartialEq)]
pub struct Pue {
    /// Whose data centres.
    pub provider: String,
    /// Which one; `None`: the fleet.
    pub region: Option<String>,
    /// The ratio, at least 1.
    pub ratio: f64,
    /// Year the figure holds for, if stated.
    pub year: Option<u16>,
    /// Where the figure is from.
    pub source: String,
    /// When it was retrieved.
    pub retrieved: String,
}

/// What a kilowatt-hour costs somewhere.
#[derive(Debug, Clone, PartialEq)]
pub struct ElectricityPrice {
    /// Country, continent or US state.
    pub region: String,
    /// US dollars per kilowatt-hour.
    pub usd_per_kwh: f64,
    /// Which tariff, e.g. `industrial`.
    pub tariff: String,
    /// Where the figure is from.
    pub source: String,
    /// When it was retrieved.
    pub retrieved: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CarbonFile {
    pub schema: u32,
    #[serde(default)]
    grid: Vec<GridRow>,
    #[serde(default)]
    region: Vec<RegionRow>,
    #[serde(default)]
    pue: Vec<PueRow>,
    #[serde(default)]
    electricity: Vec<ElectricityRow>,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
enum GridKind {
    Country,
    UsState,
    Zone,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GridRow {
    #[serde(rename = "kind")]
    _kind: GridKind,
    name: Text,
    #[serde(default)]
    aliases: Vec<Text>,
    country: Option<Text>,
    g_per_kwh: Positive,
    year: Option<u16>,
    source: Text,
    retrieved: Date,
    note: Option<Text>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RegionRow {
    provider: Text,
    name: Text,
    place: Option<Text>,
    country: Option<Text>,
    g_per_kwh: Positive,
    year: Option<u16>,
    source: Text,
    retrieved: Date,
    note: Option<Text>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PueRow {
    provider: Text,
    region: Option<Text>,
    ratio: Ratio,
    year: Option<u16>,
    source: Text,
    retrieved: Date,
    #[serde(rename = "note")]
    _note: Option<Text>,
}

#[derive(Deserialize)]
#[serde(try_from = "f64")]
struct Ratio(f64);

impl TryFrom<f64> for Ratio {
    type Error = &'static str;
    fn try_from(ratio: f64) -> Result<Self, Self::Error> {
        if (1.0..=5.0).contains(&ratio) {
            Ok(Self(ratio))
        } else {
            Err("not a power usage effectiveness; allowed: 1 to 5")
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ElectricityRow {
    name: Text,
    #[serde(default)]
    aliases: Vec<Text>,
    usd_per_kwh: Positive,
    tariff: Text,
    #[serde(rename = "year")]
    _year: Option<u16>,
    source: Text,
    retrieved: Date,
    #[serde(rename = "note")]
    _note: Option<Text>,
}

/// All grids, overheads and electricity prices of the catalogue.
#[derive(Debug, Clone, Default)]
pub(super) struct CarbonTable {
    grids: Vec<GridIntensity>,
    /// Spelled as given (lower case): `us-east-1` and `us-east1` are two regions of two clouds.
    exact: HashMap<String, usize>,
    loose: HashMap<String, usize>,
    pues: Vec<Pue>,
    electricity: HashMap<String, ElectricityPrice>,
}

fn words(text: Option<Text>) -> Option<String> {
    text.map(|t| t.0)
}

impl CarbonTable {
    /// Adds the figures of a file; one of a known name replaces it.
    pub(super) fn add(&mut self, file: CarbonFile) {
        file.grid.into_iter().for_each(|row| self.add_grid(row));
        file.region.into_iter().for_each(|row| self.add_region(row));
        for row in file.pue {
            self.pues.insert(
                0,
                Pue {
                    provider: row.provider.0,
                    region: words(row.region),
                    ratio: row.ratio.0,
                    year: row.year,
                    source: row.source.0,
                    retrieved: row.retrieved.0,
                },
            );
        }
        for row in file.electricity {
            let price = ElectricityPrice {
                region: row.name.0,
                usd_per_kwh: row.usd_per_kwh.0,
                tariff: row.tariff.0,
                source: row.source.0,
                retrieved: row.retrieved.0,
            };
            for alias in row.aliases {
                self.electricity.insert(normalise(&alias.0), price.clone());
            }
            self.electricity.insert(normalise(&price.region), price);
        }
    }

    fn add_grid(&mut self, row: GridRow) {
        let mut names = vec![row.name.0.clone()];
        names.extend(row.aliases.into_iter().map(|a| a.0));
        self.push(
            GridIntensity {
                region: row.name.0,
                provider: None,
                place: words(row.country),
                intensity: GramsPerKwh(row.g_per_kwh.0),
                year: row.year,
                source: row.source.0,
                retrieved: row.retrieved.0,
                note: words(row.note),
            },
            &names,
        );
    }

    fn add_region(&mut self, row: RegionRow) {
        let names = [
            row.name.0.clone(),
            format!("{} {}", row.provider.0, row.name.0),
            format!("{}/{}", row.provider.0, row.name.0),
        ];
        let place: Vec<String> = [row.place, row.country]
            .into_iter()
            .flatten()
            .map(|t| t.0)
            .collect();
        self.push(
            GridIntensity {
                region: row.name.0,
                provider: Some(row.provider.0),
                place: (!place.is_empty()).then(|| place.join(", ")),
                intensity: GramsPerKwh(row.g_per_kwh.0),
                year: row.year,
                source: row.source.0,
                retrieved: row.retrieved.0,
                note: words(row.note),
            },
            &names,
        );
    }

    fn push(&mut self, grid: GridIntensity, names: &[String]) {
        let at = self.grids.len();
        for name in names {
            self.exact.insert(name.to_lowercase(), at);
            self.loose.insert(normalise(name), at);
        }
        self.grids.push(grid);
    }

    /// The grid of a country (name or ISO code), US state, grid zone or cloud region.
    pub(super) fn grid(&self, region: &str) -> Result<&GridIntensity, UnknownName> {
        self.exact
            .get(&region.to_lowercase())
            .or_else(|| self.loose.get(&normalise(region)))
            .and_then(|&at| self.grids.get(at))
            .ok_or_else(|| UnknownName {
                kind: NameKind::Region,
                name: region.to_owned(),
                nearest: nearest(region, self.spellings()),
            })
    }

    fn spellings(&self) -> impl Iterator<Item = (&str, &str)> {
        self.exact
            .iter()
            .filter(|(name, _)| !name.contains('/'))
            .filter_map(|(name, &at)| Some((self.grids.get(at)?.region.as_str(), name.as_str())))
    }

    /// Every grid that a name still finds, in the order of the files.
    pub(super) fn grids(&self) -> Vec<&GridIntensity> {
        let mut found: Vec<usize> = self.exact.values().copied().collect();
        found.sort_unstable();
        found.dedup();
        found.iter().filter_map(|&at| self.grids.get(at)).collect()
    }

    /// The overhead of a provider's region, else of its fleet.
    pub(super) fn pue(&self, provider: &str, region: Option<&str>) -> Option<&Pue> {
        let wanted = normalise(provider);
        let of = |region: Option<&str>| {
            self.pues
                .iter()
                .find(|p| normalise(&p.provider) == wanted && p.region.as_deref() == region)
        };
        region.and_then(|r| of(Some(r))).or_else(|| of(None))
    }

    /// Every overhead known.
    pub(super) fn pues(&self) -> &[Pue] {
        &self.pues
    }

    /// What electricity costs in a country, continent or US state.
    pub(super) fn electricity(&self, region: &str) -> Option<&ElectricityPrice> {
        self.electricity.get(&normalise(region))
    }

    /// Every electricity price known, sorted by region.
    pub(super) fn electricity_prices(&self) -> Vec<&ElectricityPrice> {
        let mut all: Vec<&ElectricityPrice> = self.electricity.values().collect();
        all.sort_by(|a, b| a.region.cmp(&b.region));
        all.dedup_by(|a, b| a.region == b.region);
        all
    }
}
