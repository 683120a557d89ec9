//! The points of the trade-off: gathered and drawn once, then kept until something they depend on changes.

use super::axes::{bounds_on, place_on};
use super::scene::{Scene, key_of};
use crate::domain::PrecisionMode;
use crate::gui::measure::{Axes, Measure};
use crate::gui::theme::{Fill, Mark, PaintMark, Tokens};
use crate::planner::Plan;
use crate::predictor::Estimate;
use egui::epaint::Tessellator;
use egui::{Color32, Mesh, Pos2, Shape, Stroke, Ui};
use egui_plot::PlotTransform;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Side of the square in which points of the same look count as one, in points.
const SPOT: f32 = 2.0;

/// One point of the plot.
#[derive(Debug, Clone, Copy)]
pub struct Point {
    /// Index of its combination.
    pub index: usize,
    /// Figure across.
    pub x: Estimate,
    /// Figure up.
    pub y: Estimate,
    /// Whether nothing shown is better in both figures.
    pub on_front: bool,
    /// Whether the table's filter lets it pass.
    pub passes: bool,
    /// Whether it is another seller's offer of a run that has its point already.
    pub is_offer: bool,
    /// Whether it is one of the plan's answers, which no other mark may hide.
    pub is_answer: bool,
}

/// The points shown, and how they lie.
#[derive(Debug, Default)]
pub struct Cloud {
    /// Those on the front and the answers last, so that they are drawn above the rest.
    pub points: Vec<Point>,
    /// Places in `points` of those on the front, by rising x.
    pub front: Vec<usize>,
    /// How many of the points the filter lets pass.
    pub passing: usize,
    /// Runs that lack one of the two figures.
    pub missing: usize,
    /// Bounds in plot coordinates; `None` where there is nothing to show.
    pub bounds: Option<[(f64, f64); 2]>,
    /// Places in `points` by index of the combination, so that no frame has to look for one; offers that share a point
    /// have its place.
    places: HashMap<usize, usize>,
}

impl Cloud {
    /// Gathers what the legend shows.
    pub fn of(cx: &Scene<'_>, plan: &Plan, axes: Axes) -> Self {
        let mut cloud = Self::default();
        let shows_cost = [axes.x, axes.y].contains(&Measure::Cost);
        let passes = |index: usize| cx.tab.rows.passes.get(index).copied().unwrap_or(true);
        // Offers without a point of their own, each with the one whose point it shares.
        let mut shared: Vec<(usize, usize)> = Vec::new();
        let all = plan.combinations.len();
        let mut start = 0;
        while start < all {
            let end = (start + 1..all).find(|i| !plan.is_another_offer(*i));
            let offers = start..end.unwrap_or(all);
            start = offers.end;
            if shows_cost {
                offers.for_each(|i| {
                    cloud.add(cx, plan, axes, (i, passes(i), plan.is_another_offer(i)))
                });
                continue;
            }
            // Sellers differ in cost alone: on other axes their points lie on one another, and one stands for all; one
            // that the filter lets pass, where there is one.
            let mut passing = offers.clone().filter(|i| passes(*i));
            let (stands, matches) = passing.next().map_or((offers.start, false), |i| (i, true));
            cloud.add(cx, plan, axes, (stands, matches, false));
            shared.extend(offers.filter(|i| *i != stands).map(|i| (i, stands)));
        }
        let answers = plan.answers.each();
        for p in &mut cloud.points {
            p.is_answer = answers.contains(&p.index);
        }
        cloud.passing = cloud.points.iter().filter(|p| p.passes).count();
        cloud.find_front();
        let places = cloud.points.iter().enumerate();
        cloud.places = places.map(|(place, p)| (p.index, place)).collect();
        for (offer, stands) in shared {
            if let Some(place) = cloud.place(stands) {
                cloud.places.insert(offer, place);
            }
        }
        let limits = [axes.x.limit(plan), axes.y.limit(plan)];
        // Whiskers whole: whichever point is selected shows its own.
        let ends = |e: &Estimate| [e.low, e.value, e.high];
        let x = bounds_on(
            axes.scale,
            (cloud.points.iter().flat_map(|p| ends(&p.x))).chain(limits[0]),
            (0.04, 0.03),
        );
        let y = bounds_on(
            axes.scale,
            (cloud.points.iter().flat_map(|p| ends(&p.y))).chain(limits[1]),
            (0.17, 0.07),
        );
        cloud.bounds = (!cloud.points.is_empty())
            .then_some(())
            .and(x.zip(y))
            .map(|(x, y)| [x, y]);
        cloud
    }

