//! The catalogue itself: loading, merging and looking up.

use super::error::{NameKind, PresetError, UnknownName};
use super::fabric::{FabricFile, FabricRules};
use super::files::{self, Kind, PresetFile};
use super::names::{Named, Shelf};
use super::schema_hardware::{
    AcceleratorRow, AcceleratorsFile, ModesFile, PrecisionEntry, PrecisionsFile, RuleBook,
    ShelvedAccelerator,
};
use super::schema_models::ModelsFile;
use super::schema_systems::SystemsFile;
use crate::domain::{Accelerator, Fabric, Model, PrecisionMode, PrecisionSpec, System};
use rayon::prelude::*;
use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use std::sync::{Arc, OnceLock};

impl Named for Accelerator {
    fn name(&self) -> &str {
        &self.name
    }
    fn aliases(&self) -> &[String] {
        &self.aliases
    }
}

impl Named for System {
    fn name(&self) -> &str {
        &self.name
    }
    fn aliases(&self) -> &[String] {
        &self.aliases
    }
}

impl Named for Model {
    fn name(&self) -> &str {
        &self.name
    }
    fn aliases(&self) -> &[String] {
        &self.aliases
    }
}

/// Accelerators, systems, models, precision modes, prices and grids, each found by name.
///
/// Names are matched without regard to case, `_`, `-` and space.
#[derive(Debug)]
pub struct Catalogue {
    precisions: BTreeMap<PrecisionMode, PrecisionEntry>,
    accelerators: Shelf<Accelerator>,
    /// Names of parts whose fast link is a bridge that is sold apart.
    optional_links: HashSet<String>,
    systems: Shelf<System>,
    models: Shelf<Model>,
    fabric: FabricRules,
}

impl Catalogue {
    /// The catalogue of the shipped files; read once, then shared.
    ///
    /// # Errors
    /// [`PresetError`] names the file and place; a test keeps shipped files free of them.
    pub fn shipped() -> Result<Arc<Self>, PresetError> {
        static SHIPPED: OnceLock<Result<Arc<Catalogue>, PresetError>> = OnceLock::new();
        SHIPPED
            .get_or_init(|| Self::of_files(&files::shipped()?).map(Arc::new))
            .clone()
    }

    /// The shipped catalogue with a user's folder of the same schema laid over it: an entry of a known name
    /// replaces it, others are added. A folder that does not exist changes nothing.
    ///
    /// # Errors
    /// [`PresetError`] names the user's file, line, column and field, and what is allowed there.
    pub fn with_user_overrides(dir: &Path) -> Result<Arc<Self>, PresetError> {
        let own = files::of_folder(dir)?;
        if own.is_empty() {
            return Self::shipped();
        }
        let mut all = files::shipped()?;
        all.extend(own);
        Self::of_files(&all).map(Arc::new)
    }

    pub(super) fn of_files(files: &[PresetFile]) -> Result<Self, PresetError> {
        let mut contents: Vec<(&PresetFile, Contents)> = files
            .par_iter()
            .map(|file| Ok((file, Contents::parse(file)?)))
            .collect::<Result<_, PresetError>>()?;
        let mut draft = Draft::default();
        for (file, contents) in contents.drain(..) {
            draft.add(file, contents);
        }
        draft.finish()
    }

    /// What a mode stores and how wide.
    pub fn precision(&self, mode: PrecisionMode) -> PrecisionSpec {
        self.precision_entry(mode).spec
    }

    /// A mode with its label, words and source.
    pub fn precision_entry(&self, mode: PrecisionMode) -> &PrecisionEntry {
        // `Draft::finish` refuses a catalogue that lacks a mode.
        &self.precisions[&mode]
    }

    /// The part of that name or alias.
    ///
    /// # Errors
    /// [`UnknownName`] with the three nearest known names.
    pub fn accelerator(&self, name: &str) -> Result<&Arc<Accelerator>, UnknownName> {
        self.accelerators.find(name)
    }

    /// The node type of that name or alias.
    ///
    /// # Errors
    /// [`UnknownName`] with the three nearest known names.
    pub fn system(&self, name: &str) -> Result<&Arc<System>, UnknownName> {
        self.systems.find(name)
    }

