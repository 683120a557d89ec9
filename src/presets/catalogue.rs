//! The catalogue itself: what is looked up by name.

use super::carbon::{CarbonTable, ElectricityPrice, GridIntensity, Pue};
use super::error::{PresetError, UnknownName};
use super::fabric::{self, FabricRules, Site};
use super::names::{Named, Shelf};
use super::practice::{Advice, Figure};
use super::prices::{Price, PriceList, Tier};
use super::schema_hardware::PrecisionEntry;
use super::{files, load};
use crate::domain::{Accelerator, Fabric, Model, PrecisionMode, PrecisionSpec, System};
use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use std::sync::{Arc, OnceLock};

/// What is said of a folder of presets that is none.
const NO_FOLDER: &str =
    "no such folder; allowed: a folder of presets, as `presets/README.md` lays it out";

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
    pub(super) precisions: BTreeMap<PrecisionMode, PrecisionEntry>,
    pub(super) accelerators: Shelf<Accelerator>,
    /// Names of parts whose fast link is a bridge that is sold apart.
    pub(super) optional_links: HashSet<String>,
    pub(super) systems: Shelf<System>,
    pub(super) models: Shelf<Model>,
    pub(super) fabric: FabricRules,
    pub(super) prices: PriceList,
    pub(super) carbon: CarbonTable,
    pub(super) figures: Vec<Figure>,
    pub(super) advice: Vec<Advice>,
}

impl Catalogue {
    /// The catalogue of the shipped files; read once, then shared.
    ///
    /// # Errors
    /// [`PresetError`] names the file and place; a test keeps shipped files free of them.
    pub fn shipped() -> Result<Arc<Self>, PresetError> {
        static SHIPPED: OnceLock<Result<Arc<Catalogue>, PresetError>> = OnceLock::new();
        SHIPPED
            .get_or_init(|| load::catalogue(&files::shipped()?).map(Arc::new))
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
        load::catalogue(&all).map(Arc::new)
    }

    /// The shipped catalogue, with a folder of one's own laid over it where one is given.
    ///
    /// # Errors
    /// As [`Catalogue::with_user_overrides`] has them, and where the folder is none.
    pub fn with_own(folder: Option<&Path>) -> Result<Arc<Self>, PresetError> {
        match folder {
            None => Self::shipped(),
            Some(folder) if folder.is_dir() => Self::with_user_overrides(folder),
            Some(folder) => Err(PresetError::Io {
                path: folder.display().to_string(),
                message: NO_FOLDER.into(),
            }),
        }
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

    /// The node type of that name or alias, for a part that it holds or that could stand in its place: of the same
    /// micro-architecture (an A100 of 40 GB in the DGX of those of 80 GB, an H200 in that of H100).
    ///
    /// # Errors
    /// A sentence with the nearest known names, or with the part that the node holds and the nodes of the part asked.
    pub fn system_of(&self, name: &str, part: &Accelerator) -> Result<&Arc<System>, String> {
        let system = self.system(name).map_err(|error| error.to_string())?;
        let holds = |system: &System| {
            self.accelerators
                .get(&system.accelerator)
                .is_some_and(|held| held.name == part.name)
        };
        let held = self.accelerators.get(&system.accelerator);
        if held.is_some_and(|held| held.generation == part.generation) {
            return Ok(system);
        }
        let nodes: Vec<&str> = (self.systems().iter())
            .filter(|system| holds(system))
            .map(|system| system.name.as_str())
            .collect();
        let allowed = match nodes.as_slice() {
            [] => "no system of it is known; leave it out".to_owned(),
            names => format!("allowed: {}", names.join(", ")),
        };
        Err(format!(
            "`{}` holds {}, not {}; {allowed}",
            system.name, system.accelerator, part.name
        ))
    }

    /// The model of that name or alias.
    ///
    /// # Errors
    /// [`UnknownName`] with the three nearest known names.
    pub fn model(&self, name: &str) -> Result<&Arc<Model>, UnknownName> {
        self.models.find(name)
    }

    /// The model of that name or alias; `NAME-l8` of a transformer is its first eight layers, as those who measure a part of a
    /// model that is too large for them name it.
    ///
    /// # Errors
    /// [`UnknownName`] with the three nearest known names.
    pub fn model_or_layers(&self, name: &str) -> Result<Arc<Model>, UnknownName> {
        let listed = self.models.get(name).map(Arc::clone);
        match listed.or_else(|| self.first_layers(name)) {
            Some(model) => Ok(model),
            None => self.model(name).map(Arc::clone),
        }
    }

    /// What `NAME-l8` asks for, where `NAME` is such a model.
    fn first_layers(&self, name: &str) -> Option<Arc<Model>> {
        let (whole, layers) = name.rsplit_once("-l")?;
        let whole = self.models.get(whole)?;
        whole.first_layers(layers.parse().ok()?, name).map(Arc::new)
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
            &Site {
                accelerator,
                optional_link: optional,
                stated: system,
                typical,
                words: fabric::words(interconnect_words.unwrap_or("")),
            },
            count.max(1),
            nodes,
        )
    }

