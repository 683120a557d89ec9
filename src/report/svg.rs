//! Charts of the printable report as inline SVG: print colours, no script, no outside file, no style of the page. A chart
//! that is taken out of the page keeps its look, its key and a white ground.

use super::Mark;
use crate::domain::PrecisionMode;
use crate::format;
use crate::planner::{Combination, Plan};
use crate::predictor::Breakdown;
use crate::units::Usd;
use std::collections::BTreeMap;
use std::fmt::Write;

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 300.0;
const LEFT: f64 = 64.0;
const BOTTOM: f64 = 34.0;
const MARGIN: f64 = 12.0;
/// Room for the title of the upright axis.
const TOP: f64 = 20.0;
const BAR: f64 = 20.0;
const BAR_LABEL: f64 = 190.0;
/// Bars of the chart of step times; more would not fit the page.
const MOST_BARS: usize = 12;
/// A line of a key, the square that shows a colour, and the room around a word.
const KEY_LINE: f64 = 18.0;
const KEY_SQUARE: f64 = 10.0;
const KEY_GAP: f64 = 10.0;

// How shapes are drawn: attributes, for a chart alone has no style sheet and few programs read one in a picture.
const GRID: &str = "stroke=\"#e9ecef\" fill=\"none\"";
const LIMIT: &str = "stroke=\"#5f6973\" stroke-dasharray=\"3 3\" fill=\"none\"";
const WHISKER: &str = "stroke-width=\"1.2\" fill=\"none\" opacity=\".65\"";
const FRONT: &str = "stroke=\"#98a1ab\" stroke-width=\"1.5\" fill=\"none\"";
/// Of a shape that stands for a part in whatever mode.
const INK: &str = "#363e47";
const TITLE: &str = "fill=\"#363e47\"";

/// The colour of a mode on paper.
const fn colour(mode: PrecisionMode) -> &'static str {
    match mode {
        PrecisionMode::Fp64 => "#22282e",
        PrecisionMode::Fp32 => "#6d7681",
        PrecisionMode::Tf32 => "#a07c00",
        PrecisionMode::Fp16 => "#a83a08",
        PrecisionMode::Bf16 => "#1c66a8",
        PrecisionMode::AmpFp16 => "#c4670f",
        PrecisionMode::AmpBf16 => "#1a84bf",
        PrecisionMode::Fp8 => "#0c8f69",
        PrecisionMode::Mxfp8 => "#a3246f",
        PrecisionMode::Nvfp4 => "#4f6d08",
    }
}

/// Colours of the parts of a step, in the order of [`Breakdown::parts`].
const PART_COLOURS: [&str; 7] = [
    "#5159cf", "#7c87e0", "#a9b0ee", "#818b97", "#bb7f22", "#c8543f", "#bcc3cb",
];

/// Text that may stand in HTML and SVG.
pub(super) fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

/// Opens a chart of a height that says what it shows; what follows is text in the quiet ink unless it says otherwise.
fn open(height: f64, label: &str) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" height=\"{height}\" \
         font-family=\"Inter,system-ui,sans-serif\" font-size=\"11\" fill=\"#5f6973\" role=\"img\" aria-label=\"{label}\">\
         <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>"
    )
}

/// Room for a word in the letters of a chart, which nothing here can measure: capitals and digits are wide.
fn room_for(word: &str) -> f64 {
    let letter = |c: char| {
        let is_wide = c.is_ascii_uppercase() || c.is_ascii_digit();
        if is_wide { 7.2 } else { 6.0 }
    };
    word.chars().map(letter).sum()
}

/// A key to colours from a height downwards, in as many lines as it needs; and the height below it.
fn key(entries: &[(&str, &str)], top: f64) -> (String, f64) {
    let mut key = String::new();
    let (mut left, mut line) = (0.0, top);
    for (word, colour) in entries {
        let width = KEY_SQUARE + 5.0 + room_for(word);
        if left > 0.0 && left + width > WIDTH {
            (left, line) = (0.0, line + KEY_LINE);
        }
        let _ = write!(
            key,
            "<rect x=\"{left:.1}\" y=\"{:.1}\" width=\"{KEY_SQUARE}\" height=\"{KEY_SQUARE}\" fill=\"{colour}\"/><text x=\"{:.1}\" y=\"{:.1}\">{word}</text>",
            line + 4.0,
            left + KEY_SQUARE + 5.0,
            line + 13.0,
        );
        left += width + KEY_GAP;
    }
    (key, line + KEY_LINE)
}

