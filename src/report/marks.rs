//! The shape that stands for an accelerator, the same on the screen and on paper: what a shape looks like and which part
//! has which. Colour says the precision mode, so that no two parts differ in colour alone.

use crate::planner::Plan;
use std::collections::BTreeMap;
use std::f32::consts::{FRAC_1_SQRT_2 as HALF_ROOT, TAU};

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
    Cross,
    Hourglass,
    Bar,
    Pole,
}

/// Parts whose mark is the same in every plan that does not hold two of them: the longer name goes before its family.
const FIXED: [(&str, Mark); 13] = [
    ("H100-PCIE", Mark::Hexagon),
    ("H100-NVL", Mark::Hourglass),
    ("H100", Mark::Circle),
    ("H200-NVL", Mark::Bar),
    ("H200", Mark::Diamond),
    ("B200", Mark::TriangleUp),
    ("A100-SXM4-40GB", Mark::Pentagon),
    ("A100-PCIE-40GB", Mark::Star),
    ("A100-PCIE", Mark::Pole),
    ("A100", Mark::Square),
    ("L40S", Mark::TriangleDown),
    ("V100-SXM2-16GB", Mark::Cross),
    ("V100", Mark::Plus),
];

impl Mark {
    /// Every shape; parts without one of their own take those first that no well-known part has.
    pub const ALL: [Self; 16] = [
        Self::TriangleLeft,
        Self::TriangleRight,
        Self::BowTie,
        Self::Hexagon,
        Self::Star,
        Self::Pentagon,
        Self::Hourglass,
        Self::Cross,
        Self::Bar,
        Self::Pole,
        Self::Circle,
        Self::Square,
        Self::Diamond,
        Self::TriangleUp,
        Self::TriangleDown,
        Self::Plus,
    ];

    /// An arrow that points up or down.
    pub const fn arrow(up: bool) -> Self {
        if up {
            Self::TriangleUp
        } else {
            Self::TriangleDown
        }
    }

    /// The mark a part has wherever no other part of the plan has it.
    pub fn of(name: &str) -> Option<Self> {
        let known = FIXED.iter().find(|(part, _)| name.starts_with(part));
        known.map(|(_, mark)| *mark)
    }

