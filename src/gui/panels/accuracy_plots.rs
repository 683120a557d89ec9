//! Plots of the accuracy view: the protocols of the model card, and a person's own measured runs.

use super::accuracy::cells;
use super::axes::{Axis, Quantity, base, bounds, frame_of, paint_axes, place};
use super::scene::Scene;
use crate::format;
use crate::gui::command::{Action, UiCommand};
use crate::gui::evaluation::{Evaluation, JudgedRow};
use crate::gui::theme::{Fill, Role, Tokens, paint_swatch};
use crate::gui::widgets::{heading, label_at, paint, paint_in, text_button};
use crate::units::Seconds;
use egui::{
    Align2, Color32, Label, Rect, RichText, Sense, Stroke, Ui, WidgetInfo, accesskit, pos2, vec2,
};

/// Bars of a protocol, with the heads of their columns in the card.
const SERIES: [(&str, &str); 4] = [
    ("Mantissa", "Mantissa"),
    ("blind", "blind to precision"),
    ("physics", "physics alone"),
    ("roofline", "roofline"),
];

fn colors(t: &Tokens) -> [Color32; 4] {
    [t.accent, t.slower, t.part(3), t.faint]
}

/// One protocol: its name and the mean errors in percent, in the order of the series.
#[derive(Debug, PartialEq)]
struct Protocol {
    name: String,
    errors: [Option<f64>; 4],
}

/// The table of protocols of a model card; empty where the card has none.
fn protocols(card: &str) -> Vec<Protocol> {
    let mut lines = card.lines().skip_while(|l| !l.starts_with("| protocol"));
    let Some(head) = lines.next().map(cells) else {
        return Vec::new();
    };
    let columns = SERIES.map(|(name, _)| head.iter().position(|h| h == name));
    lines
        .take_while(|l| l.starts_with('|'))
        .skip(1)
        .map(cells)
        .map(|row| Protocol {
            name: row.first().cloned().unwrap_or_default(),
            errors: columns.map(|c| {
                let cell = row.get(c?)?;
                cell.split('/').next()?.trim().parse().ok()
            }),
        })
        .collect()
}

/// Mean errors of every protocol as bars, the baselines beside them.
pub fn protocols_ui(ui: &mut Ui, card: &str) {
    let t = Tokens::of(ui);
    let list = protocols(card);
    let largest = list
        .iter()
        .flat_map(|p| p.errors.iter().flatten())
        .fold(0.0f64, |a, b| a.max(*b));
    if largest <= 0.0 {
        return;
    }
    let width = ui.available_width();
    let (head, _) = ui.allocate_exact_size(vec2(width, 34.0), Sense::hover());
    let title = "Mean error of the step time by what was held out";
    heading(ui, head.left_center(), title, Role::Column, t.strong);
    for sentence in remarks(card, &list) {
        let text = RichText::new(sentence).font(Role::Body.font());
        ui.add(Label::new(text.color(t.text)).wrap());
    }
    ui.add_space(2.0);
    let (legend, _) = ui.allocate_exact_size(vec2(width, 20.0), Sense::hover());
    let mut x = legend.left();
    for ((_, name), color) in SERIES.into_iter().zip(colors(t)) {
        let swatch = Rect::from_center_size(pos2(x + 4.5, legend.center().y), vec2(9.0, 9.0));
        ui.painter().rect_filled(swatch, 2.0, color);
        x = paint(
            ui.painter(),
            pos2(x + 14.0, legend.center().y),
            Align2::LEFT_CENTER,
            name,
            Role::Caption,
            t.text,
        )
        .right()
            + 16.0;
    }
    for protocol in &list {
        protocol_ui(ui, protocol, largest);
    }
    ui.add_space(8.0);
}

/// Errors this close, in percentage points, are of one size: fits of one physics moved by a few rows differ by as much.
const TIE: f64 = 0.25;

/// An error in percent, in words.
fn percent(error: f64) -> String {
    format!("{}{}%", format::fixed(error, 1), format::NBSP)
}

/// What a reader should take from the bars: what "held out" means, and where the whole predictor is no better than its
/// physics.
fn remarks(card: &str, list: &[Protocol]) -> Vec<String> {
    let worse = list.iter().filter_map(|protocol| {
        let [Some(whole), _, Some(physics), _] = protocol.errors else {
            return None;
        };
        let group = held_out(&protocol.name);
        (physics < whole).then(|| match whole - physics < TIE {
            true => format!(
                "Weak: where {group} are new, what measured runs teach adds nothing: {} with it, {} by physics alone.",
                percent(whole),
                percent(physics)
            ),
            false => format!(
                "Weak: where {group} are new, physics alone errs less, {} against {}. What measured runs teach does not \
                 carry over there.",
                percent(physics),
                percent(whole)
            ),
        })
    });
    let meaning = "Held out: the bars of Unseen model, say, are of runs whose model family was in no run of the fit. A plan \
        like the measured ones errs as the first row says, one unlike them as the others.";
    [meaning.to_owned()]
        .into_iter()
        .chain(worse)
        .chain(found_said(card, list))
        .chain(largest_said(card))
        .collect()
}

