//! How long the layout of one frame takes with many rows in plot and table, in CPU time of its thread; nothing is held to it.
//! A frame of 60 a second has 16.7 ms.

#![allow(clippy::expect_used)] // a benchmark may stop at the first surprise

#[path = "../tests/window/support/mod.rs"]
#[allow(dead_code)] // the tests use the rest
mod support;

use egui::Theme;
use std::time::Instant;
use support::window::{Remembering, Window};

const FRAMES: usize = 60;
const REPEATS: usize = 5;

/// Milliseconds of CPU this thread has used so far, or of the clock where the system does not say.
fn cpu_ms(start: Instant) -> f64 {
    std::fs::read_to_string("/proc/thread-self/schedstat")
        .ok()
        .and_then(|text| text.split_whitespace().next()?.parse::<f64>().ok())
        .map_or_else(|| start.elapsed().as_secs_f64() * 1e3, |ns| ns / 1e6)
}

/// Mean over frames in milliseconds: the system counts in ticks longer than one frame.
fn frame_ms(window: &mut Window) -> f64 {
    let clock = Instant::now();
    let before = cpu_ms(clock);
    for _ in 0..FRAMES {
        window.harness.step();
    }
    (cpu_ms(clock) - before) / FRAMES as f64
}

fn main() {
    for (rows, width, height) in [
        (10_000, 1440.0, 900.0),
        (100_000, 1440.0, 900.0),
        (100_000, 2560.0, 1440.0),
    ] {
        let many = Remembering::growing_to(rows);
        let mut window = Window::open_on(many, width, height, Theme::Dark);
        let found = window.tab().plan().map_or(0, |p| p.combinations.len());
        window.harness.run_steps(3);
        let mut means: Vec<f64> = (0..REPEATS).map(|_| frame_ms(&mut window)).collect();
        means.sort_by(f64::total_cmp);
        println!(
            "{found} combinations at {width} x {height}: {:.2} ms of CPU a frame ({:.2} to {:.2})",
            means[REPEATS / 2],
            means[0],
            means[REPEATS - 1],
        );
    }
}
