//! The window's own CPU renderer behind the test harness: no GPU, no display, no system package.

#![allow(dead_code)] // each test program uses its own part of this

use egui::epaint::textures::TexturesDelta;
use egui_kittest::TestRenderer;
use mantissa::gui::raster::CpuRenderer;
pub use mantissa::gui::raster::Picture;
use std::cell::RefCell;
use std::path::Path;
use std::rc::Rc;

/// The renderer as the harness and the test both hold it.
#[derive(Clone, Default)]
pub struct Shared(Rc<RefCell<CpuRenderer>>);

impl TestRenderer for Shared {
    fn handle_delta(&mut self, delta: &mut TexturesDelta) {
        self.0.borrow_mut().apply(delta);
    }
}

impl Shared {
    /// Renders the last frame of a harness.
    pub fn render(&self, ctx: &egui::Context, output: &egui::FullOutput) -> Picture {
        self.0.borrow().render(ctx, output)
    }
}

/// Number of distinct colours.
pub fn colours(picture: &Picture) -> usize {
    let mut seen: Vec<[u8; 3]> = picture
        .rgba
        .chunks_exact(4)
        .map(|p| [p[0], p[1], p[2]])
        .collect();
    seen.sort_unstable();
    seen.dedup();
    seen.len()
}

/// Writes a PNG.
pub fn save(picture: &Picture, path: &Path) {
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent).expect("folder");
    }
    let file = std::fs::File::create(path).expect("file");
    let mut encoder =
        png::Encoder::new(std::io::BufWriter::new(file), picture.width, picture.height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::High);
    let rgb: Vec<u8> = picture
        .rgba
        .chunks_exact(4)
        .flat_map(|p| [p[0], p[1], p[2]])
        .collect();
    encoder
        .write_header()
        .expect("header")
        .write_image_data(&rgb)
        .expect("pixels");
}
