//! Views that set runs side by side: evidence, comparison, reasons and scaling can be read without knowing the insides.

use crate::support::window::Window;
use egui::{Rect, Theme};
use egui_kittest::kittest::{NodeT, Queryable};
use mantissa::gui::command::{Action, UiCommand};
use mantissa::gui::state::View;

fn small(view: View) -> Window {
    let mut window = Window::open(1280.0, 800.0, Theme::Dark);
    window.send(Action::SetView(view));
    window
}

#[test]
fn a_measured_run_keeps_its_models_name_and_a_strip_says_its_scale() {
    let window = small(View::Evidence);
    let (_, _, explanation) = window.tab().explanation.clone().expect("an explanation");
    let nearest = explanation.expect("an explanation").nearest.clone();
    let seen = window.texts();
    // Names that fit their cell stand whole, whichever runs are the nearest now.
    let short = |name: &str| name.contains('-') && name.len() < 12;
    assert!(nearest.iter().any(|run| short(&run.model)), "{nearest:?}");
    for run in nearest.iter().filter(|run| short(&run.model)).take(5) {
        assert!(
            seen.iter().any(|(text, _)| *text == run.model),
            "no {}",
            run.model
        );
    }
    // Both strips: their ends, their scale, their dots, all within the centre.
    let labels = window.labels();
    let strips: Vec<&String> = labels
        .iter()
        .filter(|l| l.contains(" on a log scale from "))
        .collect();
    assert!(strips.len() >= 2, "{strips:?}");
    for strip in strips {
        let ends = strip.split_once(" from ").expect("ends").1;
        let (low, rest) = ends.split_once(" to ").expect("a low end");
        let high = rest.split_once(", ").expect("a high end").0;
        for end in [low, high] {
            assert!(seen.iter().any(|(text, _)| text == end), "no {end}");
        }
    }
    for legend in ["log scale", "three nearest", "others"] {
        assert!(
            seen.iter().filter(|(text, _)| text == legend).count() >= 2,
            "{legend}"
        );
    }
}

#[test]
fn a_column_names_three_reasons_the_largest_first_and_the_rest_on_a_click() {
    let mut window = Window::open(1280.0, 800.0, Theme::Dark);
    window.send(Action::Ui(UiCommand::PinAnswers));
    let told = |w: &Window| -> Vec<String> {
        let labels = w.labels().into_iter();
        labels
            .filter(|l| l.contains("the baseline's speed\n"))
            .collect()
    };
    let reasons = told(&window);
    assert_eq!(reasons.len(), 3, "{reasons:?}");
    let painted = |w: &Window| -> Vec<String> { w.painted().into_iter().map(|p| p.0).collect() };
    let plain = |text: &str| text.replace('\u{202F}', "\u{A0}");
    let (mut links, seen) = (0, painted(&window));
    for text in &reasons {
        let points: Vec<String> = text.lines().skip(1).map(plain).collect();
        let shown = |p: &&String| seen.contains(p);
        assert!(points.iter().take(3).all(|p| shown(&p)), "{text}");
        links += usize::from(points.len() > 3);
        // Factors are told apart by their size: none stands above a larger one.
        let by = |line: &String| {
            line.split_once('×')
                .and_then(|(n, _)| n.parse::<f64>().ok())
        };
        let sizes: Vec<f64> = points.iter().filter_map(by).map(|f| f.ln().abs()).collect();
        assert!(sizes.windows(2).all(|w| w[0] >= w[1]), "{text}");
        assert!(points.iter().all(|p| !p.ends_with('.')), "{text}");
    }
    let more: Vec<String> = window
        .labels()
        .into_iter()
        .filter(|l| l.contains(" smaller one"))
        .collect();
    assert_eq!(more.len(), links);
    window.press(&more[0]);
    let seen = painted(&window);
    let all = |text: &String| text.lines().skip(1).map(plain).all(|p| seen.contains(&p));
    assert_eq!(
        told(&window).iter().filter(|r| all(r)).count(),
        1 + reasons.len() - links
    );
}

/// Figures of the comparison by the height they stand at.
fn rows(window: &Window) -> Vec<Vec<String>> {
    let mut rows: Vec<(f32, Vec<String>)> = Vec::new();
    let seen = window.texts();
    let left = seen.iter().find(|(text, _)| text == "Against the first");
    let left = left.expect("a comparison").1.left();
    for (text, rect) in seen {
        // A wide window has the request beside it.
        if rect.left() < left - 1.0 {
            continue;
        }
        match rows
            .iter_mut()
            .find(|(y, _)| (*y - rect.center().y).abs() < 3.0)
        {
            Some((_, row)) => row.push(text),
            None => rows.push((rect.center().y, vec![text])),
        }
    }
    rows.into_iter().map(|(_, row)| row).collect()
}

