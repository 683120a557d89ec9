//! The calibration in use, in words: how it came about, whether it helps, and what it does to which part and mode.

use super::scene::{Scene, mode_label};
use crate::format;
use crate::gui::command::UiCommand;
use crate::gui::theme::{Role, Tokens};
use crate::gui::widgets::{heading, text_button};
use crate::planner::CalibrationProfile;
use egui::{Label, RichText, Sense, Ui, vec2};
use std::collections::BTreeMap;

/// Draws it.
pub fn calibrated_ui(ui: &mut Ui, cx: &mut Scene<'_>, profile: &CalibrationProfile) {
    let t = Tokens::of(ui);
    let width = ui.available_width();
    let (head, _) = ui.allocate_exact_size(vec2(width, 36.0), Sense::hover());
    let title = title(profile);
    heading(ui, head.left_center(), &title, Role::Title, t.strong);
    let mut right = head.right_center();
    for command in [UiCommand::RemoveCalibration, UiCommand::SaveCalibration] {
        let button = text_button(ui, right, None, command.text(), false)
            .on_hover_text(command.tooltip(ui.ctx()));
        right = button.rect.left_center() - vec2(8.0, 0.0);
        if button.clicked() {
            cx.run(command);
        }
    }
    for (i, text) in words(&labelled(cx, profile)).into_iter().enumerate() {
        let (role, ink) = if i < 2 {
            (Role::Sentence, t.text)
        } else {
            (Role::Body, t.sub)
        };
        ui.add(Label::new(RichText::new(text).font(role.font()).color(ink)).wrap());
        ui.add_space(4.0);
    }
    ui.add_space(12.0);
}

/// The profile with parts and modes under the names that a reader knows them by.
fn labelled(cx: &Scene<'_>, profile: &CalibrationProfile) -> CalibrationProfile {
    let named = |factors: &BTreeMap<String, f64>, name: &dyn Fn(&str) -> String| {
        let named = factors.iter().map(|(key, by)| (name(key), *by));
        named.collect::<BTreeMap<String, f64>>()
    };
    CalibrationProfile {
        accelerators: named(&profile.accelerators, &|key| cx.part_label(key)),
        precisions: named(&profile.precisions, &|key| mode_label(key).to_owned()),
        families: named(&profile.families, &format::capitalised),
        ..profile.clone()
    }
}

/// `Calibrated on 50 runs of yours`.
pub fn title(profile: &CalibrationProfile) -> String {
    let runs = match profile.runs {
        1 => "1 run".to_owned(),
        n => format!("{} runs", format::count(n as f64)),
    };
    format!("Calibrated on {runs} of yours")
}

/// Changes below half a per cent are not told.
const LEAST_TOLD: f64 = 0.005;

/// What it does on the whole and whether it helps; then, where it tells things apart, by part, mode and family.
fn words(profile: &CalibrationProfile) -> Vec<String> {
    let overall = profile.overall.exp() - 1.0;
    let by = if overall.abs() < LEAST_TOLD {
        "Step times stay as they were on the whole".to_owned()
    } else {
        let word = if overall > 0.0 { "longer" } else { "shorter" };
        format!(
            "Step times come out {} {word} on the whole",
            format::percent(overall.abs())
        )
    };
    let (before, after) = (profile.error_before, profile.error_left_out);
    let errors = format!(
        "from {} to {}",
        format::percent_in_table(before),
        format::percent_in_table(after)
    );
    let helps = if profile.runs < 2 {
        "One run cannot tell how much it helps".to_owned()
    } else if after < before {
        format!("On runs left out the mean error falls {errors}")
    } else {
        format!("But on runs left out the mean error rises {errors}")
    };
    let mut lines = vec![format!("{by}."), format!("{helps}.")];
    if profile.host.abs() >= LEAST_TOLD {
        let host = format::change(profile.host.exp());
        lines.push(format!(
            "On top of that, on these accelerators alone, the host's launches of kernels  {host}"
        ));
    }
    for (what, factors) in [
        ("accelerator", &profile.accelerators),
        ("mode", &profile.precisions),
        ("model family", &profile.families),
    ] {
        if let Some(text) = beside(factors) {
            lines.push(format!("On top of that, by {what}  {text}"));
        }
    }
    lines
}

/// `H100-SXM5-80GB ▲ 3 %, …`; `None` where nothing differs.
fn beside(factors: &BTreeMap<String, f64>) -> Option<String> {
    const MOST: usize = 5;
    let mut list: Vec<(&String, f64)> = factors
        .iter()
        .map(|(name, log)| (name, *log))
        .filter(|(_, log)| log.abs() >= LEAST_TOLD)
        .collect();
    list.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
    let more = list.len().saturating_sub(MOST);
    let texts = list.into_iter().take(MOST);
    let mut texts: Vec<String> = texts
        .map(|(name, log)| format!("{name} {}", format::change(log.exp())))
        .collect();
    if more > 0 {
        texts.push(format!("{more} more"));
    }
    (!texts.is_empty()).then(|| texts.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_are_told_as_tables_call_them() {
        assert_eq!(mode_label("amp-bf16"), "AMP-BF16");
        assert_eq!(mode_label("my own"), "my own");
    }

    #[test]
    fn words_say_what_it_does_and_whether_it_helps() {
        let profile = CalibrationProfile {
            runs: 50,
            error_before: 0.14,
            error_left_out: 0.06,
            overall: 0.1,
            host: 0.2,
            accelerators: BTreeMap::from([("H100".to_owned(), 0.05), ("A100".to_owned(), 0.0)]),
            ..CalibrationProfile::default()
        };
        let lines = words(&profile);
        assert!(lines[0].starts_with("Step times come out 11"), "{lines:?}");
        assert!(lines[1].contains("falls from 14"), "{lines:?}");
        assert!(
            lines[2].contains("launches of kernels") && lines[2].contains("22"),
            "{lines:?}"
        );
        assert!(
            lines[3].contains("H100") && !lines[3].contains("A100"),
            "{lines:?}"
        );
        let worse = CalibrationProfile {
            error_left_out: 0.2,
            ..profile
        };
        assert!(words(&worse)[1].contains("rises from"));
    }
}
