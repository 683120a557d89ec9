//! Inter in two weights with tabular figures frozen in, and the roles text is set in.

use egui::{FontData, FontDefinitions, FontFamily, FontId};
use std::sync::Arc;

/// Family name of the heavier weight.
const SEMI_BOLD: &str = "inter-semibold";

/// What a piece of text is for; decides size and weight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Axes, legends, table heads, status bar: 11.
    Caption,
    /// Rows, fields, buttons: 12.
    Body,
    /// Section heads and the primary button: 12, semi-bold.
    Section,
    /// The sentence under the headline: 13.
    Sentence,
    /// Column titles: 14, semi-bold.
    Column,
    /// Title of the inspector: 16, semi-bold.
    Title,
    /// Value on a card: 18, semi-bold.
    Card,
    /// Headline and values of the inspector: 20, semi-bold.
    Headline,
}

impl Role {
    /// The font of this role.
    pub fn font(self) -> FontId {
        let (size, heavy) = match self {
            Self::Caption => (11.0, false),
            Self::Body => (12.0, false),
            Self::Section => (12.0, true),
            Self::Sentence => (13.0, false),
            Self::Column => (14.0, true),
            Self::Title => (16.0, true),
            Self::Card => (18.0, true),
            Self::Headline => (20.0, true),
        };
        let family = if heavy {
            FontFamily::Name(SEMI_BOLD.into())
        } else {
            FontFamily::Proportional
        };
        FontId::new(size, family)
    }

    /// Extra space between letters.
    pub const fn tracking(self) -> f32 {
        match self {
            Self::Headline => -0.2,
            _ => 0.0,
        }
    }
}

/// Puts Inter before egui's own fonts, which stay as a fallback for names in other scripts.
pub(super) fn definitions() -> FontDefinitions {
    let mut fonts = FontDefinitions::default();
    let faces: [(&str, &'static [u8]); 2] = [
        (
            "inter-medium",
            include_bytes!("../../../assets/fonts/Inter-Medium-tnum.ttf"),
        ),
        (
            SEMI_BOLD,
            include_bytes!("../../../assets/fonts/Inter-SemiBold-tnum.ttf"),
        ),
    ];
    for (name, bytes) in faces {
        fonts
            .font_data
            .insert(name.to_owned(), Arc::new(FontData::from_static(bytes)));
    }
    let fallback = fonts
        .families
        .get(&FontFamily::Proportional)
        .cloned()
        .unwrap_or_default();
    let with_fallback = |name: &str| {
        let mut list = vec![name.to_owned()];
        list.extend(fallback.iter().cloned());
        list
    };
    fonts
        .families
        .insert(FontFamily::Name(SEMI_BOLD.into()), with_fallback(SEMI_BOLD));
    fonts
        .families
        .insert(FontFamily::Proportional, with_fallback("inter-medium"));
    fonts
}