/// How publications that were found afterwards turned out, from the card's line of all of them, where they err more than those
/// held out; `None` where they do not, or it has none.
fn found_said(card: &str, list: &[Protocol]) -> Option<String> {
    let lines = (card.lines()).skip_while(|line| !line.starts_with("## Found afterwards"));
    let mut table = lines.skip_while(|line| !line.starts_with("| runs"));
    let heads = cells(table.next()?);
    let row = cells(table.nth(1)?);
    let cell = |head: &str| {
        let at = heads.iter().position(|h| h == head)?;
        row.get(at).cloned()
    };
    let runs: f64 = cell("runs")?.parse().ok()?;
    let mean: f64 = cell("Mantissa")?.split_once('/')?.0.trim().parse().ok()?;
    let inside = cell("inside the 90 % interval")?;
    let held_out = list.iter().find(|p| p.name == "unseen source")?.errors[0]?;
    (mean > held_out + TIE).then(|| {
        format!(
            "Weak: on {} runs of others, found when the predictor was done and fitted on by nothing, it errs by {}, more \
             than on publications held out, and its 90{}% interval holds {} of them.",
            format::count(runs),
            percent(mean),
            format::NBSP,
            inside.replace(' ', &format::NBSP.to_string())
        )
    })
}

/// How far off the largest measured runs are, from the card's table of them; `None` where it has none.
fn largest_said(card: &str) -> Option<String> {
    let mut lines = card
        .lines()
        .skip_while(|line| !line.starts_with("| devices"));
    let at = cells(lines.next()?).iter().position(|c| c == "Mantissa")?;
    let rows: Vec<(u32, f64)> = lines
        .skip(1)
        .take_while(|line| line.starts_with('|'))
        .filter_map(|line| {
            let row = cells(line);
            Some((row.first()?.parse().ok()?, row.get(at)?.parse().ok()?))
        })
        .collect();
    let fewest = rows.iter().map(|row| row.0).min()?;
    let ratios = || rows.iter().map(|row| row.1);
    let (low, high) = (
        ratios().fold(f64::INFINITY, f64::min),
        ratios().fold(0.0, f64::max),
    );
    Some(format!(
        "Weak: the {} measured runs on {} devices and more, predicted from runs on up to 8, come out {} to {} times as \
         long as they were.",
        rows.len(),
        format::count(f64::from(fewest)),
        format::fixed(low, 2),
        format::fixed(high, 2)
    ))
}

/// What a protocol of the card holds out, in a word or two.
fn held_out(protocol: &str) -> &str {
    match protocol {
        "known" => "configurations",
        "unseen model" => "model families",
        "unseen accelerator" => "accelerators",
        "unseen scale" => "more than 8 devices",
        "unseen source" => "publications",
        other => other,
    }
}

fn protocol_ui(ui: &mut Ui, protocol: &Protocol, largest: f64) {
    const BAR: f32 = 9.0;
    const NAMES: f32 = 150.0;
    let t = Tokens::of(ui);
    let height = SERIES.len() as f32 * (BAR + 2.0) + 10.0;
    let (row, response) =
        ui.allocate_exact_size(vec2(ui.available_width(), height), Sense::hover());
    let name = format!("{} held out", protocol.name);
    response.widget_info(|| {
        let error = protocol.errors[0].map_or_else(String::new, |e| format!(" {e} %"));
        WidgetInfo::labeled(accesskit::Role::Label, true, format!("{name}:{error}"))
    });
    let held = format!("new: {}", held_out(&protocol.name));
    for (dy, text, role, ink) in [
        (
            -8.0,
            format::capitalised(&protocol.name),
            Role::Body,
            t.strong,
        ),
        (8.0, held, Role::Caption, t.sub),
    ] {
        let at = row.left_center() + vec2(0.0, dy);
        paint(ui.painter(), at, Align2::LEFT_CENTER, &text, role, ink);
    }
    let room = (row.width() - NAMES - 60.0).min(640.0);
    for (i, (error, color)) in protocol.errors.into_iter().zip(colors(t)).enumerate() {
        let Some(error) = error else { continue };
        let top = row.top() + 5.0 + i as f32 * (BAR + 2.0);
        let width = (error / largest) as f32 * room;
        let bar = Rect::from_min_size(pos2(row.left() + NAMES, top), vec2(width, BAR));
        ui.painter().rect_filled(bar, 2.0, color);
        let ink = if i == 0 { t.strong } else { t.sub };
        let text = format!("{}\u{202F}%", format::fixed(error, 1));
        paint(
            ui.painter(),
            bar.right_center() + vec2(6.0, 0.0),
            Align2::LEFT_CENTER,
            &text,
            Role::Caption,
            ink,
        );
    }
}

