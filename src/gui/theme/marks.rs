//! Marks of accelerators (shape) and fills of precision modes (solid, ring, half), the same everywhere.

use crate::domain::PrecisionMode;
use egui::{
    Color32, Mesh, Painter, Pos2, Rect, Shape, Stroke, Vec2, epaint::PathShape, pos2, vec2,
};
use std::f32::consts::TAU;

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

/// The shape that stands for an accelerator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // shapes are what they are called
pub enum Mark {
    Circle,
    Diamond,
    TriangleUp,
    Square,
    TriangleDown,
    Plus,
    Hexagon,
    Pentagon,
    Star,
    TriangleLeft,
    TriangleRight,
    BowTie,
}

impl Mark {
    /// An arrow that points up or down.
    pub const fn arrow(up: bool) -> Self {
        if up {
            Self::TriangleUp
        } else {
            Self::TriangleDown
        }
    }

    /// Shapes that parts without a fixed one take, in catalogue order.
    const FREE: [Self; 6] = [
        Self::Hexagon,
        Self::Pentagon,
        Self::Star,
        Self::TriangleLeft,
        Self::TriangleRight,
        Self::BowTie,
    ];

    /// Families whose mark is the same in every plan.
    const FIXED: [(&str, Self); 6] = [
        ("H100", Self::Circle),
        ("H200", Self::Diamond),
        ("B200", Self::TriangleUp),
        ("A100", Self::Square),
        ("L40S", Self::TriangleDown),
        ("V100", Self::Plus),
    ];

    /// Whether a part's mark is the same in every plan.
    pub fn is_fixed(name: &str) -> bool {
        Self::FIXED
            .iter()
            .any(|(family, _)| name.starts_with(family))
    }

    /// The mark of a part: fixed for the well-known families, else by its place among the others of the plan.
    pub fn of(name: &str, place: usize) -> Self {
        Self::FIXED
            .iter()
            .find(|(family, _)| name.starts_with(family))
            .map_or(Self::FREE[place % Self::FREE.len()], |(_, mark)| *mark)
    }

    /// Corner points around the origin for a radius, clockwise; concave shapes included.
    fn outline(self, r: f32) -> Vec<Vec2> {
        let ring = |n: usize, start: f32, r: f32| -> Vec<Vec2> {
            (0..n)
                .map(|i| Vec2::angled(start + TAU * i as f32 / n as f32) * r)
                .collect()
        };
        match self {
            Self::Circle => ring(28, 0.0, r),
            Self::Diamond => ring(4, 0.0, r * 1.2),
            Self::Square => ring(4, TAU / 8.0, r * 1.25),
            Self::TriangleUp => vec![
                vec2(0.0, -r * 1.12),
                vec2(r * 1.15, r * 0.88),
                vec2(-r * 1.15, r * 0.88),
            ],
            Self::TriangleDown => vec![
                vec2(0.0, r * 1.12),
                vec2(-r * 1.15, -r * 0.88),
                vec2(r * 1.15, -r * 0.88),
            ],
            Self::TriangleLeft => vec![
                vec2(-r * 1.12, 0.0),
                vec2(r * 0.88, -r * 1.15),
                vec2(r * 0.88, r * 1.15),
            ],
            Self::TriangleRight => vec![
                vec2(r * 1.12, 0.0),
                vec2(-r * 0.88, r * 1.15),
                vec2(-r * 0.88, -r * 1.15),
            ],
            Self::Hexagon => ring(6, TAU / 12.0, r * 1.1),
            Self::Pentagon => ring(5, -TAU / 4.0, r * 1.12),
            Self::Star => (0..10)
                .map(|i| {
                    let radius = if i % 2 == 0 { r * 1.25 } else { r * 0.58 };
                    Vec2::angled(-TAU / 4.0 + TAU * i as f32 / 10.0) * radius
                })
                .collect(),
            Self::Plus => {
                let (a, b) = (r * 1.1, r * 0.42);
                [
                    (-b, -a),
                    (b, -a),
                    (b, -b),
                    (a, -b),
                    (a, b),
                    (b, b),
                    (b, a),
                    (-b, a),
                    (-b, b),
                    (-a, b),
                    (-a, -b),
                    (-b, -b),
                ]
                .map(|(x, y)| vec2(x, y))
                .to_vec()
            }
            Self::BowTie => vec![
                vec2(-r * 1.1, -r * 0.9),
                vec2(0.0, -r * 0.2),
                vec2(r * 1.1, -r * 0.9),
                vec2(r * 1.1, r * 0.9),
                vec2(0.0, r * 0.2),
                vec2(-r * 1.1, r * 0.9),
            ],
        }
    }

    /// Draws the mark.
    pub fn paint(self, painter: &Painter, centre: Pos2, radius: f32, fill: Fill, color: Color32) {
        let mut shapes = Vec::new();
        self.shapes(centre, radius, fill, color, &mut shapes);
        painter.extend(shapes);
    }

    /// The mark as shapes, for those who draw many at once.
    pub fn shapes(
        self,
        centre: Pos2,
        radius: f32,
        fill: Fill,
        color: Color32,
        out: &mut Vec<Shape>,
    ) {
        let stroke_width = (radius * 0.34).clamp(1.2, 2.0);
        let inner = || self.outline(radius - stroke_width * 0.45);
        match fill {
            Fill::Solid => self.fill(centre, &self.outline(radius), f32::NEG_INFINITY, color, out),
            Fill::Ring => out.push(closed(&inner(), centre, stroke_width, color)),
            Fill::Half => {
                self.fill(centre, &inner(), radius * 0.02, color, out);
                out.push(closed(&inner(), centre, stroke_width, color));
            }
        }
    }

    /// Fills the part of the shape below `top` (relative to the centre) as a fan around the centre: every mark is
    /// star-shaped about its centre, so the fan is exact.
    fn fill(self, centre: Pos2, outline: &[Vec2], top: f32, color: Color32, out: &mut Vec<Shape>) {
        if self != Self::Plus && self != Self::Star && self != Self::BowTie {
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
