//! Every colour of the window, once for dark and once for light. No other file names a raw colour.
#![allow(clippy::disallowed_methods)] // this is the one place they are allowed

use crate::domain::PrecisionMode;
use egui::Color32;

/// `0xrrggbb` as an opaque colour.
const fn hex(rgb: u32) -> Color32 {
    Color32::from_rgb((rgb >> 16) as u8, (rgb >> 8) as u8, rgb as u8)
}

/// The colour of a pixel that was already drawn.
pub const fn opaque(r: u8, g: u8, b: u8) -> Color32 {
    Color32::from_rgb(r, g, b)
}

/// The aliases of one theme; the design's words.
#[derive(Debug)]
#[allow(missing_docs)] // the names are the design's own, each explained by its use
pub struct Tokens {
    pub window: Color32,
    pub panel: Color32,
    pub raised: Color32,
    pub input: Color32,
    pub hover: Color32,
    pub shade: Color32,
    pub line: Color32,
    pub line_strong: Color32,
    pub track: Color32,
    pub grid: Color32,
    pub grid_zero: Color32,
    pub sel: Color32,
    pub sel_line: Color32,
    pub strong: Color32,
    pub text: Color32,
    pub sub: Color32,
    pub faint: Color32,
    pub accent: Color32,
    pub accent_fill: Color32,
    pub on_accent: Color32,
    pub good: Color32,
    pub warn: Color32,
    pub bad: Color32,
    pub slower: Color32,
    pub faster: Color32,
    pub shadow: Color32,
    modes: [Color32; 10],
    /// Weights, gradients, optimizer states, activations, overhead.
    memory: [Color32; 5],
    /// Matmul, memory traffic, launch, optimizer, casts, communication, bubble.
    parts: [Color32; 7],
    /// How strongly points off the Pareto front are drawn.
    pub rest_opacity: f32,
    /// How strongly points that the filter hides are drawn.
    pub filtered_opacity: f32,
    /// Whether this is the dark theme.
    pub is_dark: bool,
}

impl Tokens {
    /// The tokens of the theme a `Ui` is drawn in.
    pub fn of(ui: &egui::Ui) -> &'static Self {
        Self::for_theme(ui.visuals().dark_mode)
    }

    /// The tokens of the dark or the light theme.
    pub const fn for_theme(dark: bool) -> &'static Self {
        if dark { &DARK } else { &LIGHT }
    }

    /// The hue of a precision mode.
    pub const fn mode(&self, mode: PrecisionMode) -> Color32 {
        self.modes[mode as usize]
    }

    /// The colour of the n-th part of a device's memory: weights, gradients, optimizer, activations, overhead.
    pub fn memory(&self, index: usize) -> Color32 {
        self.memory.get(index).copied().unwrap_or(self.faint)
    }

    /// The colour of the n-th part of [`crate::predictor::Breakdown::parts`].
    pub fn part(&self, index: usize) -> Color32 {
        self.parts.get(index).copied().unwrap_or(self.faint)
    }
}

/// Light text on the dark surfaces.
static DARK: Tokens = Tokens {
    window: hex(0x101315),
    panel: hex(0x15181b),
    raised: hex(0x1b1f23),
    input: hex(0x1e2327),
    hover: hex(0x23282d),
    shade: hex(0x0c0e10),
    line: hex(0x262b30),
    line_strong: hex(0x363d44),
    track: hex(0x2c3238),
    grid: hex(0x21262b),
    grid_zero: hex(0x363d44),
    sel: hex(0x23264a),
    sel_line: hex(0x7880f2),
    strong: hex(0xeef1f4),
    text: hex(0xc3cad1),
    sub: hex(0x8f98a2),
    faint: hex(0x59616a),
    accent: hex(0x9aa2ff),
    accent_fill: hex(0x5a62e0),
    on_accent: hex(0xffffff),
    good: hex(0x4cc38a),
    warn: hex(0xe5b04b),
    bad: hex(0xf0786a),
    slower: hex(0xd9705c),
    faster: hex(0x4fb3a5),
    shadow: Color32::from_rgba_premultiplied(0, 0, 0, 115),
    modes: [
        hex(0xe4e8ec),
        hex(0x98a1ab),
        hex(0xe6c84a),
        hex(0xea6f3c),
        hex(0x3f8fd6),
        hex(0xf4a25f),
        hex(0x63b9ee),
        hex(0x22ab80),
        hex(0xf4a9d6),
        hex(0xc6e06a),
    ],
    parts: [
        hex(0x6a72d8),
        hex(0x9aa4e6),
        hex(0xb48ead),
        hex(0x7f8a98),
        hex(0xd9a860),
        hex(0xd9705c),
        hex(0x4a525b),
    ],
    memory: [
        hex(0x6a72d8),
        hex(0x9aa4e6),
        hex(0x7f8a98),
        hex(0x4fb3a5),
        hex(0xb48ead),
    ],
    rest_opacity: 0.72,
    filtered_opacity: 0.16,
    is_dark: true,
};

/// Dark text on the light surfaces.
static LIGHT: Tokens = Tokens {
    window: hex(0xeef0f2),
    panel: hex(0xfbfbfc),
    raised: hex(0xffffff),
    input: hex(0xf0f2f4),
    hover: hex(0xeceff1),
    shade: hex(0xeff1f3),
    line: hex(0xe0e4e8),
    line_strong: hex(0xc5ccd3),
    track: hex(0xdfe3e7),
    grid: hex(0xe9ecef),
    grid_zero: hex(0xc5ccd3),
    sel: hex(0xe6e8fd),
    sel_line: hex(0x5c64e0),
    strong: hex(0x12161a),
    text: hex(0x363e47),
    sub: hex(0x5f6973),
    faint: hex(0x98a1ab),
    accent: hex(0x4149c8),
    accent_fill: hex(0x4b53d6),
    on_accent: hex(0xffffff),
    good: hex(0x127547),
    warn: hex(0x8f5f00),
    bad: hex(0xbb3a2b),
    slower: hex(0xc8543f),
    faster: hex(0x1d8a7c),
    shadow: Color32::from_rgba_premultiplied(3, 4, 6, 36),
    modes: [
        hex(0x22282e),
        hex(0x6d7681),
        hex(0xa07c00),
        hex(0xa83a08),
        hex(0x1c66a8),
        hex(0xc4670f),
        hex(0x1a84bf),
        hex(0x0c8f69),
        hex(0xa3246f),
        hex(0x4f6d08),
    ],
    parts: [
        hex(0x5159cf),
        hex(0x7c87e0),
        hex(0x9c6b95),
        hex(0x818b97),
        hex(0xbb7f22),
        hex(0xc8543f),
        hex(0xbcc3cb),
    ],
    memory: [
        hex(0x5159cf),
        hex(0x7c87e0),
        hex(0x818b97),
        hex(0x1d8a7c),
        hex(0x9c6b95),
    ],
    rest_opacity: 1.0,
    filtered_opacity: 0.2,
    is_dark: false,
};