/// A logarithmic axis from one to another end of the data, widened a little.
struct Axis {
    low: f64,
    high: f64,
    start: f64,
    end: f64,
}

impl Axis {
    fn new(values: impl Iterator<Item = f64>, start: f64, end: f64) -> Option<Self> {
        let (mut low, mut high) = (f64::INFINITY, 0.0f64);
        for value in values.filter(|v| v.is_finite() && *v > 0.0) {
            low = low.min(value);
            high = high.max(value);
        }
        (high > 0.0).then(|| Self {
            low: (low / 1.15).ln(),
            high: (high * 1.15).ln(),
            start,
            end,
        })
    }

    fn at(&self, value: f64) -> f64 {
        let share = (value.max(f64::MIN_POSITIVE).ln() - self.low) / (self.high - self.low);
        self.start + share * (self.end - self.start)
    }

    /// Round values inside the axis, few enough to be read.
    fn ticks(&self) -> Vec<f64> {
        const STEPS: [f64; 3] = [1.0, 2.0, 5.0];
        let decades = (self.high - self.low) / std::f64::consts::LN_10;
        let used = if decades > 2.5 { 1 } else { 3 };
        let first = (self.low / std::f64::consts::LN_10).floor() as i32;
        let last = (self.high / std::f64::consts::LN_10).ceil() as i32;
        (first..=last)
            .flat_map(|power| {
                STEPS[..used]
                    .iter()
                    .map(move |step| step * 10f64.powi(power))
            })
            .filter(|tick| (self.low..=self.high).contains(&tick.ln()))
            .collect()
    }
}

/// Time against cost of every priced run, the Pareto front joined; empty where no run has a price.
pub(super) fn scatter(plan: &Plan) -> String {
    let points: Vec<(usize, f64, f64)> = plan
        .combinations
        .iter()
        .enumerate()
        .filter_map(|(at, c)| {
            let run = c.run()?;
            Some((at, run.total_time_h.value, run.cost_usd?.value))
        })
        .collect();
    let request = &plan.request;
    // The whiskers of the front must fit too.
    let intervals: Vec<_> = plan
        .pareto
        .iter()
        .filter_map(|at| plan.combinations.get(*at)?.run())
        .filter_map(|run| Some((run.total_time_h, run.cost_usd?)))
        .collect();
    let hours = points.iter().map(|p| p.1).chain(request.deadline_h);
    let hours = hours.chain(intervals.iter().flat_map(|(time, _)| [time.low, time.high]));
    let x = Axis::new(hours, LEFT, WIDTH - MARGIN);
    let dollars = points.iter().map(|p| p.2).chain(request.budget_usd);
    let dollars = dollars.chain(intervals.iter().flat_map(|(_, cost)| [cost.low, cost.high]));
    let y = Axis::new(dollars, HEIGHT - BOTTOM, TOP);
    let (Some(x), Some(y)) = (x, y) else {
        return String::new();
    };
    let modes = request
        .modes
        .iter()
        .map(|mode| (mode.label(), colour(*mode)));
    let (key, below) = key(&modes.collect::<Vec<_>>(), HEIGHT + 4.0);
    let marks = Mark::of_plan(plan);
    let (parts, height) = part_key(plan, &marks, below);
    let mut svg = open(height, "Time against cost");
    grid(&mut svg, &x, &y);
    limits(&mut svg, plan, &x, &y);
    whiskers(&mut svg, plan, &x, &y);
    front(&mut svg, plan, &x, &y);
    let mark_of = |c: &Combination| marks.get(&c.accelerator.name).copied();
    for (at, hours, usd) in points {
        let combination = &plan.combinations[at];
        let mark = mark_of(combination);
        let place = (x.at(hours), y.at(usd));
        let title = format!("<title>{}</title>", escape(&name(combination)));
        mark_at(&mut svg, mark, place, colour(combination.mode), &title);
    }
    svg.push_str(&key);
    svg.push_str(&parts);
    svg.push_str("</svg>");
    svg
}

