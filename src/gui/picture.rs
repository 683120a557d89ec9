//! The view in the centre as a picture: drawn in a context of its own at a fixed size by the CPU, so that it looks the
//! same on every machine and does not depend on how the window is laid out.

use super::backend::Backend;
use super::raster::CpuRenderer;
use super::state::State;
use super::{panels, theme};
use egui::{Color32, ColorImage, Context, FullOutput, RawInput, Rect, Vec2, pos2};

/// Size in points: a slide's proportions.
const SIZE: Vec2 = Vec2::new(1040.0, 585.0);
/// Pixels a point.
const SCALE: f32 = 2.0;
/// Frames until every size is known and nothing moves.
const FRAMES: usize = 4;

/// A view laid out on a sheet of its own, to be drawn by whoever has the time.
pub struct Sheet {
    ctx: Context,
    renderer: CpuRenderer,
    output: FullOutput,
}

/// The view that is shown, with the headline above it; `None` without a plan.
pub fn of_view(state: &State, backend: &dyn Backend, dark: bool) -> Option<Sheet> {
    state.tab()?.plan()?;
    let ctx = Context::default();
    theme::install(&ctx);
    ctx.set_theme(if dark {
        egui::Theme::Dark
    } else {
        egui::Theme::Light
    });
    ctx.set_pixels_per_point(SCALE);
    let mut renderer = CpuRenderer::default();
    let mut output = FullOutput::default();
    for frame in 0..FRAMES {
        let input = RawInput {
            screen_rect: Some(Rect::from_min_size(pos2(0.0, 0.0), SIZE)),
            time: Some(frame as f64),
            ..RawInput::default()
        };
        output = ctx.run_ui(input, |ui| panels::picture_ui(ui, state, backend));
        renderer.apply(&mut output.textures_delta);
    }
    Some(Sheet {
        ctx,
        renderer,
        output,
    })
}

impl Sheet {
    /// Draws it.
    pub fn draw(&self) -> ColorImage {
        let picture = self.renderer.render(&self.ctx, &self.output);
        let size = [picture.width as usize, picture.height as usize];
        let mut image = ColorImage::filled(size, Color32::TRANSPARENT);
        for (pixel, rgba) in image.pixels.iter_mut().zip(picture.rgba.chunks_exact(4)) {
            *pixel = theme::opaque(rgba[0], rgba[1], rgba[2]);
        }
        image
    }

    /// Draws it as the bytes of a PNG file.
    ///
    /// # Errors
    /// A sentence, where the encoder refuses.
    pub fn png(&self) -> Result<Vec<u8>, String> {
        let picture = self.renderer.render(&self.ctx, &self.output);
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, picture.width, picture.height);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        let pixels = picture.rgba.chunks_exact(4);
        let rgb: Vec<u8> = pixels.flat_map(|p| [p[0], p[1], p[2]]).collect();
        encoder
            .write_header()
            .and_then(|mut writer| writer.write_image_data(&rgb))
            .map_err(|e| format!("The picture cannot be encoded: {e}"))?;
        Ok(bytes)
    }
}
