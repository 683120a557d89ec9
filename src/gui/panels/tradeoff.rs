//! Trade-off: one figure against another, the Pareto front, intervals as whiskers, limits shaded. A click selects, a
//! drag draws a box that filters the table; with Shift it moves the chart, as scrolling does.

use super::axes::{Axis, Quantity, base, frame_of, is_shift_drag, paint_axes, place_on};
use super::callout::{answer_marks, callout_ui, names_ui};
use super::cloud::{Cloud, Drawn, Point, look_key, whisker};
use super::limit_words::count_text;
use super::limits::{Limits, tag};
use super::scene::{Scene, cached, figures_of, key_of, title_of};
use crate::format;
use crate::gui::command::{Action, UiCommand};
use crate::gui::look::ChartStep;
use crate::gui::measure::{Axes, Measure, Region};
use crate::gui::prices;
use crate::gui::region::BoxStep;
use crate::gui::theme::{Fill, PaintMark, Role, Tokens};
use crate::gui::widgets::{paint, text_button, width_of};
use egui::{
    Align2, EventFilter, Id, Key, Modifiers, Painter, Pos2, Rect, Response, Shape, Stroke,
    StrokeKind, Ui, WidgetInfo, accesskit, vec2,
};
use egui_plot::PlotTransform;
use std::sync::Arc;

/// A drag shorter than this on both sides is a shaky click.
const LEAST_BOX: f32 = 5.0;

/// Draws the trade-off plot.
pub fn tradeoff_ui(ui: &mut Ui, area: Rect, cx: &mut Scene<'_>) {
    let t = Tokens::of(ui);
    let Some(plan) = cx.plan() else { return };
    let axes = cx.state.settings.axes;
    let key = key_of(&(cx.visible_key(), axes));
    let cloud = cached(ui, "cloud", key, || Cloud::of(cx, plan, axes));
    let Some([x, y]) = cloud.bounds else {
        nothing_ui(ui, area, axes, t);
        return;
    };
    let frame = frame_of(area, 2.0);
    let stamp = cx.tab.done.as_ref().map_or(0, |d| d.stamp);
    // A double click counts this up: a plot of another identity starts at its own bounds again.
    let resets_id = Id::unique(("trade-off-resets", cx.tab.id));
    let resets: u32 = ui.data(|d| d.get_temp(resets_id)).unwrap_or(0);
    let (response, transform) = base(
        ui,
        frame,
        ("trade-off", cx.tab.id, stamp, axes, resets),
        x,
        y,
        (cx.state.chart_step, true),
    );
    name_ui(&response, axes, &cloud);
    let whole = whole_place(ui, frame, &transform, (x, y));
    let painter = ui.painter().with_clip_rect(ui.clip_rect());
    let inside = painter.with_clip_rect(frame.intersect(ui.clip_rect()));
    let limits = Limits::of(plan, axes, &transform);
    limits.shade_ui(&inside, t);
    let axis = |measure: Measure| Axis {
        quantity: Quantity::from(measure),
        scale: axes.scale,
        title: measure.title(),
    };
    paint_axes(&painter, &transform, axis(axes.x), axis(axes.y), t);
    limits.lines_ui(&inside, t);
    front_ui(&inside, &cloud, axes, &transform, t);
    let drawn = drawn_of(ui, cx, &cloud, (axes, key), &transform);
    inside.add(Shape::Mesh(Arc::clone(&drawn.mesh)));
    let at = |p: &Point| place_on(&transform, axes.scale, p.x.value, p.y.value);
    let selected = cx.tab.selected.and_then(|i| cloud.place(i));
    // A point that stands for several offers speaks of the one selected.
    let selected = (selected.and_then(|place| cloud.points.get(place)))
        .zip(cx.tab.selected)
        .map(|(p, index)| Point { index, ..*p });
    if let Some(p) = &selected {
        selected_ui(&inside, cx, p, axes, &transform, t);
    }
    let mut taken = limits.labels_ui(&inside, &drawn.places, whole, t);
    let below = frame.with_max_x(whole.map_or(frame.right(), |button| button.left()));
    taken.extend(captions_ui(&inside, below, cx, (axes, cloud.missing), t));
    taken.extend(whole.map(|button| button.expand(4.0)));
    taken.extend(answer_marks(plan, &cloud, &drawn));
    // A dimmed callout would let the points beneath show through.
    if let Some(p) = selected.as_ref().filter(|_| !cx.tab.is_stale()) {
        // Ends of the intervals that are drawn must be seen as much as marks.
        let mut seen = drawn.places.clone();
        let whiskers = cloud.front.iter().filter_map(|i| cloud.points.get(*i));
        for p in whiskers.chain([p]) {
            let ends = [(p.x.low, p.y.low), (p.x.high, p.y.high)];
            seen.extend(ends.map(|(x, y)| place_on(&transform, axes.scale, x, y)));
        }
        let callout = callout_ui(&inside, cx, p, at(p), (&taken, &seen), t);
        taken.push(callout);
    }
    // No name may cover the ring of the selection.
    taken.extend(
        selected
            .iter()
            .map(|p| Rect::from_center_size(at(p), vec2(22.0, 22.0))),
    );
    names_ui(&inside, plan, (&cloud, &drawn), &selected, taken, t);
    // Above what is painted, or the shade beyond the limits would hide it.
    if let Some(button) = whole {
        whole_ui(ui, cx, button);
    }
    box_ui(ui, cx, &response, &inside, (axes, &transform));
    keys_ui(ui, cx, &response, frame);
    if response.double_clicked() {
        ui.data_mut(|d| d.insert_temp(resets_id, resets + 1));
        cx.send(Action::SetRegion(None));
    }
    let pointer = response.hover_pos().filter(|_| !response.dragged());
    let near = pointer.and_then(|p| cloud.points.get(drawn.nearest(p)?));
    // Drawn apart from the mesh of the points, which is kept while the pointer moves.
    let elsewhere = cx.hovered.filter(|_| near.is_none());
    if let Some(p) = near.or_else(|| cloud.points.get(cloud.place(elsewhere?)?)) {
        inside.circle_stroke(at(p), 9.0, Stroke::new(1.5, t.text));
    }
    if let Some(p) = near {
        cx.hover(p.index, true);
        hover_ui(cx, response, p);
    }
}

