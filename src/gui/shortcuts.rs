//! The keys of commands, in one table; menus, the palette and tooltips print them from here.

use super::command::UiCommand;
use super::look::ChartStep;
use super::region::BoxStep;
use egui::{Context, Key, KeyboardShortcut, Modifiers};

/// Keys as they are printed: `Ctrl+K`, `?`. Marks that have a key of their own are printed as they look on it.
pub fn keys_text(ctx: &Context, keys: &KeyboardShortcut) -> String {
    let text = ctx.format_shortcut(keys);
    let key = keys.logical_key;
    match (key, text.strip_suffix(key.name())) {
        (Key::Questionmark | Key::Comma | Key::Period, Some(held)) => {
            format!("{held}{}", key.symbol_or_name())
        }
        _ => text,
    }
}

impl UiCommand {
    /// The key that runs it.
    pub fn shortcut(self) -> Option<KeyboardShortcut> {
        const MOVE: Modifiers = Modifiers::ALT.plus(Modifiers::SHIFT);
        const SIZE: Modifiers = Modifiers::ALT.plus(Modifiers::COMMAND);
        let with = |modifiers, key| Some(KeyboardShortcut::new(modifiers, key));
        let ctrl = |key| with(Modifiers::COMMAND, key);
        let both = Modifiers::COMMAND.plus(Modifiers::SHIFT);
        match self {
            Self::Palette => ctrl(Key::K),
            Self::Shortcuts => with(Modifiers::NONE, Key::F1),
            Self::NewPlan => ctrl(Key::T),
            Self::OpenPlan => ctrl(Key::O),
            Self::SavePlan => ctrl(Key::S),
            Self::SavePlanAs => with(both, Key::S),
            Self::RenamePlan => with(Modifiers::NONE, Key::F2),
            // As with copying, the system makes an event of these keys: see `MantissaApp::take_paste`.
            Self::PastePlan => ctrl(Key::V),
            Self::ExportCsv => ctrl(Key::E),
            Self::CloseTab => ctrl(Key::W),
            Self::ReopenTab => with(both, Key::T),
            Self::NextTab => with(Modifiers::CTRL, Key::Tab),
            Self::PreviousTab => with(Modifiers::CTRL.plus(Modifiers::SHIFT), Key::Tab),
            Self::Undo => ctrl(Key::Z),
            Self::Redo => with(both, Key::Z),
            Self::ShowTradeOff => ctrl(Key::Num1),
            Self::ShowScaling => ctrl(Key::Num2),
            Self::ShowBreakdown => ctrl(Key::Num3),
            Self::ShowHeatMap => ctrl(Key::Num4),
            Self::ShowWhy => ctrl(Key::Num5),
            Self::ShowEvidence => ctrl(Key::Num6),
            Self::ShowAccuracy => ctrl(Key::Num7),
            Self::ShowCompare => ctrl(Key::Num8),
            Self::PinSelection => ctrl(Key::P),
            Self::ToggleLinear => ctrl(Key::L),
            Self::ExportHtml => with(both, Key::E),
            // The system turns these keys into a copy event before they arrive: see `pressed`.
            Self::CopyRow => ctrl(Key::C),
            Self::SelectNext => with(Modifiers::ALT, Key::ArrowDown),
            Self::SelectPrevious => with(Modifiers::ALT, Key::ArrowUp),
            Self::PageDown => with(Modifiers::NONE, Key::PageDown),
            Self::PageUp => with(Modifiers::NONE, Key::PageUp),
            Self::InspectorDown => with(Modifiers::SHIFT, Key::PageDown),
            Self::InspectorUp => with(Modifiers::SHIFT, Key::PageUp),
            Self::Back => with(Modifiers::ALT, Key::ArrowLeft),
            Self::Forward => with(Modifiers::ALT, Key::ArrowRight),
            Self::CellLeft => with(Modifiers::ALT, Key::Comma),
            Self::CellRight => with(Modifiers::ALT, Key::Period),
            Self::CopyCell => with(both, Key::C),
            Self::BoxAround => ctrl(Key::B),
            Self::Box(BoxStep::Left) => with(MOVE, Key::ArrowLeft),
            Self::Box(BoxStep::Right) => with(MOVE, Key::ArrowRight),
            Self::Box(BoxStep::Up) => with(MOVE, Key::ArrowUp),
            Self::Box(BoxStep::Down) => with(MOVE, Key::ArrowDown),
            Self::Box(BoxStep::Narrower) => with(SIZE, Key::ArrowLeft),
            Self::Box(BoxStep::Wider) => with(SIZE, Key::ArrowRight),
            Self::Box(BoxStep::Taller) => with(SIZE, Key::ArrowUp),
            Self::Box(BoxStep::Lower) => with(SIZE, Key::ArrowDown),
            Self::Chart(ChartStep::Closer) => ctrl(Key::PageUp),
            Self::Chart(ChartStep::Farther) => ctrl(Key::PageDown),
            Self::Chart(ChartStep::Whole) => ctrl(Key::Home),
            Self::FocusFilter => ctrl(Key::F),
            Self::ToggleWhiskers => ctrl(Key::I),
            Self::ToggleRequest => with(both, Key::B),
            Self::ToggleInspector => with(SIZE, Key::B),
            Self::ToggleTheme => ctrl(Key::D),
            Self::HowToRead => with(Modifiers::NONE, Key::Questionmark),
            Self::NextRegion => with(Modifiers::NONE, Key::F6),
            Self::PreviousRegion => with(Modifiers::SHIFT, Key::F6),
            Self::Compute => with(Modifiers::NONE, Key::F5),
            Self::Cancel => with(Modifiers::SHIFT, Key::F5),
            Self::FullScreen => with(Modifiers::NONE, Key::F11),
            Self::ZoomIn => ctrl(Key::Plus),
            Self::ZoomOut => ctrl(Key::Minus),
            Self::ZoomReset => ctrl(Key::Num0),
            Self::Quit => ctrl(Key::Q),
            // With the arrows of the focused plot alone: desktops take those that would be left.
            Self::Chart(ChartStep::Left | ChartStep::Right | ChartStep::Up | ChartStep::Down)
            | Self::ExportShownCsv
            | Self::ExportCommaCsv
            | Self::ExportJson
            | Self::CopyPlan
            | Self::ShowAllSeries
            | Self::UsualWidths
            | Self::SaveChart
            | Self::CopyChart
            | Self::CopyTable
            | Self::LargestBatch
            | Self::EverySeller
            | Self::PinAnswers
            | Self::UnpinAll
            | Self::RestorePins
            | Self::ClearFilter
            | Self::Sensitivity
            | Self::ResetColumns
            | Self::DarkTheme
            | Self::LightTheme
            | Self::FollowSystemTheme
            | Self::OpenRuns
            | Self::Calibrate
            | Self::SaveCalibration
            | Self::RemoveCalibration
            | Self::PutCalibrationBack
            | Self::BoxRemove => None,
        }
    }

