//! Small drawn figures: segmented bars, memory bars, interval glyphs, confidence bars.

use crate::gui::theme::Tokens;
use crate::predictor::{Breakdown, Confidence};
use egui::{Color32, Painter, Rect, Stroke, pos2, vec2};

/// Where the step goes as one bar; `full` is the time the whole width stands for.
pub fn segmented_bar(painter: &Painter, rect: Rect, breakdown: &Breakdown, full: f64, t: &Tokens) {
    if full <= 0.0 {
        return;
    }
    let gap = 1.0;
    let mut x = rect.left();
    for (i, (_, time)) in breakdown.parts().into_iter().enumerate() {
        let width = (time.value() / full) as f32 * rect.width();
        if width < 0.5 {
            x += width;
            continue;
        }
        let piece = Rect::from_min_max(
            pos2(x, rect.top()),
            pos2((x + width - gap).max(x + 0.8), rect.bottom()),
        );
        painter.rect_filled(piece, 2.0, t.part(i));
        x += width;
    }
}

/// How full the memory is.
pub fn memory_bar(painter: &Painter, rect: Rect, share: f32, t: &Tokens) {
    painter.rect_filled(rect, 2.0, t.track);
    let mut full = rect;
    full.set_width(rect.width() * share.clamp(0.0, 1.0));
    let color = if share > 0.95 { t.warn } else { t.sub };
    painter.rect_filled(full, 2.0, color);
}

/// A whisker from one end of an interval to the other, as shares below and above its value; 40 % fill a side.
pub fn interval_glyph(painter: &Painter, rect: Rect, sides: [f32; 2], color: Color32) {
    let [below, above] = sides.map(|side| (side / 0.4).clamp(0.04, 1.0) * rect.width() / 2.0);
    let c = rect.center();
    let stroke = Stroke::new(1.2, color);
    painter.hline(c.x - below..=c.x + above, c.y, stroke);
    for x in [c.x - below, c.x + above] {
        painter.vline(x, c.y - 3.0..=c.y + 3.0, stroke);
    }
    painter.circle_filled(c, 2.0, color);
}

/// Three rising bars, as many filled as the word says.
pub fn level_bars(painter: &Painter, rect: Rect, confidence: Confidence, t: &Tokens) {
    let level = match confidence {
        Confidence::Low => 1,
        Confidence::Medium => 2,
        Confidence::High => 3,
    };
    for i in 0..3 {
        let height = 3.0 + 3.0 * i as f32;
        let x = rect.left() + i as f32 * 4.0;
        let bar = Rect::from_min_size(pos2(x, rect.bottom() - height), vec2(2.6, height));
        let color = if i < level { t.text } else { t.track };
        painter.rect_filled(bar, 0.5, color);
    }
}