    /// The model of that name or alias.
    ///
    /// # Errors
    /// [`UnknownName`] with the three nearest known names.
    pub fn model(&self, name: &str) -> Result<&Arc<Model>, UnknownName> {
        self.models.find(name)
    }

    /// All parts, sorted by name.
    pub fn accelerators(&self) -> &[Arc<Accelerator>] {
        self.accelerators.items()
    }

    /// All node types, sorted by name.
    pub fn systems(&self) -> &[Arc<System>] {
        self.systems.items()
    }

    /// All models, sorted by name.
    pub fn models(&self) -> &[Arc<Model>] {
        self.models.items()
    }

    /// The node a part usually sits in: the 8-way board, the NVL72 rack, the host of a TPU slice, a PCIe host.
    /// `None` where no system of the catalogue is typical of it.
    pub fn default_system(&self, accelerator: &Accelerator) -> Option<&Arc<System>> {
        self.systems
            .get(self.fabric.node(&accelerator.name)?.system()?)
    }

    /// How `count` accelerators are joined.
    ///
    /// `system` is what the user named (`None`: the typical node), `nodes` the stated number of nodes, and
    /// `interconnect_words` whatever a run says of its network and system, e.g. `NVLink3/IB-HDR-8x200G`.
    /// Bandwidths are those of the links, per device and direction, without any efficiency.
    pub fn fabric(
        &self,
        accelerator: &Accelerator,
        system: Option<&System>,
        count: u32,
        nodes: Option<u32>,
        interconnect_words: Option<&str>,
    ) -> Fabric {
        let typical = self.default_system(accelerator).map(AsRef::as_ref);
        let optional = self.optional_links.contains(&accelerator.name);
        self.fabric.join(
            &super::fabric::Site {
                accelerator,
                optional_link: optional,
                stated: system,
                typical,
                words: interconnect_words.unwrap_or("").to_lowercase(),
            },
            count.max(1),
            nodes,
        )
    }
}

/// A parsed file.
enum Contents {
    Precisions(PrecisionsFile),
    Modes(ModesFile),
    Fabric(FabricFile),
    Accelerators(AcceleratorsFile),
    Systems(SystemsFile),
    Models(Vec<Model>),
    Other,
}

impl Contents {
    fn parse(file: &PresetFile) -> Result<Self, PresetError> {
        let (contents, schema) = match file.kind {
            Kind::Precisions => {
                let parsed: PrecisionsFile = file.parse()?;
                let schema = parsed.schema;
                (Self::Precisions(parsed), schema)
            }
            Kind::Modes => {
                let parsed: ModesFile = file.parse()?;
                let schema = parsed.schema;
                (Self::Modes(parsed), schema)
            }
            Kind::Fabric => {
                let parsed: FabricFile = file.parse()?;
                let schema = parsed.schema;
                (Self::Fabric(parsed), schema)
            }
            Kind::Accelerators => {
                let parsed: AcceleratorsFile = file.parse()?;
                let schema = parsed.schema;
                (Self::Accelerators(parsed), schema)
            }
            Kind::Systems => {
                let parsed: SystemsFile = file.parse()?;
                let schema = parsed.schema;
                (Self::Systems(parsed), schema)
            }
            Kind::Models => {
                let parsed: ModelsFile = file.parse()?;
                let schema = parsed.schema;
                let models = parsed
                    .model
                    .into_iter()
                    .map(|row| row.convert(file))
                    .collect::<Result<_, _>>()?;
                (Self::Models(models), schema)
            }
            Kind::Prices | Kind::Carbon => (Self::Other, files::SCHEMA),
        };
        file.check_schema(schema)?;
        Ok(contents)
    }
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
            Contents::Other => {}
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
        Ok(Catalogue {
            precisions: self.precisions,
            accelerators: Shelf::new(NameKind::Accelerator, accelerators),
            optional_links,
            systems: Shelf::new(NameKind::System, self.systems),
            models: Shelf::new(NameKind::Model, self.models),
            fabric: self.fabric,
        })
    }
}
