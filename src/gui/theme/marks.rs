//! Marks of accelerators (shape) and fills of precision modes (solid, ring, half), the same everywhere.

use crate::domain::PrecisionMode;
pub use crate::report::Mark;
use egui::{
    Color32, Mesh, Painter, Pos2, Rect, Shape, Stroke, Vec2, epaint::PathShape, pos2, vec2,
};

/// How a mode fills its swatch and its mark: where the format is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fill {
    /// Used for everything.
    Solid,
    /// Autocast over FP32 master weights.
    Ring,
    /// Matmuls alone.
    Half,
}

impl Fill {
    /// The fill of a mode.
    pub const fn of(mode: PrecisionMode) -> Self {
        match mode {
            PrecisionMode::AmpFp16 | PrecisionMode::AmpBf16 => Self::Ring,
            PrecisionMode::Fp8 | PrecisionMode::Mxfp8 | PrecisionMode::Nvfp4 => Self::Half,
            _ => Self::Solid,
        }
    }
}

/// How the screen draws a mark.
pub trait PaintMark {
    /// Draws the mark.
    fn paint(self, painter: &Painter, centre: Pos2, radius: f32, fill: Fill, color: Color32);
    /// The mark as shapes, for those who draw many at once.
    fn shapes(self, centre: Pos2, radius: f32, fill: Fill, color: Color32, out: &mut Vec<Shape>);
}

impl PaintMark for Mark {
    fn paint(self, painter: &Painter, centre: Pos2, radius: f32, fill: Fill, color: Color32) {
        let mut shapes = Vec::new();
        self.shapes(centre, radius, fill, color, &mut shapes);
        painter.extend(shapes);
    }

    fn shapes(self, centre: Pos2, radius: f32, fill: Fill, color: Color32, out: &mut Vec<Shape>) {
        let stroke_width = (radius * 0.34).clamp(1.2, 2.0);
        let inner = || corners(self, radius - stroke_width * 0.45);
        match fill {
            Fill::Solid => fill_shape(
                self,
                centre,
                &corners(self, radius),
                f32::NEG_INFINITY,
                color,
                out,
            ),
            Fill::Ring => out.push(closed(&inner(), centre, stroke_width, color)),
            Fill::Half => {
                fill_shape(self, centre, &inner(), radius * 0.02, color, out);
                out.push(closed(&inner(), centre, stroke_width, color));
            }
        }
    }
}

/// Fills the part of the shape below `top` (relative to the centre) as a fan around the centre: every mark is
/// star-shaped about its centre, so the fan is exact.
fn fill_shape(
    mark: Mark,
    centre: Pos2,
    outline: &[Vec2],
    top: f32,
    color: Color32,
    out: &mut Vec<Shape>,
) {
    if !mark.is_concave() {
        let points = below(outline, top).iter().map(|p| centre + *p).collect();
        out.push(PathShape::convex_polygon(points, color, Stroke::NONE).into());
        return;
    }
    let mut mesh = Mesh::default();
    for (i, a) in outline.iter().enumerate() {
        let b = outline[(i + 1) % outline.len()];
        let piece = below(&[Vec2::ZERO, *a, b], top);
        let first = mesh.vertices.len() as u32;
        for point in &piece {
            mesh.colored_vertex(centre + *point, color);
        }
        for k in 2..piece.len() as u32 {
            mesh.add_triangle(first, first + k - 1, first + k);
        }
    }
    out.push(Shape::mesh(mesh));
    if top == f32::NEG_INFINITY {
        // A mesh has hard edges; a hairline round it smooths them.
        out.push(closed(outline, centre, 0.7, color));
    }
}

/// Corner points of a mark as vectors.
fn corners(mark: Mark, radius: f32) -> Vec<Vec2> {
    let outline = mark.outline(radius);
    outline.into_iter().map(|(x, y)| vec2(x, y)).collect()
}

fn closed(outline: &[Vec2], centre: Pos2, width: f32, color: Color32) -> Shape {
    let points = outline.iter().map(|p| centre + *p).collect();
    PathShape::closed_line(points, Stroke::new(width, color)).into()
}

/// The part of a convex polygon with `y ≥ top` (Sutherland–Hodgman against one edge).
fn below(polygon: &[Vec2], top: f32) -> Vec<Vec2> {
    if top == f32::NEG_INFINITY {
        return polygon.to_vec();
    }
    let mut out = Vec::with_capacity(polygon.len() + 2);
    for (i, a) in polygon.iter().enumerate() {
        let b = polygon[(i + 1) % polygon.len()];
        if a.y >= top {
            out.push(*a);
        }
        if (a.y >= top) != (b.y >= top) {
            let share = (top - a.y) / (b.y - a.y);
            out.push(*a + (b - *a) * share);
        }
    }
    out
}

/// The square swatch of a mode, about 10 points a side.
pub fn paint_swatch(painter: &Painter, centre: Pos2, fill: Fill, color: Color32) {
    let rect = Rect::from_center_size(centre, Vec2::splat(9.0));
    let ring = Stroke::new(1.7, color);
    match fill {
        Fill::Solid => {
            painter.rect_filled(rect.expand(0.5), 2.0, color);
        }
        Fill::Ring => {
            painter.rect_stroke(rect, 2.0, ring, egui::StrokeKind::Middle);
        }
        Fill::Half => {
            painter.rect_stroke(rect, 2.0, ring, egui::StrokeKind::Middle);
            let lower = Rect::from_min_max(pos2(rect.left(), rect.center().y), rect.max);
            painter.rect_filled(lower, 1.0, color);
        }
    }
}