fn name_ui(response: &Response, axes: Axes, cloud: &Cloud) {
    response.widget_info(|| {
        let (points, passing) = (cloud.points.len(), cloud.passing);
        let filtered = if passing < points {
            format!(", {passing} pass the filter")
        } else {
            String::new()
        };
        let text = format!(
            "{} against {}, {points} combinations{filtered}",
            axes.y.title(),
            axes.x.word()
        );
        WidgetInfo::labeled(accesskit::Role::Image, true, text)
    });
}

/// What shows the whole chart again.
const WHOLE: &str = "Show all";

/// Where the way back stands in a chart that was moved or zoomed, since what it shows may be nothing; `None` of one that was
/// not.
fn whole_place(
    ui: &Ui,
    frame: Rect,
    transform: &PlotTransform,
    (x, y): ((f64, f64), (f64, f64)),
) -> Option<Rect> {
    let seen = transform.bounds();
    let is_off = |seen: std::ops::RangeInclusive<f64>, own: (f64, f64)| {
        let least = 1e-3 * (own.1 - own.0);
        (seen.start() - own.0).abs() > least || (seen.end() - own.1).abs() > least
    };
    if !is_off(seen.range_x(), x) && !is_off(seen.range_y(), y) {
        return None;
    }
    let size = vec2(width_of(ui.painter(), WHOLE, Role::Body) + 20.0, 26.0);
    let at = frame.right_bottom() - vec2(6.0, 16.0);
    Some(Align2::RIGHT_CENTER.anchor_size(at, size))
}

fn whole_ui(ui: &mut Ui, cx: &mut Scene<'_>, place: Rect) {
    let command = UiCommand::Chart(ChartStep::Whole);
    let button = text_button(ui, place.right_center(), None, WHOLE, false);
    if button.on_hover_text(command.tooltip(ui.ctx())).clicked() {
        cx.run(command);
    }
}

fn nothing_ui(ui: &Ui, area: Rect, axes: Axes, t: &Tokens) {
    let text = format!(
        "No combination shown here has both a {} and a {}. The table lists what is known",
        axes.x.word(),
        axes.y.word()
    );
    paint(
        ui.painter(),
        area.center(),
        Align2::CENTER_CENTER,
        &text,
        Role::Body,
        t.sub,
    );
}

/// The points on the screen, kept while nothing moves.
fn drawn_of(
    ui: &Ui,
    cx: &Scene<'_>,
    cloud: &Cloud,
    (axes, key): (Axes, u64),
    transform: &PlotTransform,
) -> Arc<Drawn> {
    let radius = if transform.frame().height() > 420.0 {
        5.2
    } else {
        4.4
    };
    let key = key_of(&(key, look_key(ui, transform), cx.state.settings.all_whiskers));
    cached(ui, "cloud-drawn", key, || {
        cloud.drawn(ui, cx, transform, axes, radius)
    })
}