/// The shape of a part around a place; what stands inside is its title.
fn mark_at(svg: &mut String, mark: Option<Mark>, (x, y): (f64, f64), fill: &str, title: &str) {
    let corners = mark.unwrap_or(Mark::Circle).outline(4.0);
    let points: Vec<String> = corners
        .into_iter()
        .map(|(dx, dy)| format!("{:.1},{:.1}", x + f64::from(dx), y + f64::from(dy)))
        .collect();
    let points = points.join(" ");
    let _ = write!(
        svg,
        "<polygon points=\"{points}\" fill=\"{fill}\">{title}</polygon>"
    );
}

/// Which shape is which accelerator, from a height downwards, and the height below it.
fn part_key(plan: &Plan, marks: &BTreeMap<String, Mark>, top: f64) -> (String, f64) {
    let mut key = String::new();
    let (mut left, mut line) = (0.0, top);
    for part in &plan.request.accelerators {
        let width = KEY_SQUARE + 5.0 + room_for(&part.label);
        if left > 0.0 && left + width > WIDTH {
            (left, line) = (0.0, line + KEY_LINE);
        }
        let place = (left + KEY_SQUARE / 2.0, line + 9.0);
        mark_at(&mut key, marks.get(&part.name).copied(), place, INK, "");
        let _ = write!(
            key,
            "<text x=\"{:.1}\" y=\"{:.1}\">{}</text>",
            left + KEY_SQUARE + 5.0,
            line + 13.0,
            escape(&part.label),
        );
        left += width + KEY_GAP;
    }
    (key, line + KEY_LINE)
}

fn grid(svg: &mut String, x: &Axis, y: &Axis) {
    let (foot, right) = (HEIGHT - BOTTOM, WIDTH - MARGIN);
    for tick in format::ROUND_HOURS
        .into_iter()
        .filter(|h| (x.low..=x.high).contains(&h.ln()))
    {
        let at = x.at(tick);
        let _ = write!(
            svg,
            "<path {GRID} d=\"M{at:.1} {TOP}V{foot}\"/><text x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
            foot + 16.0,
            format::hours_tick(tick),
        );
    }
    for tick in y.ticks() {
        let at = y.at(tick);
        let _ = write!(
            svg,
            "<path {GRID} d=\"M{LEFT} {at:.1}H{right}\"/><text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            LEFT - 6.0,
            at + 4.0,
            format::money(Usd(tick)).replace('<', "&lt;"),
        );
    }
}

/// Deadline and budget, each named on its line, and the titles of the axes.
fn limits(svg: &mut String, plan: &Plan, x: &Axis, y: &Axis) {
    let (foot, right) = (HEIGHT - BOTTOM, WIDTH - MARGIN);
    if let Some(hours) = plan.request.deadline_h {
        let at = x.at(hours);
        let _ = write!(
            svg,
            "<path {LIMIT} d=\"M{at:.1} {TOP}V{foot}\"/><text x=\"{:.1}\" y=\"{:.1}\">Deadline {}</text>",
            at + 4.0,
            TOP + 10.0,
            format::hours(hours),
        );
    }
    if let Some(usd) = plan.request.budget_usd {
        let at = y.at(usd);
        let _ = write!(
            svg,
            "<path {LIMIT} d=\"M{LEFT} {at:.1}H{right}\"/><text x=\"{right}\" y=\"{:.1}\" text-anchor=\"end\">Budget {}</text>",
            at - 4.0,
            format::money(Usd(usd)).replace('<', "&lt;"),
        );
    }
    let _ = write!(
        svg,
        "<text {TITLE} x=\"0\" y=\"11\">Cost</text><text {TITLE} x=\"{right}\" y=\"{:.1}\" text-anchor=\"end\">Total time</text>",
        HEIGHT - 4.0,
    );
}

