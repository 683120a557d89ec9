//! A renderer of egui's output that needs no GPU, no display and no system package.
//!
//! It rasterises triangles with the top-left rule and blends in gamma space with premultiplied alpha, quantised after
//! every blend as an 8-bit target does, so it matches `egui_wgpu` to 2/255 and gives the same bytes on every machine.

use egui::epaint::{ImageData, Mesh, Primitive, Vertex, textures::TexturesDelta};
use egui::{Color32, TextureFilter, TextureId};
use std::collections::HashMap;

/// A texture as it was uploaded.
struct Texture {
    width: usize,
    height: usize,
    pixels: Vec<Color32>,
    nearest: bool,
}

/// The textures egui uploaded so far.
#[derive(Default)]
pub struct CpuRenderer {
    textures: HashMap<TextureId, Texture>,
}

/// A rendered frame, opaque RGBA.
pub struct Picture {
    /// Pixels across.
    pub width: u32,
    /// Pixels down.
    pub height: u32,
    /// Four bytes a pixel.
    pub rgba: Vec<u8>,
}

impl CpuRenderer {
    /// Takes the textures of a frame; call for every frame, in order.
    pub fn apply(&mut self, delta: &mut TexturesDelta) {
        for (id, images) in delta.set.drain() {
            for image in images {
                let ImageData::Color(pixels) = &image.image;
                let [width, height] = pixels.size;
                if let Some([x, y]) = image.pos {
                    if let Some(texture) = self.textures.get_mut(&id) {
                        for row in 0..height {
                            let at = (y + row) * texture.width + x;
                            texture.pixels[at..at + width]
                                .copy_from_slice(&pixels.pixels[row * width..(row + 1) * width]);
                        }
                    }
                } else {
                    let nearest = image.options.magnification == TextureFilter::Nearest;
                    self.textures.insert(
                        id,
                        Texture {
                            width,
                            height,
                            pixels: pixels.pixels.clone(),
                            nearest,
                        },
                    );
                }
            }
        }
        // Freed textures are kept: whoever draws pictures is short-lived.
        delta.free.clear();
    }

    /// Draws a frame.
    pub fn render(&self, ctx: &egui::Context, output: &egui::FullOutput) -> Picture {
        let scale = output.pixels_per_point;
        let size = ctx.content_rect().size() * scale;
        let (width, height) = (size.x.round() as usize, size.y.round() as usize);
        let mut frame = vec![[0f32, 0.0, 0.0, 255.0]; width * height];
        for primitive in ctx.tessellate(output.shapes.clone(), scale) {
            let Primitive::Mesh(mesh) = &primitive.primitive else {
                continue;
            };
            let Some(texture) = self.textures.get(&mesh.texture_id) else {
                continue;
            };
            let edge = |v: f32, limit: usize| ((v * scale).round().max(0.0) as usize).min(limit);
            let clip = [
                edge(primitive.clip_rect.min.x, width),
                edge(primitive.clip_rect.min.y, height),
                edge(primitive.clip_rect.max.x, width),
                edge(primitive.clip_rect.max.y, height),
            ];
            draw(&mut frame, width, mesh, texture, clip, scale);
        }
        let byte = |v: f32| (v + 0.5) as u8;
        let rgba = frame
            .iter()
            .flat_map(|c| [byte(c[0]), byte(c[1]), byte(c[2]), 255])
            .collect();
        Picture {
            width: width as u32,
            height: height as u32,
            rgba,
        }
    }
}

/// Bilinear lookup, or the nearest texel where the texture asks for it.
fn sample(texture: &Texture, u: f32, v: f32) -> [f32; 4] {
    let texel = |x: usize, y: usize| {
        let at = y.min(texture.height - 1) * texture.width + x.min(texture.width - 1);
        texture.pixels[at].to_array().map(f32::from)
    };
    let (x, y) = (u * texture.width as f32, v * texture.height as f32);
    if texture.nearest {
        return texel(x.max(0.0) as usize, y.max(0.0) as usize);
    }
    let (x, y) = ((x - 0.5).max(0.0), (y - 0.5).max(0.0));
    let (x0, y0) = (x as usize, y as usize);
    let (fx, fy) = (x - x0 as f32, y - y0 as f32);
    if fx < 1e-3 && fy < 1e-3 {
        return texel(x0, y0);
    }
    let corners = [
        texel(x0, y0),
        texel(x0 + 1, y0),
        texel(x0, y0 + 1),
        texel(x0 + 1, y0 + 1),
    ];
    std::array::from_fn(|i| {
        let upper = corners[0][i] * (1.0 - fx) + corners[1][i] * fx;
        let lower = corners[2][i] * (1.0 - fx) + corners[3][i] * fx;
        upper * (1.0 - fy) + lower * fy
    })
}

