//! The window in a test: opened on the worked example, driven by labels and keys, drawn on the CPU.

use super::cpu_renderer::{Picture, Shared};
use egui::{Rect, Theme, Vec2};
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT, Queryable};
use mantissa::domain::{Accelerator, Configuration};
use mantissa::gui::backend::ModelEntry;
use mantissa::gui::command::Action;
use mantissa::gui::evaluation::Evaluation;
use mantissa::gui::state::{Settings, Tab};
use mantissa::gui::{Backend, MantissaApp, PlanFailure, Shipped};
use mantissa::planner::{
    CalibrationProfile, Outcome, Plan, PlanRequest, PriceUsed, Progress, RegionsCompared,
    Sensitivity,
};
use mantissa::predictor::{Explanation, Importance};
use mantissa::units::KilowattHours;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock};

/// Changes the request as a panel would.
pub fn edit(window: &mut Window, change: impl FnOnce(&mut PlanRequest)) {
    let mut request = window.request();
    change(&mut request);
    window.send(Action::Edit(Box::new(request), ""));
}

/// When every test takes place.
pub fn now() -> jiff::Zoned {
    "2026-11-22T12:00[UTC]".parse().expect("a time")
}

/// The catalogue and the predictor of this build, read once a test program.
pub fn backend() -> Arc<Shipped> {
    static SHIPPED: OnceLock<Arc<Shipped>> = OnceLock::new();
    Arc::clone(SHIPPED.get_or_init(|| Arc::new(Shipped::load().expect("built-in files"))))
}

/// The shipped planner, which computes each request once a test program: most windows open on the same one.
pub struct Remembering {
    inner: Arc<Shipped>,
    plans: Mutex<HashMap<String, Plan>>,
    /// Plans are filled up to so many combinations with scaled copies.
    least: usize,
}

impl Remembering {
    /// The one that all windows share.
    fn shared() -> Arc<Self> {
        static SHARED: OnceLock<Arc<Remembering>> = OnceLock::new();
        Arc::clone(SHARED.get_or_init(|| Self::growing_to(0)))
    }

    /// One whose plans hold at least so many combinations.
    pub fn growing_to(least: usize) -> Arc<Self> {
        Arc::new(Self {
            inner: backend(),
            plans: Mutex::default(),
            least,
        })
    }

    fn grow(&self, plan: &mut Plan) {
        let few = plan.combinations.clone();
        let mut copy = 0;
        while plan.combinations.len() < self.least {
            copy += 1;
            for c in &few {
                let mut c = c.clone();
                c.count += 128 * copy;
                if let Outcome::Predicted(run) = &mut c.outcome {
                    // Spread over the plot, so that no two points lie on one another.
                    let by =
                        1.0 + 0.37 * (f64::from(copy) * 0.618).fract() + 0.001 * f64::from(copy);
                    run.total_time_h = run.total_time_h.scaled(by);
                    run.cost_usd = run.cost_usd.map(|e| e.scaled(by * 1.1));
                }
                plan.combinations.push(c);
            }
        }
    }
}