/// The front as steps: until something better comes, the best stays.
fn front_ui(painter: &Painter, cloud: &Cloud, axes: Axes, transform: &PlotTransform, t: &Tokens) {
    let mut line: Vec<Pos2> = Vec::new();
    for p in cloud.front.iter().filter_map(|i| cloud.points.get(*i)) {
        let at = place_on(transform, axes.scale, p.x.value, p.y.value);
        if let Some(last) = line.last().copied() {
            line.push(egui::pos2(at.x, last.y));
        }
        line.push(at);
    }
    if line.len() > 1 {
        painter.line(line, Stroke::new(1.5, t.faint));
    }
}

/// The selected point above all others: its interval, its mark, the accent ring.
fn selected_ui(
    painter: &Painter,
    cx: &Scene<'_>,
    p: &Point,
    axes: Axes,
    transform: &PlotTransform,
    t: &Tokens,
) {
    let Some(c) = cx.plan().and_then(|plan| plan.combinations.get(p.index)) else {
        return;
    };
    let mut shapes = Vec::new();
    whisker(p, axes, transform, t.strong, &mut shapes);
    let at = place_on(transform, axes.scale, p.x.value, p.y.value);
    let radius = if transform.frame().height() > 420.0 {
        6.0
    } else {
        5.1
    };
    cx.mark(&c.accelerator.name)
        .shapes(at, radius, Fill::of(c.mode), t.mode(c.mode), &mut shapes);
    painter.extend(shapes);
    painter.circle_stroke(at, 9.5, Stroke::new(2.0, t.accent));
}

/// What the plot cannot show or counts, in its lower corners; returns where the words stand.
fn captions_ui(
    painter: &Painter,
    frame: Rect,
    cx: &Scene<'_>,
    (axes, missing): (Axes, usize),
    t: &Tokens,
) -> Vec<Rect> {
    let mut places = Vec::new();
    let Some(plan) = cx.plan() else { return places };
    let drawn = [axes.x, axes.y].map(|m| m.limit(plan).is_some());
    // On a ground of their own: lines of limits and whiskers would strike them through. Left and low is inside the limits.
    let beyond = match drawn.contains(&true) {
        true => t.shade,
        false => t.panel,
    };
    let mut said = Vec::new();
    if drawn.contains(&true) {
        let likely = cx.tab.rows.outlook.is_some_and(|o| o.likely > 0);
        let text = count_text(cx, plan);
        said.push(if likely {
            format!("{text}; with intervals none")
        } else {
            format!("{text}, intervals included")
        });
    }
    // A picture of the chart does not show the filter.
    if cx.tab.row_settings.is_filtered() {
        said.push("faint: not among the rows".to_owned());
    }
    if !said.is_empty() {
        let text = format::capitalised(&said.join("; "));
        let at = frame.left_bottom() + vec2(8.0, -10.0);
        places.push(tag(painter, at, Align2::LEFT_CENTER, &text, t.panel, t.sub));
    }
    if missing > 0 {
        let lacks = if [axes.x, axes.y].contains(&Measure::Cost) {
            "price"
        } else {
            "figure"
        };
        let text = format!("{missing} without a {lacks} are in the table alone");
        let at = frame.right_bottom() + vec2(-8.0, -10.0);
        places.push(tag(painter, at, Align2::RIGHT_CENTER, &text, beyond, t.sub));
    }
    places
}

/// The plot with the keyboard: Enter puts a box around the selection, arrows move it, with Shift they size it, Delete
/// removes it; with Ctrl arrows look further, plus and minus look closer and step back, 0 shows the whole.
fn keys_ui(ui: &Ui, cx: &mut Scene<'_>, response: &Response, frame: Rect) {
    if !response.has_focus() {
        return;
    }
    let t = Tokens::of(ui);
    let ring = Stroke::new(2.0, t.accent);
    ui.painter()
        .rect_stroke(frame.expand(1.0), 2.0, ring, StrokeKind::Outside);
    let arrows = EventFilter {
        horizontal_arrows: true,
        vertical_arrows: true,
        ..EventFilter::default()
    };
    ui.memory_mut(|m| m.set_focus_lock_filter(response.id, arrows));
    let commands = [
        (Modifiers::NONE, Key::Enter, UiCommand::BoxAround),
        (Modifiers::NONE, Key::Delete, UiCommand::BoxRemove),
    ];
    let boxes = [
        (Modifiers::NONE, Key::ArrowLeft, BoxStep::Left),
        (Modifiers::NONE, Key::ArrowRight, BoxStep::Right),
        (Modifiers::NONE, Key::ArrowUp, BoxStep::Up),
        (Modifiers::NONE, Key::ArrowDown, BoxStep::Down),
        (Modifiers::SHIFT, Key::ArrowLeft, BoxStep::Narrower),
        (Modifiers::SHIFT, Key::ArrowRight, BoxStep::Wider),
        (Modifiers::SHIFT, Key::ArrowUp, BoxStep::Taller),
        (Modifiers::SHIFT, Key::ArrowDown, BoxStep::Lower),
    ];
    let looks = [
        (Modifiers::NONE, Key::Plus, ChartStep::Closer),
        // Plus and zero need Shift on some keyboards, and plus shares its key with the equals sign on others.
        (Modifiers::SHIFT, Key::Plus, ChartStep::Closer),
        (Modifiers::NONE, Key::Equals, ChartStep::Closer),
        (Modifiers::NONE, Key::Minus, ChartStep::Farther),
        (Modifiers::NONE, Key::Num0, ChartStep::Whole),
        (Modifiers::SHIFT, Key::Num0, ChartStep::Whole),
        (Modifiers::COMMAND, Key::ArrowLeft, ChartStep::Left),
        (Modifiers::COMMAND, Key::ArrowRight, ChartStep::Right),
        (Modifiers::COMMAND, Key::ArrowUp, ChartStep::Up),
        (Modifiers::COMMAND, Key::ArrowDown, ChartStep::Down),
    ];
    let boxes = boxes.map(|(modifiers, key, step)| (modifiers, key, UiCommand::Box(step)));
    let looks = looks.map(|(modifiers, key, step)| (modifiers, key, UiCommand::Chart(step)));
    for (modifiers, key, command) in commands.into_iter().chain(boxes).chain(looks) {
        if ui.input(|i| i.modifiers.matches_exact(modifiers) && i.key_pressed(key)) {
            cx.run(command);
        }
    }
}

