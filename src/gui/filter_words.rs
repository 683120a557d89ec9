//! Words that a filter looks for: in a row's own name, or in one column of the table.

use crate::planner::Combination;
use crate::presets::seller_label;

/// A column of words.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum WordColumn {
    Accelerator,
    Layout,
    Seller,
    Confidence,
}

impl WordColumn {
    const ALL: [Self; 4] = [
        Self::Accelerator,
        Self::Layout,
        Self::Seller,
        Self::Confidence,
    ];

    /// The column that a name means.
    pub(super) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "accelerator" | "accelerators" | "gpu" | "device" | "part" => Self::Accelerator,
            "layout" => Self::Layout,
            "seller" | "provider" => Self::Seller,
            "confidence" => Self::Confidence,
            _ => return None,
        })
    }

    /// The word of `accelerator = h100` that it must hold.
    ///
    /// # Errors
    /// What is not understood of it, and what is allowed.
    pub(super) fn value(
        self,
        name: &str,
        sign: &str,
        value: Option<&str>,
    ) -> Result<String, String> {
        let example = match self {
            Self::Accelerator => "h100",
            Self::Layout => "fsdp",
            Self::Seller => "lambda",
            Self::Confidence => "high",
        };
        if !matches!(sign, "=" | "==") {
            return Err(format!(
                "A column of words is compared by = alone, as in {name} = {example}"
            ));
        }
        let value = value.ok_or_else(|| format!("A word is missing after “{name} {sign}”"))?;
        Ok(value.to_owned())
    }

    /// Whether what stands in it contains a word in small letters; a confidence is one whole word.
    pub(super) fn has(self, c: &Combination, word: &str) -> bool {
        let contains = |text: &str| text.to_lowercase().contains(word);
        match self {
            Self::Accelerator => contains(&c.accelerator.name) || contains(&c.accelerator.label),
            Self::Layout => c.run().is_some_and(|r| contains(&r.layout)),
            Self::Confidence => c
                .run()
                .is_some_and(|r| r.confidence().word().to_lowercase() == word),
            Self::Seller => {
                let key = super::rows::seller_of(Some(c));
                [key, seller_label(key)].iter().any(|name| contains(name))
            }
        }
    }
}

/// Whether a word in small letters stands in a combination's name or in any column.
pub(super) fn is_found_by(c: &Combination, word: &str) -> bool {
    row_name(c).contains(word)
        || c.mode.key().contains(word)
        || WordColumn::ALL.iter().any(|column| column.has(c, word))
        || (c.run().is_none() && "refused".contains(word))
}

/// A combination as the headline calls it, in small letters: `fp8 on 512 × h100 sxm 80 gb`.
fn row_name(c: &Combination) -> String {
    let (mode, part) = (c.mode.label(), &c.accelerator.label);
    format!("{mode} on {} × {part}", c.count).to_lowercase()
}
