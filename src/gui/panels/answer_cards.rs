//! The four answers as cards: what each is about, its time, its cost, how sure it is, and which combination it is.

use super::answer_words;
use super::scene::{Scene, cached, key_of, short_label, title_of};
use crate::format;
use crate::gui::measure::Measure;
use crate::gui::theme::{Icon, Role, Tokens, paint_icon, size};
use crate::gui::widgets::{card, focus_ring, paint, paint_in, paint_rows, paint_value, width_of};
use crate::planner::{Answer, Combination, Plan, PredictedRun};
use crate::units::{KgCo2e, KilowattHours};
use egui::{Align2, Rect, Sense, Ui, WidgetInfo, accesskit, pos2, vec2};

/// Cards with less room than this inside drop small words.
const NARROW_CARD: f32 = 150.0;
/// Of the answers, in their order.
const ICONS: [Icon; 4] = [Icon::Bolt, Icon::Coin, Icon::Target, Icon::Leaf];
/// With so much room inside all that a card says fits beside each other.
const ROOMY: f32 = 224.0;
/// Height of a card.
const HEIGHT: f32 = 72.0;
/// The same where a line of its own is needed for what stands beside the others.
pub const TALL: f32 = 92.0;

/// Draws the cards at the top of an area; returns the y below them.
pub fn cards_ui(ui: &mut Ui, area: Rect, cx: &mut Scene<'_>, plan: &Plan) -> f32 {
    let outlook = cx.tab.rows.outlook;
    let cards = plan.named_answers(outlook.as_ref());
    let width = (area.width() - 24.0) / 4.0;
    // Every combination may be looked at for them, so not in every frame.
    let stamp = cx.tab.done.as_ref().map_or(0, |d| d.stamp);
    let key = key_of(&(cx.tab.id, stamp));
    let words = cached(ui, "answer-words", key, || {
        let outlook = outlook.as_ref();
        let words = |i| answer_words::meaning(plan, outlook, i);
        [0, 1, 2, 3].map(|i| (words(i), answer_words::none(plan, outlook, i)))
    });
    // The selection may be several answers at once: the most specific card that names it is lit.
    let lit = [2, 1, 0, 3]
        .into_iter()
        .find(|i| cx.tab.selected.is_some() && cards[*i].index == cx.tab.selected);
    // Where a name and its interval, or time and cost, may have no room beside each other, every card has a line more. The
    // room alone decides, not the figures: what lies below must not move when they change.
    let is_tight = width - 2.0 * side(width) < ROOMY;
    let height = if is_tight { TALL } else { HEIGHT };
    let shown = cards.iter().enumerate().filter_map(|(i, card)| {
        let run = plan.combinations.get(card.index?)?.run()?;
        Some(said(run, i, is_tight))
    });
    let form = match is_tight {
        true => Form::of_tight(ui, &shown.collect::<Vec<_>>(), width - 2.0 * side(width)),
        false => Form::ROOMY,
    };
    for (i, Answer { name, index, .. }) in cards.into_iter().enumerate() {
        let left = area.left() + i as f32 * (width + 8.0);
        let rect = Rect::from_min_size(pos2(left, area.top()), vec2(width, height));
        let combination = index.and_then(|i| plan.combinations.get(i));
        let of = (ICONS[i], name, i, &words[i].1);
        card_ui(ui, rect, cx, of, combination, (lit == Some(i), form));
        let (meaning, none) = &words[i];
        if combination.is_none() {
            let response = ui.interact(rect, ui.scope_id().with(("card", i)), Sense::hover());
            let (what, way) = none;
            let text = format!("{name}: {what}. {way}");
            response.widget_info(|| WidgetInfo::labeled(accesskit::Role::Label, true, &text));
            response.on_hover_text(format!("{meaning}. {way}"));
            continue;
        }
        let run = combination.and_then(|c| c.run());
        let figures = run.map_or_else(String::new, |run| whole_text(run, i));
        let which = combination.map_or_else(String::new, |c| title_of(cx, c));
        let response = ui
            .interact(rect, ui.scope_id().with(("card", i)), Sense::click())
            .on_hover_text(format!("{which}\n{figures}\n{meaning}"));
        response.widget_info(|| {
            WidgetInfo::selected(accesskit::Role::Button, true, lit == Some(i), name)
        });
        focus_ring(ui, &response, size::RADIUS);
        if let Some(index) = index {
            cx.hover(index, response.hovered());
        }
        if let (true, Some(index)) = (response.clicked(), index) {
            cx.pick(ui.ctx(), index);
        }
    }
    area.top() + height
}

