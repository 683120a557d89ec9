//! The catalogue: everything the planner knows from files, each figure with its source and date.
//!
//! Files are TOML under `presets/` (built into the program) and may be overridden by a user's folder of the same
//! schema; `presets/README.md` describes them. Operator profiles come from `assets/profiles/`.

mod builders;
mod carbon;
mod catalogue;
mod endings;
mod error;
mod fabric;
mod fields;
mod files;
mod import;
mod import_checks;
mod import_config;
mod load;
mod model_names;
mod model_ranges;
mod names;
mod practice;
mod prices;
mod profile_line;
mod profiles;
mod reader_words;
mod schema_hardware;
mod schema_models;
mod schema_systems;
mod sellers;

pub use carbon::{ElectricityPrice, GridIntensity, Pue};
pub use catalogue::Catalogue;
pub use endings::FileEnding;
pub use error::{NameKind, PresetError, UnknownName};
pub use import::{ModelError, load_model_file};
pub use model_names::{label_of, order, squeezed};
pub(crate) use names::compared;
pub use names::slip_of;
pub use practice::{Advice, AdviceKind, Figure};
pub use prices::{Price, Tier};
pub use profiles::{ProfileError, profile, profile_keys, profile_sizes, traced_profile};
pub use reader_words::{given_words, wanted_words};
pub use schema_hardware::PrecisionEntry;
pub use sellers::seller_label;