/// Fewer runs than this say little of how far off predictions are.
const FEW: usize = 5;

/// How a person's measured runs come in.
pub const RUNS_HELP: &str = "Drop a CSV table of runs you measured on the window, or choose it. Each line needs model, gpu, gpus, \
     precision and a time (step_time_ms, or throughput with throughput_unit); assets/runs/README.md lists every column.";

/// Where no measured runs are open: how they come in, and the way to choose them.
pub fn bring_runs_ui(ui: &mut Ui, cx: &mut Scene<'_>) {
    let t = Tokens::of(ui);
    let width = ui.available_width();
    let (head, _) = ui.allocate_exact_size(vec2(width, 36.0), Sense::hover());
    let title = "Runs of your own";
    heading(ui, head.left_center(), title, Role::Title, t.strong);
    let text = UiCommand::OpenRuns.text();
    if text_button(ui, head.right_center(), None, text, true)
        .on_hover_text(UiCommand::OpenRuns.tooltip(ui.ctx()))
        .clicked()
    {
        cx.run(UiCommand::OpenRuns);
    }
    let text = RichText::new(RUNS_HELP).font(Role::Body.font());
    ui.add(Label::new(text.color(t.text)).wrap());
    ui.add_space(12.0);
}

/// A person's measured runs: predicted against measured, and how far off.
pub fn judged_ui(ui: &mut Ui, cx: &mut Scene<'_>, evaluation: &Evaluation) {
    let t = Tokens::of(ui);
    let width = ui.available_width();
    let (head, _) = ui.allocate_exact_size(vec2(width, 36.0), Sense::hover());
    heading(
        ui,
        head.left_center(),
        "Your measured runs",
        Role::Title,
        t.strong,
    );
    let put_away = text_button(ui, head.right_center(), None, "Put away", false);
    if put_away.clicked() {
        cx.send(Action::CloseEvaluation);
    }
    let at = put_away.rect.left_center() - vec2(8.0, 0.0);
    if cx.state.is_calibrating {
        label_at(
            ui,
            at,
            Align2::RIGHT_CENTER,
            "Calibrating…",
            Role::Body,
            t.sub,
        );
    } else if !evaluation.rows.is_empty() {
        let text = UiCommand::Calibrate.text();
        let is_first = cx.state.calibration.is_none();
        if text_button(ui, at, None, text, is_first)
            .on_hover_text(UiCommand::Calibrate.tooltip(ui.ctx()))
            .clicked()
        {
            cx.run(UiCommand::Calibrate);
        }
    }
    let text = RichText::new(summary(evaluation, cx.state.calibration.is_some()))
        .font(Role::Sentence.font());
    ui.add(Label::new(text.color(t.text)).wrap());
    if !evaluation.rows.is_empty() {
        // The title of the axis stands above its plot.
        ui.add_space(10.0);
        let (area, _) = ui.allocate_exact_size(vec2(width, 320.0), Sense::hover());
        scatter_ui(ui, area, &evaluation.rows);
    }
    for (reason, count) in &evaluation.skipped {
        let (line, response) = ui.allocate_exact_size(vec2(width, 20.0), Sense::hover());
        let text = format!("{count} left out: {reason}");
        response.widget_info(|| WidgetInfo::labeled(accesskit::Role::Label, true, &text));
        paint_in(
            ui.painter(),
            line,
            Align2::LEFT_CENTER,
            &text,
            Role::Body,
            t.sub,
        );
    }
    ui.add_space(12.0);
}

/// How far off, how often inside the interval, and whether all lean to one side.
fn summary(evaluation: &Evaluation, is_calibrated: bool) -> String {
    let (Some(mean), Some(median), Some(coverage), Some(lean)) = (
        evaluation.mean_error(),
        evaluation.median_error(),
        evaluation.coverage(),
        evaluation.lean(),
    ) else {
        return "No row states a measured time, so there is no error to tell.".to_owned();
    };
    let word = if lean > 1.0 { "slower" } else { "faster" };
    let lean = (lean - 1.0).abs();
    let leaning = if lean > 0.03 {
        format!(" Predictions lean {} {word}.", format::percent(lean))
    } else {
        String::new()
    };
    let few = match evaluation.rows.len() {
        n if n < FEW => " So few tell little: bring more before you rely on it.",
        _ => "",
    };
    // The predictor as it ships, not the corrected one.
    let before = if is_calibrated {
        " before calibration"
    } else {
        ""
    };
    format!(
        "{} run{}{before}: off by {} on average, {} in the median; {} lie inside their interval.{leaning}{few}",
        format::count(evaluation.rows.len() as f64),
        format::plural(evaluation.rows.len() as f64),
        format::percent(mean),
        format::percent(median),
        format::percent(coverage),
    )
}

