//! What part of a chart is seen, by command.

/// Where a chart is told to look, as a mouse does by dragging and a pinch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChartStep {
    /// At half of what is seen.
    Closer,
    /// At twice of it.
    Farther,
    /// An eighth of it to the left.
    Left,
    /// An eighth of it to the right.
    Right,
    /// An eighth of it upwards.
    Up,
    /// An eighth of it downwards.
    Down,
    /// At everything.
    Whole,
}

impl ChartStep {
    /// What it does and how far it goes, in words.
    pub const fn text_and_tip(self) -> (&'static str, &'static str) {
        const OVER: &str = "Over the trade-off";
        match self {
            Self::Closer => ("Look closer at the chart", "Half of it, over the trade-off"),
            Self::Farther => (
                "Step back from the chart",
                "Twice of it, over the trade-off",
            ),
            Self::Left => ("Look further left", OVER),
            Self::Right => ("Look further right", OVER),
            Self::Up => ("Look further up", OVER),
            Self::Down => ("Look further down", OVER),
            Self::Whole => ("Show the whole chart", "Every point of the trade-off"),
        }
    }

    /// Bounds of both axes after the step: from those seen, and those of the whole.
    pub fn from(
        self,
        x: std::ops::RangeInclusive<f64>,
        y: std::ops::RangeInclusive<f64>,
        whole: ((f64, f64), (f64, f64)),
    ) -> [(f64, f64); 2] {
        const SHARE: f64 = 0.125;
        let sized = |(lo, hi): (f64, f64), factor: f64| {
            let (centre, half) = (f64::midpoint(lo, hi), (hi - lo) / 2.0 * factor);
            (centre - half, centre + half)
        };
        let moved = |(lo, hi): (f64, f64), by: f64| (lo + by * (hi - lo), hi + by * (hi - lo));
        let (x, y) = ((*x.start(), *x.end()), (*y.start(), *y.end()));
        match self {
            Self::Closer => [sized(x, 0.5), sized(y, 0.5)],
            Self::Farther => [sized(x, 2.0), sized(y, 2.0)],
            Self::Left => [moved(x, -SHARE), y],
            Self::Right => [moved(x, SHARE), y],
            Self::Up => [x, moved(y, SHARE)],
            Self::Down => [x, moved(y, -SHARE)],
            Self::Whole => [whole.0, whole.1],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looking_closer_and_stepping_back_cancel_and_the_whole_is_the_whole() {
        let whole = ((0.0, 8.0), (1.0, 3.0));
        let [x, y] = ChartStep::Closer.from(0.0..=8.0, 1.0..=3.0, whole);
        assert_eq!((x, y), ((2.0, 6.0), (1.5, 2.5)));
        let back = ChartStep::Farther.from(x.0..=x.1, y.0..=y.1, whole);
        assert_eq!(back, [whole.0, whole.1]);
        let [x, _] = ChartStep::Right.from(2.0..=6.0, 1.0..=3.0, whole);
        assert_eq!(x, (2.5, 6.5));
        assert_eq!(
            ChartStep::Whole.from(2.0..=6.0, 1.0..=2.0, whole),
            [whole.0, whole.1]
        );
    }
}