/// The box that is being drawn, or the one that filters the table.
fn box_ui(
    ui: &Ui,
    cx: &mut Scene<'_>,
    response: &Response,
    painter: &Painter,
    (axes, transform): (Axes, &PlotTransform),
) {
    let t = Tokens::of(ui);
    let frame = *transform.frame();
    let primary = egui::PointerButton::Primary;
    let drawn = ui.input(|i| {
        let (from, to) = (i.pointer.press_origin()?, i.pointer.latest_pos()?);
        Some(Rect::from_two_pos(from, to).intersect(frame))
    });
    let draws = response.dragged_by(primary) && !is_shift_drag(response);
    if draws {
        if let Some(rect) = drawn {
            paint_box(painter, rect, t);
        }
    } else if let Some(region) = cx.tab.row_settings.region
        && region.is_on(axes)
    {
        let a = place_on(transform, axes.scale, region.x.1, region.y.1);
        let b = place_on(transform, axes.scale, region.x.2, region.y.2);
        paint_box(painter, Rect::from_two_pos(a, b), t);
    }
    // The last drawn place is kept: on the frame of the release the pointer has no origin any more.
    let id = Id::unique("trade-off-box");
    if draws {
        if let Some(rect) = drawn {
            ui.data_mut(|d| d.insert_temp(id, rect));
        }
    } else if response.drag_stopped_by(primary)
        && let Some(rect) = ui.data_mut(|d| {
            // A later drag that moves the chart must not find this one's box.
            let rect = d.get_temp::<Rect>(id);
            d.remove::<Rect>(id);
            rect
        })
        && (rect.width() > LEAST_BOX || rect.height() > LEAST_BOX)
    {
        let value = |at: Pos2| {
            let place = transform.value_from_position(at);
            [place.x, place.y].map(|v| axes.scale.to_value(v))
        };
        let ([x_low, y_low], [x_high, y_high]) =
            (value(rect.left_bottom()), value(rect.right_top()));
        cx.send(Action::SetRegion(Some(Region {
            x: (axes.x, x_low, x_high),
            y: (axes.y, y_low, y_high),
        })));
    }
}

fn paint_box(painter: &Painter, rect: Rect, t: &Tokens) {
    painter.rect(
        rect,
        2.0,
        t.accent.gamma_multiply(0.08),
        Stroke::new(1.0, t.sel_line),
        StrokeKind::Inside,
    );
}

fn hover_ui(cx: &mut Scene<'_>, response: Response, p: &Point) {
    let Some((c, run)) = cx
        .plan()
        .and_then(|plan| plan.combinations.get(p.index))
        .and_then(|c| Some((c, c.run()?)))
    else {
        return;
    };
    let index = p.index;
    let t = Tokens::for_theme(response.ctx.theme() == egui::Theme::Dark);
    if response.clicked() {
        cx.pick(&response.ctx, index);
    }
    let title = title_of(cx, c);
    response.on_hover_ui_at_pointer(|ui| {
        ui.label(
            egui::RichText::new(title)
                .font(Role::Section.font())
                .color(t.strong),
        );
        ui.label(figures_of(run));
        if let Some(price) = &run.price {
            let each = format!("{} each, {}", prices::amount(price), price.whose());
            ui.label(each);
        }
        ui.label(egui::RichText::new(&run.layout).color(t.sub));
    });
}