/// Room at the sides of a card.
fn side(width: f32) -> f32 {
    if width < NARROW_CARD + 10.0 {
        7.0
    } else {
        10.0
    }
}

/// What the n-th card says of a run.
struct Said {
    /// The figure it is about.
    value: String,
    /// The interval of that figure, whole and with one sign of percent.
    sure: [String; 2],
    /// What stands beside it: time and cost are in each of them.
    beside: String,
}

fn said(run: &PredictedRun, place: usize, is_tight: bool) -> Said {
    let time = format::hours(run.total_time_h.value);
    // Emissions are the energy times what the grid emits, so theirs is the interval of the energy.
    let (value, measure, beside) = match place {
        0 => (time, Measure::Time, run.cost_text()),
        3 => (
            least_text(run, is_tight),
            Measure::Energy,
            format!("{time}, {}", run.cost_text()),
        ),
        _ => (run.cost_text(), Measure::Cost, time),
    };
    let sure = measure.of(run).map_or_else(Default::default, |e| {
        [format::interval, format::interval_short].map(|form| form(e.value, e.low, e.high))
    });
    Said {
        value,
        sure,
        beside,
    }
}

/// How the cards of a row are set: alike, whatever the figures of each, so that one thing stands in one place in all.
#[derive(Clone, Copy, PartialEq)]
struct Form {
    /// Of the figure.
    role: Role,
    /// Where its interval stands.
    sure: Sure,
}

/// Where the interval of a card's figure stands.
#[derive(Clone, Copy, PartialEq)]
enum Sure {
    /// At the end of the line of the name.
    BesideName,
    /// At the end of the line of the figure.
    BesideFigure,
    /// Under the figure, before what else is told.
    Below,
}

impl Form {
    /// Of cards that have room for everything.
    const ROOMY: Self = Self {
        role: Role::Card,
        sure: Sure::BesideName,
    };

    /// Of cards whose inside is `width` wide: beside the figure where there is room for both, else under it; where that leaves
    /// none for what else is told there, the figure gives its interval room.
    fn of_tight(ui: &Ui, cards: &[Said], width: f32) -> Self {
        let takes = |text: &str, role| width_of(ui.painter(), text, role);
        let forms = [
            (Role::Card, Sure::BesideFigure),
            (Role::Card, Sure::Below),
            (Role::Column, Sure::BesideFigure),
        ];
        let forms = forms.map(|(role, sure)| Self { role, sure });
        let needs = |form: &Self, said: &Said| {
            let beside = match form.sure {
                Sure::Below => takes(&said.beside, Role::Caption),
                _ => takes(&said.value, form.role),
            };
            beside + takes(&said.sure[1], Role::Caption) + 6.0
        };
        let fits = |form: &Self| cards.iter().all(|said| needs(form, said) <= width);
        forms.into_iter().find(fits).unwrap_or(forms[1])
    }
}

/// Every figure of the n-th card, of which it may have no room for all: the interval behind the figure that it is of.
fn whole_text(run: &PredictedRun, place: usize) -> String {
    let said = said(run, place, false);
    let sure = match said.sure[0].as_str() {
        "" => String::new(),
        sure => format!(", {sure}"),
    };
    format!("{}{sure}\n{}", said.value, said.beside)
}

/// Emissions, or the energy where they are not known; of what, the name of a tight card says already.
fn least_text(run: &PredictedRun, is_tight: bool) -> String {
    let energy = || {
        run.energy_kwh
            .map(|e| format::energy(KilowattHours(e.value)))
    };
    let of = if is_tight { "" } else { " CO₂e" };
    let emissions = run
        .co2e_kg
        .map(|kg| format!("{}{of}", format::emissions(KgCo2e(kg))));
    format::known(emissions.or_else(energy))
}