/// Intervals of the runs on the front: at a fixed price cost is time × price, so one slanted stroke holds both.
fn whiskers(svg: &mut String, plan: &Plan, x: &Axis, y: &Axis) {
    let front = plan
        .pareto
        .iter()
        .filter_map(|at| plan.combinations.get(*at));
    for (combination, run) in front.filter_map(|c| Some((c, c.run()?))) {
        let Some(cost) = run.cost_usd else { continue };
        let time = run.total_time_h;
        let _ = write!(
            svg,
            "<path {WHISKER} stroke=\"{}\" d=\"M{:.1} {:.1}L{:.1} {:.1}\"/>",
            colour(combination.mode),
            x.at(time.low),
            y.at(cost.low),
            x.at(time.high),
            y.at(cost.high),
        );
    }
}

fn front(svg: &mut String, plan: &Plan, x: &Axis, y: &Axis) {
    let runs = plan
        .pareto
        .iter()
        .filter_map(|&at| plan.combinations.get(at)?.run());
    let mut path = String::new();
    for (hours, usd) in runs.filter_map(|run| Some((run.total_time_h.value, run.cost_usd?.value))) {
        // Steps: until the next run on the front, waiting longer buys nothing.
        let _ = if path.is_empty() {
            write!(path, "M{:.1} {:.1}", x.at(hours), y.at(usd))
        } else {
            write!(path, "H{:.1}V{:.1}", x.at(hours), y.at(usd))
        };
    }
    let _ = write!(svg, "<path {FRONT} d=\"{path}\"/>");
}

/// Where the step goes, for the runs on the Pareto front.
pub(super) fn step_bars(plan: &Plan) -> String {
    let shown: Vec<(&Combination, &Breakdown)> = plan
        .pareto
        .iter()
        .filter_map(|&at| {
            let combination = plan.combinations.get(at)?;
            Some((combination, &combination.run()?.prediction.breakdown))
        })
        .take(MOST_BARS)
        .collect();
    let longest = shown
        .iter()
        .map(|(_, b)| b.total().value())
        .fold(0.0, f64::max);
    if longest <= 0.0 {
        return String::new();
    }
    let names = Breakdown::default().parts().map(|(part, _)| part);
    let parts: Vec<(&str, &str)> = names.into_iter().zip(PART_COLOURS).collect();
    let (key, height) = key(&parts, BAR * shown.len() as f64 + 4.0);
    let mut svg = open(height, "Where the step goes");
    let scale = (WIDTH - BAR_LABEL - 80.0) / longest;
    for (row, (combination, breakdown)) in shown.iter().enumerate() {
        bar(&mut svg, row as f64 * BAR, combination, breakdown, scale);
    }
    svg.push_str(&key);
    svg.push_str("</svg>");
    svg
}

fn bar(svg: &mut String, top: f64, combination: &Combination, breakdown: &Breakdown, scale: f64) {
    let _ = write!(
        svg,
        "<text x=\"0\" y=\"{:.1}\">{}</text>",
        top + 14.0,
        escape(&name(combination))
    );
    let mut left = BAR_LABEL;
    for ((part, time), colour) in breakdown.parts().into_iter().zip(PART_COLOURS) {
        let width = time.value() * scale;
        let _ = write!(
            svg,
            "<rect x=\"{left:.1}\" y=\"{:.1}\" width=\"{width:.1}\" height=\"12\" fill=\"{colour}\"><title>{part}</title></rect>",
            top + 4.0,
        );
        left += width;
    }
    let _ = write!(
        svg,
        "<text x=\"{:.1}\" y=\"{:.1}\">{}</text>",
        left + 6.0,
        top + 14.0,
        format::step_time(breakdown.total()),
    );
}

/// A combination in a few words.
pub(super) fn name(combination: &Combination) -> String {
    format!(
        "{}× {} {}",
        combination.count,
        combination.accelerator.label,
        combination.mode.label()
    )
}