    /// The point of a combination, where the legend shows it and both figures are known.
    fn add(
        &mut self,
        cx: &Scene<'_>,
        plan: &Plan,
        axes: Axes,
        (index, passes, is_offer): (usize, bool, bool),
    ) {
        let combination = plan.combinations.get(index).filter(|c| cx.is_visible(c));
        let Some(run) = combination.and_then(|c| c.run()) else {
            return;
        };
        match (axes.x.of(run), axes.y.of(run)) {
            (Some(x), Some(y)) => self.points.push(Point {
                index,
                x,
                y,
                on_front: false,
                passes,
                is_offer,
                is_answer: false,
            }),
            _ => self.missing += 1,
        }
    }

    /// Marks the front of the two figures and puts its points last.
    fn find_front(&mut self) {
        let mut order: Vec<usize> = (0..self.points.len()).collect();
        order.sort_by(|a, b| {
            let (a, b) = (&self.points[*a], &self.points[*b]);
            a.x.value
                .total_cmp(&b.x.value)
                .then(a.y.value.total_cmp(&b.y.value))
        });
        let mut best = f64::INFINITY;
        for i in order {
            let point = &mut self.points[i];
            if point.y.value < best {
                best = point.y.value;
                point.on_front = true;
            }
        }
        self.points
            .sort_by_key(|p| (p.is_answer, p.on_front, p.passes));
        self.front = (0..self.points.len())
            .filter(|i| self.points[*i].on_front)
            .collect();
        let points = &self.points;
        self.front
            .sort_by(|a, b| points[*a].x.value.total_cmp(&points[*b].x.value));
    }

    /// The place in `points` of a combination.
    pub fn place(&self, index: usize) -> Option<usize> {
        self.places.get(&index).copied()
    }

    /// Every point as one mesh, and where each stands.
    pub fn drawn(
        &self,
        ui: &Ui,
        cx: &Scene<'_>,
        transform: &PlotTransform,
        axes: Axes,
        radius: f32,
    ) -> Drawn {
        let t = Tokens::of(ui);
        let Some(plan) = cx.plan() else {
            return Drawn::default();
        };
        let places: Vec<Pos2> = self
            .points
            .iter()
            .map(|p| place_on(transform, axes.scale, p.x.value, p.y.value))
            .collect();
        let mut shapes = Vec::new();
        // Of points with the same look in the same spot the eye sees one, so one is drawn.
        let mut seen: HashSet<(i32, i32, PrecisionMode, Mark, bool)> = HashSet::new();
        for (p, at) in self.points.iter().zip(&places) {
            let Some(c) = plan.combinations.get(p.index) else {
                continue;
            };
            let mark = cx.mark(&c.accelerator.name);
            let spot = ((at.x / SPOT) as i32, (at.y / SPOT) as i32);
            let stands_out = p.on_front || p.is_answer;
            if !stands_out && !seen.insert((spot.0, spot.1, c.mode, mark, p.passes)) {
                continue;
            }
            let hue = t.mode(c.mode);
            if p.passes && (p.on_front || cx.state.settings.all_whiskers) {
                whisker(p, axes, transform, hue.gamma_multiply(0.65), &mut shapes);
            }
            let strength = match (p.passes, stands_out) {
                (false, _) => t.filtered_opacity,
                (true, true) => 1.0,
                (true, false) if p.is_offer => t.rest_opacity * 0.7,
                (true, false) => t.rest_opacity,
            };
            let size = match (stands_out, p.is_offer) {
                (true, _) => radius * 1.15,
                (false, false) => radius,
                (false, true) => radius * 0.7,
            };
            // Mixed with the ground rather than let through: two marks on one another must not make a third hue.
            let ink = t.panel.lerp_to_gamma(hue, strength);
            mark.shapes(*at, size, Fill::of(c.mode), ink, &mut shapes);
        }
        Drawn {
            mesh: Arc::new(mesh_of(ui, shapes)),
            places,
        }
    }
}

