//! The look: tokens, type scale, icons and marks, and how they are installed into egui.

mod fonts;
mod icons;
mod marks;
mod style;
mod tokens;

pub use fonts::Role;
pub use icons::{Icon, paint as paint_icon};
pub use marks::{Fill, Mark, PaintMark, paint_swatch};
pub use style::install;
pub use tokens::{Tokens, opaque};

/// Heights and widths that several panels share, in points.
pub mod size {
    /// Top bar.
    pub const TOP_BAR: f32 = 40.0;
    /// Status bar.
    pub const STATUS_BAR: f32 = 24.0;
    /// Window width from which the wide layout is used.
    pub const WIDE: f32 = 2000.0;
    /// Left panel.
    pub const LEFT: f32 = 300.0;
    /// Left panel of a wide window.
    pub const LEFT_WIDE: f32 = 320.0;
    /// Right panel.
    pub const RIGHT: f32 = 324.0;
    /// Right panel of a wide window.
    pub const RIGHT_WIDE: f32 = 400.0;
    /// Side margin of panels.
    pub const MARGIN: f32 = 12.0;
    /// Side margin of the centre.
    pub const CENTRE_MARGIN: f32 = 16.0;
    /// Section head.
    pub const SECTION: f32 = 32.0;
    /// Property row, list row, table row, field.
    pub const ROW: f32 = 24.0;
    /// Table head.
    pub const TABLE_HEAD: f32 = 26.0;
    /// Legend.
    pub const LEGEND: f32 = 22.0;
    /// Radius of cards and buttons.
    pub const RADIUS: f32 = 6.0;
    /// Radius of fields and chips.
    pub const RADIUS_FIELD: f32 = 4.0;
}