fn scatter_ui(ui: &mut Ui, area: Rect, rows: &[JudgedRow]) {
    let t = Tokens::of(ui);
    let frame = frame_of(area, 24.0);
    let ends = rows.iter().flat_map(|r| [r.measured, r.predicted.value]);
    let Some(range) = bounds(ends.map(|s| s / 3600.0), (0.05, 0.05)) else {
        return;
    };
    let id = ("judged", rows.len());
    let (response, transform) = base(ui, frame, id, range, range, (None, false));
    response.widget_info(|| {
        let text = format!("Predicted against measured step time, {} runs", rows.len());
        WidgetInfo::labeled(accesskit::Role::Image, true, text)
    });
    let painter = ui.painter().clone();
    paint_axes(
        &painter,
        &transform,
        Axis::log(Quantity::Step, "Measured"),
        Axis::log(Quantity::Step, "Predicted"),
        t,
    );
    let inside = painter.with_clip_rect(frame.intersect(ui.clip_rect()));
    let (low, high) = (10f64.powf(range.0), 10f64.powf(range.1));
    let ends = [place(&transform, low, low), place(&transform, high, high)];
    inside.line_segment(ends, Stroke::new(1.0, t.faint));
    let at = |r: &JudgedRow| place(&transform, r.measured / 3600.0, r.predicted.value / 3600.0);
    for row in rows {
        paint_swatch(&inside, at(row), Fill::of(row.mode), t.mode(row.mode));
    }
    let pointer = response.hover_pos();
    let near = pointer.and_then(|p| {
        rows.iter()
            .filter(|r| at(r).distance(p) < 12.0)
            .min_by(|a, b| at(a).distance(p).total_cmp(&at(b).distance(p)))
    });
    if let Some(row) = near {
        inside.circle_stroke(at(row), 9.0, Stroke::new(1.5, t.text));
        response.on_hover_ui_at_pointer(|ui| {
            ui.label(RichText::new(format!("Row {}: {}", row.row, row.name)).color(t.strong));
            ui.label(format!(
                "{}, measured {}, predicted {}",
                row.mode.label(),
                format::step_time(Seconds(row.measured)),
                format::step_time(Seconds(row.predicted.value))
            ));
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_protocols_of_the_shipped_card_are_found() {
        let card = include_str!("../../../models/CARD.md");
        let list = protocols(card);
        assert!(list.len() >= 5, "{list:?}");
        assert_eq!(list[0].name, "known");
        assert!(list.iter().all(|p| p.errors[0].is_some_and(|e| e > 0.0)));
        assert!(list[0].errors[3] > list[0].errors[0]);
    }

    #[test]
    fn a_tie_with_physics_is_not_called_a_failure_to_carry_over() {
        let said = |whole: f64, physics: f64| {
            let protocol = Protocol {
                name: "unseen source".into(),
                errors: [Some(whole), None, Some(physics), None],
            };
            remarks("", &[protocol]).join(" ")
        };
        assert!(!said(11.9, 11.9).contains("Weak"));
        let tie = said(12.0, 11.9);
        assert!(
            tie.contains("publications are new") && tie.contains("adds nothing"),
            "{tie}"
        );
        let worse = said(13.0, 11.9);
        assert!(worse.contains("does not carry over"), "{worse}");
    }

    #[test]
    fn a_publication_found_afterwards_is_told_of_where_it_errs_more() {
        let said = |mean: f64| {
            let card = format!(
                "## Found afterwards\n\nProse.\n\n| runs | Mantissa | physics alone | inside the 90 % interval |\n\
                 |---|---|---|---|\n| 400 | {mean} / 9.0 | 17.0 / 12.0 | 71 % |\n\n\
                 | publication | rows | Mantissa |\n|---|---|---|\n| one | 300 | 3.0 / 2.0 |\n"
            );
            let protocol = Protocol {
                name: "unseen source".into(),
                errors: [Some(11.9), None, Some(11.9), None],
            };
            found_said(&card, &[protocol])
        };
        let worse = said(18.2).unwrap();
        assert!(
            worse.contains("400 runs of others") && worse.contains("18.2"),
            "{worse}"
        );
        assert!(worse.ends_with("holds 71\u{a0}% of them."), "{worse}");
        assert_eq!(said(12.0), None);
        assert_eq!(found_said("", &[]), None);
    }
}