/// Shapes without text as one mesh, to be kept from frame to frame.
pub fn mesh_of(ui: &Ui, shapes: Vec<Shape>) -> Mesh {
    let options = ui.ctx().options(|o| o.tessellation_options);
    let scale = ui.ctx().pixels_per_point();
    // No text among the shapes, so the font texture's size does not matter.
    let mut tessellator = Tessellator::new(scale, options, [1, 1], Vec::new());
    let mut mesh = Mesh::default();
    for shape in shapes {
        tessellator.tessellate_shape(shape, &mut mesh);
    }
    mesh
}

/// Tells apart what decides how a mesh of a plot looks beside its figures: where it lies, what it spans, theme and zoom.
pub fn look_key(ui: &Ui, transform: &PlotTransform) -> u64 {
    let frame = *transform.frame();
    let (low, high) = (transform.bounds().min(), transform.bounds().max());
    key_of(&(
        [frame.min.x, frame.min.y, frame.max.x, frame.max.y].map(f32::to_bits),
        low.map(f64::to_bits),
        high.map(f64::to_bits),
        ui.visuals().dark_mode,
        ui.ctx().pixels_per_point().to_bits(),
    ))
}

/// The points as they stand on the screen.
#[derive(Debug, Default)]
pub struct Drawn {
    /// Their marks.
    pub mesh: Arc<Mesh>,
    /// Their places, in the order of the cloud's points.
    pub places: Vec<Pos2>,
}

impl Drawn {
    /// Which point is within reach of the pointer, the nearest first.
    pub fn nearest(&self, pointer: Pos2) -> Option<usize> {
        self.places
            .iter()
            .enumerate()
            .map(|(i, at)| (i, at.distance_sq(pointer)))
            .filter(|(_, distance)| *distance < 144.0)
            .min_by(|a, b| a.1.total_cmp(&b.1))
            .map(|(i, _)| i)
    }
}

/// The interval of a point. At a fixed price cost is time × price: both intervals are one, so the whisker is one slanted
/// stroke; other figures err apart, so it is a cross.
pub fn whisker(
    p: &Point,
    axes: Axes,
    transform: &PlotTransform,
    color: Color32,
    out: &mut Vec<Shape>,
) {
    let place = |x: f64, y: f64| place_on(transform, axes.scale, x.max(1e-9), y.max(1e-9));
    let pair = [axes.x, axes.y];
    if pair.contains(&Measure::Time) && pair.contains(&Measure::Cost) {
        let ends = [place(p.x.low, p.y.low), place(p.x.high, p.y.high)];
        stroke_with_ends(ends, color, out);
        return;
    }
    if p.x.high > p.x.low {
        let ends = [place(p.x.low, p.y.value), place(p.x.high, p.y.value)];
        stroke_with_ends(ends, color, out);
    }
    if p.y.high > p.y.low {
        let ends = [place(p.x.value, p.y.low), place(p.x.value, p.y.high)];
        stroke_with_ends(ends, color, out);
    }
}

fn stroke_with_ends([a, b]: [Pos2; 2], color: Color32, out: &mut Vec<Shape>) {
    let stroke = Stroke::new(1.3, color);
    out.push(Shape::line_segment([a, b], stroke));
    let across = (b - a).normalized().rot90() * 3.2;
    for end in [a, b] {
        out.push(Shape::line_segment([end - across, end + across], stroke));
    }
}
