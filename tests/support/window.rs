//! The window in a test: opened on the worked example, driven by labels and keys, drawn on the CPU.

use super::cpu_renderer::{Picture, Shared};
use egui::{Theme, Vec2};
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT, Queryable};
use mantissa::gui::command::Action;
use mantissa::gui::state::Tab;
use mantissa::gui::{Backend, MantissaApp, Shipped};
use std::sync::{Arc, OnceLock};

/// The catalogue and the predictor of this build, read once a test program.
pub fn backend() -> Arc<Shipped> {
    static SHIPPED: OnceLock<Arc<Shipped>> = OnceLock::new();
    Arc::clone(SHIPPED.get_or_init(|| Arc::new(Shipped::load().expect("built-in files"))))
}

/// The window under test.
pub struct Window {
    pub harness: Harness<'static, MantissaApp>,
    pub renderer: Shared,
}

#[allow(dead_code)] // each test program uses its own part of this
impl Window {
    /// The window on the worked example, its plan computed.
    pub fn open(width: f32, height: f32, theme: Theme) -> Self {
        Self::open_on(backend(), width, height, theme)
    }

    /// The window on a planner of the test's own, its plan computed.
    pub fn open_on(backend: Arc<dyn Backend>, width: f32, height: f32, theme: Theme) -> Self {
        let renderer = Shared::default();
        let harness = Harness::builder()
            .with_size(Vec2::new(width, height))
            .with_theme(theme)
            .with_os(egui::os::OperatingSystem::Nix)
            .with_max_steps(64)
            .allow_missing_glyphs()
            .renderer(renderer.clone())
            .build_eframe(|cc| MantissaApp::new(&cc.egui_ctx, None, backend));
        let mut window = Self { harness, renderer };
        window.settle();
        window
    }

    /// Lets the worker finish and draws until nothing moves.
    pub fn settle(&mut self) {
        let ctx = self.harness.ctx.clone();
        self.harness.run();
        self.harness.state_mut().settle(&ctx);
        self.harness.run();
    }

    pub fn send(&mut self, action: Action) {
        self.harness.state_mut().send(action);
        self.settle();
    }

    pub fn tab(&self) -> &Tab {
        self.harness.state().state().tab().expect("a tab")
    }

    pub fn click(&mut self, label: &str) {
        self.harness.get_by_label(label).click();
        self.settle();
    }

    /// Clicks what may be scrolled away, as a screen reader does.
    pub fn press(&mut self, label: &str) {
        self.harness.get_by_label(label).click_accesskit();
        self.settle();
    }

    pub fn key(&mut self, modifiers: egui::Modifiers, key: egui::Key) {
        self.harness.key_press_modifiers(modifiers, key);
        self.settle();
    }

    /// Labels of all nodes on the screen.
    pub fn labels(&self) -> Vec<String> {
        self.harness
            .root()
            .children_recursive()
            .filter_map(|n| {
                n.accesskit_node()
                    .label()
                    .or_else(|| n.accesskit_node().value())
            })
            .collect()
    }

    /// Whether some label contains a text.
    pub fn shows(&self, text: &str) -> bool {
        self.labels().iter().any(|l| l.contains(text))
    }

    pub fn picture(&self) -> Picture {
        self.renderer
            .render(&self.harness.ctx, self.harness.output())
    }

    pub fn modes(&self) -> Vec<mantissa::domain::PrecisionMode> {
        self.tab().request.as_ref().expect("a request").modes()
    }
}
