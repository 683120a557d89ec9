//! From files to a catalogue: parsing, in parallel, and merging, in the order of the files.

use super::carbon::{CarbonFile, CarbonTable};
use super::catalogue::Catalogue;
use super::error::{NameKind, PresetError};
use super::fabric::{FabricFile, FabricRules};
use super::files::{Kind, PresetFile};
use super::names::Shelf;
use super::practice::{Advice, AdviceFile, Figure, ReliabilityFile};
use super::prices::{PriceList, PricesFile};
use super::schema_hardware::{
    AcceleratorRow, AcceleratorsFile, ModesFile, PrecisionEntry, PrecisionsFile, RuleBook,
    ShelvedAccelerator,
};
use super::schema_models::ModelsFile;
use super::schema_systems::SystemsFile;
use crate::domain::{Model, PrecisionMode, System};
use rayon::prelude::*;
use std::collections::{BTreeMap, HashSet};

/// The catalogue of these files; an entry of a later file replaces one of the same name.
pub(super) fn catalogue(files: &[PresetFile]) -> Result<Catalogue, PresetError> {
    let parsed: Vec<(&PresetFile, Contents)> = files
        .par_iter()
        .map(|file| Ok((file, Contents::parse(file)?)))
        .collect::<Result<_, PresetError>>()?;
    let mut draft = Draft::default();
    for (file, contents) in parsed {
        draft.add(file, contents);
    }
    draft.finish()
}

/// A parsed file.
enum Contents {
    Precisions(PrecisionsFile),
    Modes(ModesFile),
    Fabric(FabricFile),
    Accelerators(AcceleratorsFile),
    Systems(SystemsFile),
    Models(Vec<Model>),
    Prices(PricesFile),
    Carbon(CarbonFile),
    Reliability(ReliabilityFile),
    Advice(AdviceFile),
}

impl Contents {
    fn parse(file: &PresetFile) -> Result<Self, PresetError> {
        Ok(match file.kind {
            Kind::Precisions => Self::Precisions(file.read(|f: &PrecisionsFile| f.schema)?),
            Kind::Modes => Self::Modes(file.read(|f: &ModesFile| f.schema)?),
            Kind::Fabric => Self::Fabric(file.read(|f: &FabricFile| f.schema)?),
            Kind::Accelerators => Self::Accelerators(file.read(|f: &AcceleratorsFile| f.schema)?),
            Kind::Systems => Self::Systems(file.read(|f: &SystemsFile| f.schema)?),
            Kind::Prices => Self::Prices(file.read(|f: &PricesFile| f.schema)?),
            Kind::Carbon => Self::Carbon(file.read(|f: &CarbonFile| f.schema)?),
            Kind::Reliability => Self::Reliability(file.read(|f: &ReliabilityFile| f.schema)?),
            Kind::Advice => Self::Advice(file.read(|f: &AdviceFile| f.schema)?),
            Kind::Models => Self::Models(models(file)?),
        })
    }
}

/// The models of a file.
pub(super) fn models(file: &PresetFile) -> Result<Vec<Model>, PresetError> {
    let parsed: ModelsFile = file.read(|f: &ModelsFile| f.schema)?;
    parsed
        .model
        .into_iter()
        .map(|row| row.convert(file))
        .collect()
}

/// A catalogue in the making; later files replace entries of earlier ones.
#[derive(Default)]
struct Draft<'a> {
    precisions: BTreeMap<PrecisionMode, PrecisionEntry>,
    rules: RuleBook,
    rows: Vec<(&'a PresetFile, AcceleratorRow)>,
    systems: Vec<System>,
    models: Vec<Model>,
    fabric: FabricRules,
    prices: Vec<(&'a PresetFile, PricesFile)>,
    carbon: CarbonTable,
    figures: Vec<Figure>,
    advice: Vec<Advice>,
}

impl<'a> Draft<'a> {
    fn add(&mut self, file: &'a PresetFile, contents: Contents) {
        match contents {
            Contents::Precisions(parsed) => {
                for row in parsed.precision {
                    let entry = PrecisionEntry::from(row);
                    self.precisions.insert(entry.spec.mode, entry);
                }
            }
            Contents::Modes(parsed) => self.rules.add(parsed.rules),
            Contents::Fabric(parsed) => self.fabric.add(parsed),
            Contents::Accelerators(parsed) => self
                .rows
                .extend(parsed.accelerator.into_iter().map(|row| (file, row))),
            Contents::Systems(parsed) => self
                .systems
                .extend(parsed.system.into_iter().map(System::from)),
            Contents::Models(models) => self.models.extend(models),
            Contents::Prices(parsed) => self.prices.push((file, parsed)),
            Contents::Carbon(parsed) => self.carbon.add(parsed),
            Contents::Reliability(parsed) => parsed.add_to(&mut self.figures),
            Contents::Advice(parsed) => parsed.add_to(&mut self.advice),
        }
    }

    fn finish(self) -> Result<Catalogue, PresetError> {
        if let Some(mode) = PrecisionMode::ALL
            .into_iter()
            .find(|mode| !self.precisions.contains_key(mode))
        {
            return Err(PresetError::Incomplete(format!(
                "precisions.toml says nothing of `{mode}`"
            )));
        }
        let mut optional_links = HashSet::new();
        let mut accelerators = Vec::with_capacity(self.rows.len());
        for (file, row) in self.rows {
            let ShelvedAccelerator {
                accelerator,
                link_is_optional,
            } = row.convert(file, &self.rules)?;
            if link_is_optional {
                optional_links.insert(accelerator.name.clone());
            } else {
                optional_links.remove(&accelerator.name);
            }
            accelerators.push(accelerator);
        }
        let accelerators = Shelf::new(NameKind::Accelerator, accelerators);
        let mut prices = PriceList::default();
        for (file, parsed) in &self.prices {
            prices.add(file, parsed, |name| {
                accelerators.find(name).map(|found| found.name.clone())
            })?;
        }
        Ok(Catalogue {
            precisions: self.precisions,
            accelerators,
            optional_links,
            systems: Shelf::new(NameKind::System, self.systems),
            models: Shelf::new(NameKind::Model, self.models),
            fabric: self.fabric,
            prices: prices.finish(),
            carbon: self.carbon,
            figures: self.figures,
            advice: self.advice,
        })
    }
}