fn draw(
    frame: &mut [[f32; 4]],
    width: usize,
    mesh: &Mesh,
    texture: &Texture,
    clip: [usize; 4],
    scale: f32,
) {
    if clip[0] >= clip[2] || clip[1] >= clip[3] {
        return;
    }
    for corner in mesh.indices.chunks_exact(3) {
        let vertices = [0, 1, 2].map(|k| &mesh.vertices[corner[k] as usize]);
        triangle(frame, width, vertices, texture, clip, scale);
    }
}

fn triangle(
    frame: &mut [[f32; 4]],
    width: usize,
    mut v: [&Vertex; 3],
    texture: &Texture,
    clip: [usize; 4],
    scale: f32,
) {
    let mut p = v.map(|v| [f64::from(v.pos.x * scale), f64::from(v.pos.y * scale)]);
    let mut area =
        (p[1][0] - p[0][0]) * (p[2][1] - p[0][1]) - (p[1][1] - p[0][1]) * (p[2][0] - p[0][0]);
    if area == 0.0 || !area.is_finite() {
        return;
    }
    if area < 0.0 {
        v.swap(1, 2);
        p.swap(1, 2);
        area = -area;
    }
    let low = |k: usize| p.iter().map(|q| q[k]).fold(f64::MAX, f64::min);
    let high = |k: usize| p.iter().map(|q| q[k]).fold(f64::MIN, f64::max);
    let first = |lo: f64, edge: usize| (lo - 0.5).ceil().max(edge as f64) as usize;
    let last = |hi: f64, edge: usize| ((hi - 0.5).floor() + 1.0).clamp(0.0, edge as f64) as usize;
    // Edge k lies opposite to vertex k; a pixel on a shared edge belongs to the triangle whose edge is top or left.
    let edges = [(1, 2), (2, 0), (0, 1)].map(|(a, b): (usize, usize)| {
        let (dx, dy) = (p[b][0] - p[a][0], p[b][1] - p[a][1]);
        (p[a], dx, dy, dy < 0.0 || (dy == 0.0 && dx > 0.0))
    });
    let colours = v.map(|v| v.color.to_array().map(f32::from));
    let flat_colour = colours[0] == colours[1] && colours[1] == colours[2];
    let flat_uv = v[0].uv == v[1].uv && v[1].uv == v[2].uv;
    let first_texel = sample(texture, v[0].uv.x, v[0].uv.y);
    for y in first(low(1), clip[1])..last(high(1), clip[3]) {
        for x in first(low(0), clip[0])..last(high(0), clip[2]) {
            let (cx, cy) = (x as f64 + 0.5, y as f64 + 0.5);
            let mut weight = [0f32; 3];
            let inside = edges.iter().enumerate().all(|(k, (a, dx, dy, owns))| {
                let side = dx * (cy - a[1]) - dy * (cx - a[0]);
                weight[k] = (side / area) as f32;
                side > 0.0 || (side == 0.0 && *owns)
            });
            if !inside {
                continue;
            }
            let mix =
                |f: &dyn Fn(usize) -> f32| f(0) * weight[0] + f(1) * weight[1] + f(2) * weight[2];
            let texel = if flat_uv {
                first_texel
            } else {
                sample(texture, mix(&|k| v[k].uv.x), mix(&|k| v[k].uv.y))
            };
            let source: [f32; 4] = std::array::from_fn(|i| {
                let colour = if flat_colour {
                    colours[0][i]
                } else {
                    mix(&|k| colours[k][i])
                };
                colour * texel[i] / 255.0
            });
            let target = &mut frame[y * width + x];
            let keep = 1.0 - source[3] / 255.0;
            for i in 0..3 {
                target[i] = (source[i] + target[i] * keep).min(255.0).round();
            }
        }
    }
}