    /// The price of an accelerator hour to plan with; `None` where nobody states one, which does not mean free.
    ///
    /// The user's own price (provider `own`) where there is one, else list prices that are not stale, then marketplace
    /// bids, copies and prices without a host, then stale ones, which say so. Among those, what joins most of the
    /// `together` accelerators that the run wants in one node (single machines are cheap and have no link between
    /// them), then the cheapest.
    pub fn price(
        &self,
        accelerator: &str,
        provider: Option<&str>,
        tier: Tier,
        together: u32,
    ) -> Option<&Price> {
        let found = self.accelerators.get(accelerator)?;
        self.prices.best(&found.name, provider, tier, together)
    }

    /// All prices of an accelerator, by provider, tier and then price.
    pub fn prices(&self, accelerator: &str) -> Vec<&Price> {
        self.accelerators
            .get(accelerator)
            .map(|found| self.prices.of(&found.name).collect())
            .unwrap_or_default()
    }

    /// Everyone who sells accelerator hours, sorted.
    pub fn providers(&self) -> Vec<&str> {
        self.prices.providers()
    }

    /// The listed name of a provider.
    ///
    /// # Errors
    /// [`UnknownName`] with the three nearest known names.
    pub fn provider(&self, name: &str) -> Result<&str, UnknownName> {
        self.prices.provider(name)
    }

    /// The grid of a country (name or ISO code), US state, grid zone or cloud region (`us-east-1`, `gcp us-east1`).
    ///
    /// # Errors
    /// [`UnknownName`] with the three nearest known names.
    pub fn carbon(&self, region: &str) -> Result<&GridIntensity, UnknownName> {
        self.carbon.grid(region)
    }

    /// Every grid of the catalogue.
    pub fn grids(&self) -> Vec<&GridIntensity> {
        self.carbon.grids()
    }

    /// Power usage effectiveness of a provider's region, else of its fleet; `on-premises-average` and
    /// `public-cloud-average` are providers too. `None` where nobody states it.
    pub fn pue(&self, provider: &str, region: Option<&str>) -> Option<&Pue> {
        self.carbon.pue(provider, region)
    }

    /// Every power usage effectiveness of the catalogue.
    pub fn pues(&self) -> &[Pue] {
        self.carbon.pues()
    }

    /// What electricity costs in a country, continent or US state, where it is known.
    pub fn electricity(&self, region: &str) -> Option<&ElectricityPrice> {
        self.carbon.electricity(region)
    }

    /// A figure of practice, e.g. `restart-min`, where it is known.
    pub fn figure(&self, name: &str) -> Option<&Figure> {
        self.figures.iter().find(|figure| figure.name == name)
    }

    /// What is known of a mode on a model of some family, task and parameters; needs first, then risks.
    pub fn advice(
        &self,
        mode: PrecisionMode,
        family: &str,
        task: &str,
        parameters: f64,
    ) -> Vec<&Advice> {
        let mut lines: Vec<&Advice> = (self.advice.iter())
            .filter(|line| line.concerns(mode, family, task, parameters))
            .collect();
        lines.sort_by_key(|line| line.kind);
        lines
    }

    /// Every electricity price of the catalogue, sorted by region.
    pub fn electricity_prices(&self) -> Vec<&ElectricityPrice> {
        self.carbon.electricity_prices()
    }
}