#[test]
fn a_row_of_the_comparison_has_one_unit_and_its_ranges_one_form() {
    for width in [1280.0, 1440.0, 2560.0] {
        let mut window = Window::open(width, 900.0, Theme::Dark);
        window.send(Action::Ui(UiCommand::PinAnswers));
        let rows = rows(&window);
        let row = |name: &str| -> &Vec<String> {
            let found = rows.iter().find(|row| row.iter().any(|text| text == name));
            found.unwrap_or_else(|| panic!("no row {name}: {rows:?}"))
        };
        for part in [
            "Matmul",
            "Memory traffic",
            "Optimizer",
            "Casts and loss scaling",
        ] {
            let figures = row(part)
                .iter()
                .filter_map(|text| text.split_once('\u{202F}'));
            let figures: Vec<(&str, &str)> = figures.collect();
            assert!(figures.len() >= 7, "{part}: {figures:?}");
            let decimals = |text: &str| text.split_once('.').map_or(0, |(_, rest)| rest.len());
            let (first, unit) = figures[0];
            for (figure, other) in &figures {
                assert_eq!(*other, unit, "{part}: {figures:?}");
                let is_zero = *figure == "0";
                assert!(
                    is_zero || decimals(figure) == decimals(first),
                    "{part}: {figures:?}"
                );
            }
        }
        for name in ["Total time", "Cost"] {
            let ranges = row(name).iter().filter(|t| t.contains(" to ")).count();
            // Where no column has room for both ends: both sides in per cent, or one where they are the same.
            let is_share = |t: &&String| t.starts_with('±') || t.contains('/');
            let halves = row(name).iter().filter(is_share).count();
            assert_eq!(
                (ranges.max(halves), ranges.min(halves)),
                (4, 0),
                "{width} {name}"
            );
        }
        // Without a region there is nothing to compare; with one there is.
        assert!(
            !rows
                .iter()
                .flatten()
                .any(|text| text == "Carbon" || text == "no region chosen")
        );
        let mut request = window.request();
        request.region = Some("us-east-1".into());
        window.send(Action::Edit(Box::new(request), ""));
        assert!(window.texts().iter().any(|(text, _)| text == "Carbon"));
    }
}

#[test]
fn scaling_of_all_columns_has_one_scale_and_takes_the_room_below() {
    for (width, height, least, most) in
        [(1280.0, 800.0, 80.0, 160.0), (2560.0, 1440.0, 180.0, 270.0)]
    {
        let mut window = Window::open(width, height, Theme::Dark);
        window.send(Action::Ui(UiCommand::PinAnswers));
        let nodes = window.harness.root().children_recursive();
        let plots: Vec<(String, Rect)> = nodes
            .filter_map(|n| Some((n.accesskit_node().label()?, n.rect())))
            .filter(|(label, _)| label.starts_with("Scaling of column "))
            .collect();
        assert_eq!(plots.len(), 4, "{plots:?}");
        let scale = |label: &str| label.split_once(", ").expect("a scale").1.to_owned();
        for (label, rect) in &plots {
            assert_eq!(scale(label), scale(&plots[0].0));
            assert!((least..most).contains(&rect.height()), "{width}: {rect:?}");
        }
    }
}

#[test]
fn scaling_says_what_its_figures_are_and_they_stand_on_no_line() {
    let window = small(View::Scaling);
    assert!(window.shows("% = scaling efficiency, band = 90"));
    let seen = window.texts();
    let shares: Vec<Rect> = seen
        .iter()
        .filter(|(text, _)| text.ends_with("\u{202F}%") && !text.starts_with('±'))
        .map(|(_, rect)| *rect)
        .collect();
    let label = |start: &str| {
        seen.iter()
            .find(|(text, _)| text.starts_with(start))
            .expect("a label")
            .1
    };
    let deadline = label("Deadline ");
    let plot = window
        .harness
        .get_by_label_contains("Time against accelerators")
        .rect();
    // The name stands beside its line unless another pushes it down. One day is midway between these two on the axis.
    let tick = |words: &str| {
        let beside = |rect: &Rect| {
            rect.left() < plot.left() + 60.0 && plot.y_range().contains(rect.center().y)
        };
        let found = seen
            .iter()
            .find(|(text, rect)| text == words && beside(rect));
        found.unwrap_or_else(|| panic!("no {words}")).1.center().y
    };
    let line = (tick("2\u{202F}d") + tick("12\u{202F}h")) / 2.0;
    let shares: Vec<Rect> = shares
        .into_iter()
        .filter(|r| plot.contains(r.center()))
        .collect();
    assert_eq!(shares.len(), 3, "{shares:?}");
    let ends = [
        "V100, ",
        "L40S, ",
        "A100, ",
        "H100, FP8",
        "H200, ",
        "B200, ",
    ]
    .map(label);
    assert!(!plot.contains(deadline.center()), "{deadline:?} {plot:?}");
    assert!(ends.iter().all(|end| !end.intersects(deadline)), "{ends:?}");
    for share in shares {
        assert!(!share.y_range().contains(line), "{share:?} {line}");
        assert!(!share.intersects(deadline));
        assert!(ends.iter().all(|end| !end.intersects(share)));
    }
}