    /// A mark for each of several parts, all of them different while there are shapes: the first part of a plan keeps its
    /// own, the others take what is left in order.
    pub fn of_each<'a>(names: impl Iterator<Item = &'a str>) -> BTreeMap<String, Self> {
        let names: Vec<&str> = names.collect();
        let mut marks: BTreeMap<String, Self> = BTreeMap::new();
        let mut taken: Vec<Self> = Vec::new();
        for name in &names {
            if let Some(own) = Self::of(name).filter(|own| !taken.contains(own)) {
                taken.push(own);
                marks.insert((*name).to_owned(), own);
            }
        }
        for name in &names {
            if marks.contains_key(*name) {
                continue;
            }
            let free = Self::ALL.into_iter().find(|mark| !taken.contains(mark));
            // With more parts than shapes some share one; their names still differ.
            let mark = free.unwrap_or(Self::ALL[marks.len() % Self::ALL.len()]);
            taken.push(mark);
            marks.insert((*name).to_owned(), mark);
        }
        marks
    }

    /// The marks of a plan's accelerators, by catalogue name.
    pub fn of_plan(plan: &Plan) -> BTreeMap<String, Self> {
        Self::of_each(plan.request.accelerators.iter().map(|a| a.name.as_str()))
    }

    /// Whether a straight line between two of its points may leave it.
    pub const fn is_concave(self) -> bool {
        matches!(
            self,
            Self::Plus | Self::Star | Self::BowTie | Self::Cross | Self::Hourglass
        )
    }

    /// Corner points around the origin for a radius, clockwise, y downwards; concave shapes included. Each is star-shaped
    /// about its centre.
    pub fn outline(self, r: f32) -> Vec<(f32, f32)> {
        let ring = |n: usize, start: f32, r: f32| -> Vec<(f32, f32)> {
            (0..n)
                .map(|i| at_angle(start + TAU * i as f32 / n as f32, r))
                .collect()
        };
        let scaled = |points: &[(f32, f32)]| points.iter().map(|(x, y)| (x * r, y * r)).collect();
        match self {
            Self::Circle => ring(28, 0.0, r),
            Self::Diamond => ring(4, 0.0, r * 1.2),
            Self::Square => ring(4, TAU / 8.0, r * 1.25),
            Self::TriangleUp => scaled(&[(0.0, -1.12), (1.15, 0.88), (-1.15, 0.88)]),
            Self::TriangleDown => scaled(&[(0.0, 1.12), (-1.15, -0.88), (1.15, -0.88)]),
            Self::TriangleLeft => scaled(&[(-1.12, 0.0), (0.88, -1.15), (0.88, 1.15)]),
            Self::TriangleRight => scaled(&[(1.12, 0.0), (-0.88, 1.15), (-0.88, -1.15)]),
            Self::Hexagon => ring(6, TAU / 12.0, r * 1.1),
            Self::Pentagon => ring(5, -TAU / 4.0, r * 1.12),
            Self::Star => (0..10)
                .map(|i| {
                    let radius = if i % 2 == 0 { r * 1.25 } else { r * 0.58 };
                    at_angle(-TAU / 4.0 + TAU * i as f32 / 10.0, radius)
                })
                .collect(),
            Self::Plus => scaled(&PLUS),
            Self::Cross => scaled(&PLUS.map(|(x, y)| ((x - y) * HALF_ROOT, (x + y) * HALF_ROOT))),
            Self::BowTie => scaled(&BOW_TIE),
            Self::Hourglass => scaled(&BOW_TIE.map(|(x, y)| (-y, x))),
            Self::Bar => scaled(&[(-1.25, -0.5), (1.25, -0.5), (1.25, 0.5), (-1.25, 0.5)]),
            Self::Pole => scaled(&[(-0.5, -1.25), (0.5, -1.25), (0.5, 1.25), (-0.5, 1.25)]),
        }
    }
}

const PLUS: [(f32, f32); 12] = [
    (-0.42, -1.1),
    (0.42, -1.1),
    (0.42, -0.42),
    (1.1, -0.42),
    (1.1, 0.42),
    (0.42, 0.42),
    (0.42, 1.1),
    (-0.42, 1.1),
    (-0.42, 0.42),
    (-1.1, 0.42),
    (-1.1, -0.42),
    (-0.42, -0.42),
];
const BOW_TIE: [(f32, f32); 6] = [
    (-1.1, -0.9),
    (0.0, -0.2),
    (1.1, -0.9),
    (1.1, 0.9),
    (0.0, 0.2),
    (-1.1, 0.9),
];

fn at_angle(angle: f32, r: f32) -> (f32, f32) {
    (angle.cos() * r, angle.sin() * r)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn parts_of_a_plan_never_share_a_mark() {
        let names = [
            "A100-SXM4-40GB",
            "A100-SXM4-80GB",
            "A100-PCIE-40GB",
            "A100-PCIE-80GB",
            "V100-SXM2-16GB",
            "V100-SXM2-32GB",
            "V100-SXM3-32GB",
            "H100-SXM5-80GB",
            "H100-SXM5-96GB",
            "T4-16GB",
            "MI300X-192GB",
        ];
        let marks = Mark::of_each(names.into_iter());
        let different: BTreeSet<String> = marks.values().map(|m| format!("{m:?}")).collect();
        assert_eq!(different.len(), names.len(), "{marks:?}");
        // What is fixed stays when others come and go.
        for name in ["A100-SXM4-80GB", "A100-SXM4-40GB", "H100-SXM5-80GB"] {
            let alone = Mark::of_each([name].into_iter());
            assert_eq!(alone[name], marks[name], "{name}");
        }
        let many: Vec<String> = (0..40).map(|i| format!("part {i}")).collect();
        assert_eq!(Mark::of_each(many.iter().map(String::as_str)).len(), 40);
    }
}