impl Backend for Remembering {
    fn models(&self) -> &[ModelEntry] {
        self.inner.models()
    }
    fn accelerators(&self) -> &[Arc<Accelerator>] {
        self.inner.accelerators()
    }
    fn accelerators_to_find(&self) -> &[Arc<Accelerator>] {
        self.inner.accelerators_to_find()
    }
    fn accelerator(&self, name: &str) -> Option<Arc<Accelerator>> {
        self.inner.accelerator(name)
    }
    fn model(&self, name: &str) -> Option<&ModelEntry> {
        self.inner.model(name)
    }
    fn read_model(&self, path: &str) -> Result<ModelEntry, String> {
        self.inner.read_model(path)
    }
    fn now(&self) -> jiff::Zoned {
        now()
    }
    fn prices(&self, request: &PlanRequest, accelerator: &Accelerator) -> Vec<(u32, PriceUsed)> {
        self.inner.prices(request, accelerator)
    }
    fn sellers(&self, request: &PlanRequest) -> Vec<(String, f64)> {
        self.inner.sellers(request)
    }
    fn regions(
        &self,
        energy: KilowattHours,
        provider: Option<&str>,
        region: Option<&str>,
    ) -> Option<RegionsCompared> {
        self.inner.regions(energy, provider, region)
    }
    fn examples(&self) -> Vec<PlanRequest> {
        self.inner.examples()
    }
    fn parse(&self, name: &str, text: &str) -> Result<PlanRequest, String> {
        self.inner.parse(name, text)
    }
    fn write(&self, request: &PlanRequest) -> Result<String, String> {
        self.inner.write(request)
    }
    fn plan(
        &self,
        request: &PlanRequest,
        calibration: Option<&CalibrationProfile>,
        progress: &Progress,
    ) -> Result<Plan, PlanFailure> {
        let key = format!("{request:?} {calibration:?}");
        let known = self.plans.lock().expect("the plans").get(&key).cloned();
        if let Some(plan) = known {
            return Ok(plan);
        }
        let mut plan = self.inner.plan(request, calibration, progress)?;
        self.grow(&mut plan);
        let mut plans = self.plans.lock().expect("the plans");
        plans.insert(key, plan.clone());
        Ok(plan)
    }
    fn sensitivity(
        &self,
        plan: &Plan,
        calibration: Option<&CalibrationProfile>,
        progress: &Progress,
    ) -> Result<Vec<Sensitivity>, PlanFailure> {
        self.inner.sensitivity(plan, calibration, progress)
    }
    fn calibrate(&self, evaluation: &Evaluation) -> Result<CalibrationProfile, String> {
        self.inner.calibrate(evaluation)
    }
    fn explain(&self, configuration: &Configuration) -> Result<Explanation, String> {
        self.inner.explain(configuration)
    }
    fn evaluate(&self, path: &str) -> Result<Evaluation, String> {
        self.inner.evaluate(path)
    }
    fn importance(&self) -> &[Importance] {
        self.inner.importance()
    }
    fn card(&self) -> &str {
        self.inner.card()
    }
    fn fitted_runs(&self) -> usize {
        self.inner.fitted_runs()
    }

    fn predictor_version(&self) -> &str {
        self.inner.predictor_version()
    }
}

/// A copy of shipped runs in a folder whose steps took longer by a factor: somebody else's machines.
pub fn slower_runs(folder: &std::path::Path, factor: f64) -> String {
    let shipped = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/runs/nemo.csv");
    let mut reader = csv::Reader::from_path(shipped).expect("shipped runs");
    let path = folder.join("mine.csv");
    let mut writer = csv::Writer::from_path(&path).expect("a file");
    let head = reader.headers().expect("a head").clone();
    writer.write_record(&head).expect("a line");
    for row in reader.records() {
        let row = row.expect("a row");
        let cells = head.iter().zip(row.iter()).map(|(name, cell)| {
            let time = cell.parse::<f64>().map(|t| (t * factor).to_string());
            match name {
                "step_time_ms" => time.unwrap_or_default(),
                "throughput" | "iter_time_ms" | "tflops_per_gpu" => String::new(),
                _ => cell.to_owned(),
            }
        });
        writer.write_record(cells).expect("a line");
    }
    writer.flush().expect("a file");
    path.display().to_string()
}

/// What eframe keeps for the window, in memory.
#[derive(Default)]
pub struct Memory(HashMap<String, String>);

impl eframe::Storage for Memory {
    fn get_string(&self, key: &str) -> Option<String> {
        self.0.get(key).cloned()
    }
    fn set_string(&mut self, key: &str, value: String) {
        self.0.insert(key.to_owned(), value);
    }
    fn remove_string(&mut self, key: &str) {
        self.0.remove(key);
    }
    fn flush(&mut self) {}
}

/// The window under test.
pub struct Window {
    pub harness: Harness<'static, MantissaApp>,
    pub renderer: Shared,
}

impl Window {
    /// The window as most tests open it.
    pub fn usual() -> Self {
        Self::open(1440.0, 900.0, Theme::Dark)
    }

