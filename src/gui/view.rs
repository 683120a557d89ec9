//! The views of the centre.

use super::command::UiCommand;
use serde::{Deserialize, Serialize};

/// A view of the centre.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[allow(missing_docs)] // named by their titles
pub enum View {
    #[default]
    TradeOff,
    Scaling,
    Breakdown,
    HeatMap,
    Why,
    Evidence,
    Accuracy,
    Compare,
}

impl View {
    /// Every view, in the order of the tabs.
    pub const ALL: [Self; 8] = [
        Self::TradeOff,
        Self::Scaling,
        Self::Breakdown,
        Self::HeatMap,
        Self::Why,
        Self::Evidence,
        Self::Accuracy,
        Self::Compare,
    ];

    /// Whether the table stands below it.
    pub const fn has_table(self) -> bool {
        !matches!(
            self,
            Self::Why | Self::Evidence | Self::Accuracy | Self::Compare
        )
    }

    /// The command that shows it.
    pub const fn command(self) -> UiCommand {
        match self {
            Self::TradeOff => UiCommand::ShowTradeOff,
            Self::Scaling => UiCommand::ShowScaling,
            Self::Breakdown => UiCommand::ShowBreakdown,
            Self::HeatMap => UiCommand::ShowHeatMap,
            Self::Why => UiCommand::ShowWhy,
            Self::Evidence => UiCommand::ShowEvidence,
            Self::Accuracy => UiCommand::ShowAccuracy,
            Self::Compare => UiCommand::ShowCompare,
        }
    }

    /// Title of its tab.
    pub const fn title(self) -> &'static str {
        match self {
            Self::TradeOff => "Trade-off",
            Self::Scaling => "Scaling",
            Self::Breakdown => "Breakdown",
            Self::HeatMap => "Heat map",
            Self::Why => "Why",
            Self::Evidence => "Evidence",
            Self::Accuracy => "Accuracy",
            Self::Compare => "Compare",
        }
    }
}