fn card_ui(
    ui: &mut Ui,
    rect: Rect,
    cx: &Scene<'_>,
    (icon, name, place, none): (Icon, &str, usize, &(String, String)),
    combination: Option<&Combination>,
    (lit, form): (bool, Form),
) {
    let t = Tokens::of(ui);
    let (fill, edge) = if lit {
        (t.sel, t.sel_line)
    } else {
        (t.raised, t.line)
    };
    card(ui, rect, fill, edge);
    let inner = rect.shrink2(vec2(side(rect.width()), 0.0));
    let y = rect.top() + 16.0;
    paint_icon(ui.painter(), pos2(inner.left() + 7.0, y), icon, t.sub, 0.85);
    let Some((c, run)) = combination.and_then(|c| Some((c, c.run()?))) else {
        paint(
            ui.painter(),
            pos2(inner.left() + 20.0, y),
            Align2::LEFT_CENTER,
            name,
            Role::Caption,
            t.sub,
        );
        let (what, way) = none;
        let place = inner.with_min_y(y + 12.0);
        let rect = paint_rows(ui.painter(), place, 1, what, Role::Body, t.text);
        let place = inner.with_min_y(rect.bottom() + 2.0);
        paint_rows(ui.painter(), place, 2, way, Role::Caption, t.sub);
        return;
    };
    let is_likely = place == 2 && cx.tab.rows.outlook.is_some();
    let is_tight = form != Form::ROOMY;
    let Said {
        value,
        sure,
        beside,
    } = said(run, place, is_tight);
    let line = |y: f32| {
        let middle = rect.top() + y;
        Rect::from_min_max(
            pos2(inner.left(), middle - 8.0),
            pos2(inner.right(), middle + 8.0),
        )
    };
    let wide = |text: &str| width_of(ui.painter(), text, Role::Caption);
    let [long, short] = sure;
    // Both sides of an uneven interval have one sign of percent where there is little room for them.
    let beside_it = wide(name) + 24.0;
    let sure = match !is_tight && beside_it + wide(&long) + 6.0 <= inner.width() {
        true => long,
        false => short,
    };
    let big = paint_value(
        ui.painter(),
        line(36.0).left_center(),
        Align2::LEFT_CENTER,
        &value,
        form.role,
        (t.strong, t.strong),
    );
    let (at, anchor) = match form.sure {
        Sure::BesideName => (line(16.0).right_center(), Align2::RIGHT_CENTER),
        Sure::BesideFigure => (line(38.0).right_center(), Align2::RIGHT_CENTER),
        Sure::Below => (line(56.0).left_center(), Align2::LEFT_CENTER),
    };
    let end = paint(ui.painter(), at, anchor, &sure, Role::Caption, t.sub);
    let mut room = line(16.0).with_min_x(inner.left() + 20.0);
    if !is_tight {
        room.max.x = end.left() - 4.0;
    }
    paint_in(
        ui.painter(),
        room,
        Align2::LEFT_CENTER,
        name,
        Role::Caption,
        // An answer that is not certain must not look like one that is.
        if is_likely { t.warn } else { t.sub },
    );
    let (room, anchor) = match form.sure {
        Sure::BesideName => (
            line(38.0).with_min_x(big.right() + 8.0),
            Align2::LEFT_CENTER,
        ),
        Sure::BesideFigure => (line(56.0), Align2::LEFT_CENTER),
        Sure::Below => (
            line(56.0).with_min_x(end.right() + 6.0),
            Align2::RIGHT_CENTER,
        ),
    };
    let fits = |role| width_of(ui.painter(), &beside, role) <= room.width();
    let role = if fits(Role::Body) && !is_tight {
        Role::Body
    } else {
        Role::Caption
    };
    paint_in(ui.painter(), room, anchor, &beside, role, t.text);
    name_ui(ui, cx, c, inner.with_min_y(rect.bottom() - 24.0));
}

/// Which combination it is: its mark, mode, count and part, in the last line of a card.
fn name_ui(ui: &Ui, cx: &Scene<'_>, c: &Combination, inner: Rect) {
    const MARK: f32 = 18.0;
    let t = Tokens::of(ui);
    let y = inner.top() + 9.0;
    let device = cx.plan().map_or(c.accelerator.label.as_str(), |p| {
        short_label(p, &c.accelerator.label)
    });
    let (mode, devices) = (c.mode.label(), format::devices(c.count, device));
    let width = |role| width_of(ui.painter(), mode, role) + width_of(ui.painter(), &devices, role);
    // What an answer is must be read whole, in smaller letters if need be.
    let role = if width(Role::Body) + MARK + 6.0 > inner.width() {
        Role::Caption
    } else {
        Role::Body
    };
    cx.paint_mark(ui.painter(), pos2(inner.left() + 6.0, y), 4.8, c, t);
    let at = pos2(inner.left() + MARK, y);
    let x = paint(ui.painter(), at, Align2::LEFT_CENTER, mode, role, t.strong).right();
    // A narrow card has no room for the small word.
    let x = if inner.width() < NARROW_CARD {
        x
    } else {
        let at = pos2(x + 6.0, y);
        paint(ui.painter(), at, Align2::LEFT_CENTER, "on", role, t.sub).right()
    };
    let room = Rect::from_min_max(pos2(x + 6.0, y - 9.0), pos2(inner.right(), y + 9.0));
    paint_in(
        ui.painter(),
        room,
        Align2::LEFT_CENTER,
        &devices,
        role,
        t.strong,
    );
}