    /// Other keys that run it, which people know from other programs; nothing prints them.
    fn other_shortcut(self) -> Option<KeyboardShortcut> {
        (self == Self::Redo).then(|| KeyboardShortcut::new(Modifiers::COMMAND, Key::Y))
    }

    /// What a button's tooltip says: the explanation and the key.
    pub fn tooltip(self, ctx: &Context) -> String {
        let tip = self.text_and_tip().1;
        self.shortcut().map_or_else(
            || tip.to_owned(),
            |keys| format!("{tip} ({})", keys_text(ctx, &keys)),
        )
    }

    /// The command whose keys were pressed, if any; the longest combination wins.
    pub fn pressed(ctx: &Context) -> Option<Self> {
        let mut list: Vec<_> = Self::ALL
            .into_iter()
            .flat_map(|c| {
                let keys = [c.shortcut(), c.other_shortcut()];
                keys.into_iter().flatten().map(move |keys| (c, keys))
            })
            .collect();
        // More keys held than a combination names do not keep it from matching.
        let held =
            |m: Modifiers| usize::from(m.shift) + usize::from(m.alt) + usize::from(m.command);
        list.sort_by_key(|(_, keys)| std::cmp::Reverse(held(keys.modifiers)));
        let copies = ctx.input(|i| i.events.iter().any(|e| matches!(e, egui::Event::Copy)));
        let is_typing = ctx.text_edit_focused();
        if copies && !is_typing {
            // The system makes the same event of the keys with and without Shift.
            let cell = ctx.input(|i| i.modifiers.shift);
            return Some(if cell { Self::CopyCell } else { Self::CopyRow });
        }
        ctx.input_mut(|input| {
            list.into_iter()
                // A question mark is also text.
                .filter(|(_, keys)| !(is_typing && keys.logical_key == Key::Questionmark))
                .find(|(_, keys)| input.consume_shortcut(keys))
                .map(|(command, _)| command)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_printed_as_they_look() {
        let ctx = Context::default();
        let text = |command: UiCommand| command.shortcut().map(|keys| keys_text(&ctx, &keys));
        assert_eq!(text(UiCommand::HowToRead).as_deref(), Some("?"));
        assert_eq!(text(UiCommand::CellLeft).as_deref(), Some("Alt+,"));
        assert_eq!(text(UiCommand::CellRight).as_deref(), Some("Alt+."));
        assert_eq!(text(UiCommand::Palette).as_deref(), Some("Ctrl+K"));
    }
}
