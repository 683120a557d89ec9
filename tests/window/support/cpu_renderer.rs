//! The window's own CPU renderer behind the test harness: no GPU, no display, no system package.

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

/// How many pixels of a picture differ from those of a PNG by more than `tolerance` in a channel; all of them where the
/// file is not there or has another size.
pub fn differing(picture: &Picture, path: &Path, tolerance: u8) -> usize {
    let Some((size, known)) = read(path) else {
        return picture.rgba.len() / 4;
    };
    if size != (picture.width, picture.height) {
        return picture.rgba.len() / 4;
    }
    let pixels = picture.rgba.chunks_exact(4).zip(known.chunks_exact(3));
    pixels
        .filter(|(a, b)| (0..3).any(|i| a[i].abs_diff(b[i]) > tolerance))
        .count()
}

/// Size and RGB bytes of a PNG.
fn read(path: &Path) -> Option<((u32, u32), Vec<u8>)> {
    let file = std::fs::File::open(path).ok()?;
    let mut reader = png::Decoder::new(std::io::BufReader::new(file))
        .read_info()
        .ok()?;
    let mut known = vec![0; reader.output_buffer_size()?];
    let info = reader.next_frame(&mut known).ok()?;
    Some(((info.width, info.height), known))
}

/// A picture without its last rows, made smaller by a whole factor: each pixel the mean of a square.
pub fn reduced(picture: &Picture, without: u32, factor: u32) -> Picture {
    let (width, height) = (picture.width / factor, (picture.height - without) / factor);
    let mut rgba = Vec::with_capacity((width * height * 4) as usize);
    for y in 0..height {
        for x in 0..width {
            let mut sum = [0u32; 4];
            for dy in 0..factor {
                for dx in 0..factor {
                    let at = (((y * factor + dy) * picture.width + x * factor + dx) * 4) as usize;
                    for (s, v) in sum.iter_mut().zip(&picture.rgba[at..at + 4]) {
                        *s += u32::from(*v);
                    }
                }
            }
            rgba.extend(sum.map(|s| (s / (factor * factor)) as u8));
        }
    }
    Picture {
        width,
        height,
        rgba,
    }
}