#[test]
fn what_limits_a_run_is_one_sentence_and_the_tests_stand_below_it() {
    let window = small(View::Why);
    let (_, _, explanation) = window.tab().explanation.clone().expect("an explanation");
    let explanation = explanation.expect("an explanation");
    let labels = window.labels();
    // In the view and in the inspector.
    let said = labels
        .iter()
        .filter(|l| l.starts_with("Matmul arithmetic limits it, because "));
    assert_eq!(said.count(), 2, "{labels:?}");
    let rule = explanation.limit_rule.join(" · ");
    let rule = rule.replace(" at most ", " ≤ ").replace(" above ", " > ");
    let tests = format!("Tests passed: {rule}");
    assert_eq!(labels.iter().filter(|l| **l == tests).count(), 2);
    assert!(!labels.iter().any(|l| l.contains("Limited by")));
}

#[test]
fn of_what_matters_ten_of_each_stage_are_shown_and_the_rest_on_a_click() {
    let mut window = Window::open(2560.0, 1440.0, Theme::Dark);
    window.send(Action::SetView(View::Why));
    let all = mantissa::gui::Backend::importance(&*crate::support::window::backend()).len();
    let rows = |w: &Window| {
        let labels = w.labels().into_iter();
        labels.filter(|l| l.ends_with('%')).count()
    };
    let more = |w: &Window| -> Vec<String> {
        let labels = w.labels().into_iter();
        labels
            .filter(|l| l.ends_with(" more") && l.contains(", "))
            .collect()
    };
    let (before, links) = (rows(&window), more(&window));
    assert!(
        all > 40 && !links.is_empty(),
        "{before} of {all}, {links:?}"
    );
    let rest: usize = links[0]
        .split(' ')
        .rev()
        .nth(1)
        .and_then(|n| n.parse().ok())
        .expect("a number");
    window.press(&links[0]);
    assert_eq!(rows(&window), before + rest);
    window.press(&links[0].replace(&format!("{rest} more"), "fewer"));
    assert_eq!(rows(&window), before);
}

#[test]
fn factors_are_bars_on_a_broken_axis_and_what_changes_nothing_has_none() {
    let window = small(View::Why);
    // The box stands in the head, and the last line is whole.
    let rect = |label: &str| window.harness.get_by_label(label).rect();
    let (head, every) = (rect("From physics to prediction"), rect("Show every input"));
    assert!(
        (head.center().y - every.center().y).abs() < 2.0 && every.left() >= head.right() - 12.0
    );
    let shapes = &window.harness.output().shapes;
    let last: Vec<bool> = shapes
        .iter()
        .filter_map(|s| match &s.shape {
            egui::Shape::Text(text) if text.galley.text() == "Prediction" => {
                Some(s.clip_rect.contains_rect(text.visual_bounding_rect()))
            }
            _ => None,
        })
        .collect();
    assert_eq!(last, [true, true]);
    // Bars by the height of their row; panels and fields are taller or wider.
    let bars = window.shapes(|shape| match shape {
        egui::Shape::Rect(r) if (r.rect.height() - 9.0).abs() < 0.6 => Some(r.rect),
        _ => None,
    });
    let factors: Vec<(String, Rect)> = window
        .texts()
        .into_iter()
        .filter(|(text, _)| text.starts_with("×\u{202F}"))
        .collect();
    assert!(factors.len() > 10, "{factors:?}");
    for (text, place) in factors {
        let beside = |bar: &&Rect| {
            let left = place.left() - bar.right();
            (bar.center().y - place.center().y).abs() < 2.0 && (0.0..200.0).contains(&left)
        };
        let bar = bars.iter().find(beside);
        match text.as_str() {
            "×\u{202F}1.00" => assert!(bar.is_none(), "{text} {bar:?}"),
            _ => assert!(bar.is_some_and(|bar| bar.width() >= 2.0), "{text} {bar:?}"),
        }
    }
}