    /// The window on the worked example, its plan computed.
    pub fn open(width: f32, height: f32, theme: Theme) -> Self {
        Self::open_on(Remembering::shared(), width, height, theme)
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

    /// The plan shown.
    pub fn plan(&self) -> Arc<Plan> {
        Arc::clone(self.tab().plan().expect("a plan"))
    }

    pub fn settings(&self) -> &Settings {
        &self.harness.state().state().settings
    }

    /// What the window remembers when it is closed.
    pub fn stored(&mut self) -> Memory {
        let mut storage = Memory::default();
        eframe::App::save(self.harness.state_mut(), &mut storage);
        storage
    }

    /// Every text drawn, and where.
    pub fn texts(&self) -> Vec<(String, Rect)> {
        self.shapes(|shape| match shape {
            egui::Shape::Text(text) => {
                Some((text.galley.text().to_owned(), text.visual_bounding_rect()))
            }
            _ => None,
        })
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

    /// Puts the keyboard into a field and types over what is there.
    pub fn type_into(&mut self, label: &str, text: &str) {
        self.harness.get_by_label(label).focus();
        self.harness.run();
        self.key(egui::Modifiers::COMMAND, egui::Key::A);
        self.harness.get_by_label(label).type_text(text);
        self.settle();
    }

    /// Turns the wheel over a place.
    pub fn scroll(&mut self, at: egui::Pos2, down: f32) {
        self.harness.hover_at(at);
        self.harness.step();
        self.harness.event(egui::Event::MouseWheel {
            unit: egui::MouseWheelUnit::Point,
            delta: egui::vec2(0.0, -down),
            phase: egui::TouchPhase::Move,
            source: egui::MouseWheelSource::Wheel,
            modifiers: egui::Modifiers::NONE,
        });
        self.harness.run();
    }

    /// What the status bar tells.
    pub fn notice(&self) -> String {
        let notice = &self.harness.state().state().notice;
        notice.as_ref().map_or_else(String::new, |n| n.text.clone())
    }

    /// Label of what has the keyboard.
    pub fn focused(&self) -> String {
        let focused = self
            .harness
            .root()
            .children_recursive()
            .find(|n| n.accesskit_node().is_focused());
        focused
            .and_then(|n| n.accesskit_node().label())
            .unwrap_or_default()
    }

    /// Types a command or a field into the palette and takes the first line.
    pub fn palette(&mut self, text: &str) {
        self.key(egui::Modifiers::COMMAND, egui::Key::K);
        self.send(Action::PaletteText(text.to_owned()));
        self.harness.key_press(egui::Key::Enter);
        self.settle();
    }

    pub fn request(&self) -> PlanRequest {
        (**self.tab().request.as_ref().expect("a request")).clone()
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

    /// What `pick` takes of every shape that is painted, those inside of others too.
    pub fn shapes<T>(&self, pick: impl Fn(&egui::Shape) -> Option<T>) -> Vec<T> {
        fn gather<T>(
            shape: &egui::Shape,
            pick: &impl Fn(&egui::Shape) -> Option<T>,
            out: &mut Vec<T>,
        ) {
            match shape {
                egui::Shape::Vec(shapes) => shapes.iter().for_each(|s| gather(s, pick, out)),
                one => out.extend(pick(one)),
            }
        }
        let mut out = Vec::new();
        for clipped in &self.harness.output().shapes {
            gather(&clipped.shape, &pick, &mut out);
        }
        out
    }

    /// Every text that is painted, and whether it is cut.
    pub fn painted(&self) -> Vec<(String, bool)> {
        self.shapes(|shape| match shape {
            egui::Shape::Text(text) => Some((text.galley.text().to_owned(), text.galley.elided)),
            _ => None,
        })
    }

    /// The left upper corner of the largest mesh that is painted: where a plot's points stand.
    pub fn mesh_corner(&self) -> egui::Pos2 {
        let shapes = &self.harness.output().shapes;
        let meshes = shapes.iter().filter_map(|s| match &s.shape {
            egui::Shape::Mesh(mesh) => Some(mesh),
            _ => None,
        });
        let largest = meshes.max_by_key(|m| m.vertices.len()).expect("a mesh");
        largest.calc_bounds().min
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
