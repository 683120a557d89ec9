//! The catalogue: everything the planner knows from files, each figure with its source and date.
//!
//! Files are TOML under `presets/` (built into the program) and may be overridden by a user's folder of the same
//! schema; `presets/README.md` describes them. Operator profiles come from `assets/profiles/`.

mod carbon;
mod catalogue;
mod error;
mod fabric;
mod fields;
mod files;
mod load;
mod names;
mod prices;
mod schema_hardware;
mod schema_models;
mod schema_systems;

pub use carbon::{ElectricityPrice, GridIntensity, Pue};
pub use catalogue::Catalogue;
pub use error::{NameKind, PresetError, UnknownName};
pub use prices::{Price, Tier};
pub use schema_hardware::PrecisionEntry;
