//! A thread that plans and explains, and one for what may take its time, so that the window never waits and neither waits for
//! the other.

use super::backend::{Backend, PlanFailure};
use super::command::Asked;
use super::evaluation::Evaluation;
use super::export::Export;
use super::picture::Sheet;
use crate::domain::Configuration;
use crate::planner::{CalibrationProfile, Plan, PlanRequest, Progress, Sensitivity};
use crate::predictor::Explanation;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

/// How long a window that closes waits for a file that is being written.
const LAST_WRITE: Duration = Duration::from_secs(10);

/// Work for the threads.
enum Job {
    Plan {
        tab: u64,
        generation: u64,
        request: Arc<PlanRequest>,
        calibration: Option<Arc<CalibrationProfile>>,
        progress: Arc<Progress>,
    },
    Explain {
        tab: u64,
        stamp: u64,
        index: usize,
        configuration: Arc<Configuration>,
    },
    Evaluate {
        path: String,
    },
    Calibrate {
        evaluation: Arc<Evaluation>,
    },
    Write {
        asked: Asked,
        export: Export,
        path: String,
    },
    Draw {
        sheet: Box<Sheet>,
    },
    Sensitivity {
        tab: u64,
        stamp: u64,
        plan: Arc<Plan>,
        calibration: Option<Arc<CalibrationProfile>>,
        progress: Arc<Progress>,
    },
}

/// What the thread reports.
pub enum Report {
    /// A plan, or why there is none; with its tab, its generation and the time it took.
    Planned(u64, u64, Result<Arc<Plan>, PlanFailure>, Duration),
    /// An explanation, with its tab, the result's stamp and the combination's index.
    Explained(u64, u64, usize, Result<Arc<Explanation>, String>),
    /// A file of measured runs held against the predictor.
    Evaluated(Result<Evaluation, String>),
    /// Factors from measured runs.
    Calibrated(Result<CalibrationProfile, String>),
    /// An export, by what asked for it and its path.
    Written(Asked, String, Result<String, String>),
    /// A chart as a picture.
    Drawn(egui::ColorImage),
    /// What would change a result, with its tab and stamp.
    Swayed(u64, u64, Result<Vec<Sensitivity>, PlanFailure>),
}

/// The threads and the channels to and from them.
pub struct Worker {
    jobs: Sender<Job>,
    /// What a plan and an explanation must not wait for.
    aside: Sender<Job>,
    reports: Receiver<Report>,
    /// Jobs without a final report yet.
    pending: usize,
    /// Those of them that write a file.
    writes: usize,
    progress: Arc<Progress>,
    /// The same of what would change a result.
    sway: Arc<Progress>,
}

impl Worker {
    /// Starts the threads.
    ///
    /// # Errors
    /// A sentence, if the system gives none.
    pub fn start(backend: Arc<dyn Backend>, ctx: egui::Context) -> Result<Self, String> {
        let (outbox, reports) = channel();
        let start = |name: &str| {
            let (jobs, inbox) = channel();
            let (backend, outbox, ctx) = (Arc::clone(&backend), outbox.clone(), ctx.clone());
            std::thread::Builder::new()
                .name(name.to_owned())
                .spawn(move || serve(&*backend, &inbox, &outbox, &ctx))
                .map_err(|e| format!("cannot start the worker thread: {e}"))?;
            Ok::<_, String>(jobs)
        };
        Ok(Self {
            jobs: start("mantissa-worker")?,
            aside: start("mantissa-aside")?,
            reports,
            pending: 0,
            writes: 0,
            progress: Arc::default(),
            sway: Arc::default(),
        })
    }

    /// Asks for a plan and tells the thread to leave the one before.
    pub fn plan(
        &mut self,
        tab: u64,
        generation: u64,
        request: Arc<PlanRequest>,
        calibration: Option<Arc<CalibrationProfile>>,
    ) {
        self.cancel();
        self.progress = Arc::default();
        let progress = Arc::clone(&self.progress);
        self.send(Job::Plan {
            tab,
            generation,
            request,
            calibration,
            progress,
        });
    }

    /// Asks why a prediction is what it is.
    pub fn explain(
        &mut self,
        tab: u64,
        stamp: u64,
        index: usize,
        configuration: Arc<Configuration>,
    ) {
        self.send(Job::Explain {
            tab,
            stamp,
            index,
            configuration,
        });
    }

    /// Asks how well measured runs of a file are predicted.
    pub fn evaluate(&mut self, path: String) {
        self.set_aside(Job::Evaluate { path });
    }

    /// Asks for factors from measured runs that were held against the predictor.
    pub fn calibrate(&mut self, evaluation: Arc<Evaluation>) {
        self.set_aside(Job::Calibrate { evaluation });
    }

    /// Has an export written.
    pub fn write(&mut self, asked: Asked, export: Export, path: String) {
        self.writes += 1;
        self.set_aside(Job::Write {
            asked,
            export,
            path,
        });
    }

    /// Has a chart drawn.
    pub fn draw(&mut self, sheet: Box<Sheet>) {
        self.set_aside(Job::Draw { sheet });
    }

    /// Asks what would change the best combination of a result.
    pub fn sensitivity(
        &mut self,
        tab: u64,
        stamp: u64,
        plan: Arc<Plan>,
        calibration: Option<Arc<CalibrationProfile>>,
    ) {
        self.sway.cancel();
        self.sway = Arc::default();
        let progress = Arc::clone(&self.sway);
        self.set_aside(Job::Sensitivity {
            tab,
            stamp,
            plan,
            calibration,
            progress,
        });
    }

    /// Tells the threads to leave the plan and what would change it.
    pub fn cancel(&self) {
        self.progress.cancel();
        self.sway.cancel();
    }

    /// Tells the thread to leave what would change a result.
    pub fn cancel_sensitivity(&self) {
        self.sway.cancel();
    }

    /// The next report, if there is one.
    pub fn poll(&mut self) -> Option<Report> {
        let report = self.reports.try_recv().ok()?;
        Some(self.counted(report))
    }

    /// Waits for the next report while jobs are pending.
    pub fn wait(&mut self, at_most: Duration) -> Option<Report> {
        if self.pending == 0 {
            return self.poll();
        }
        match self.reports.recv_timeout(at_most) {
            Ok(report) => Some(self.counted(report)),
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => None,
        }
    }

    /// Combinations done of the plan being computed, and how many there are.
    pub fn so_far(&self) -> (usize, usize) {
        self.progress.so_far()
    }

    /// The same of what would change a result.
    pub fn sway_so_far(&self) -> (usize, usize) {
        self.sway.so_far()
    }

    /// Whether jobs are pending.
    pub fn is_busy(&self) -> bool {
        self.pending > 0
    }

    fn counted(&mut self, report: Report) -> Report {
        self.pending = self.pending.saturating_sub(1);
        if matches!(report, Report::Written(..)) {
            self.writes = self.writes.saturating_sub(1);
        }
        report
    }

    fn send(&mut self, job: Job) {
        self.pending += usize::from(self.jobs.send(job).is_ok());
    }

    fn set_aside(&mut self, job: Job) {
        self.pending += usize::from(self.aside.send(job).is_ok());
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.cancel();
        // Whoever closes the window after an export means to have it.
        while self.writes > 0 && self.wait(LAST_WRITE).is_some() {}
    }
}

/// Serves jobs until the window hangs up.
fn serve(
    backend: &dyn Backend,
    inbox: &Receiver<Job>,
    outbox: &Sender<Report>,
    ctx: &egui::Context,
) {
    while let Ok(job) = inbox.recv() {
        let report = match job {
            Job::Plan {
                tab,
                generation,
                request,
                calibration,
                progress,
            } => {
                let start = Instant::now();
                let result = if progress.is_cancelled() {
                    Err(PlanFailure::Cancelled)
                } else {
                    backend
                        .plan(&request, calibration.as_deref(), &progress)
                        .map(Arc::new)
                };
                Report::Planned(tab, generation, result, start.elapsed())
            }
            Job::Explain {
                tab,
                stamp,
                index,
                configuration,
            } => {
                let result = backend.explain(&configuration).map(Arc::new);
                Report::Explained(tab, stamp, index, result)
            }
            Job::Sensitivity {
                tab,
                stamp,
                plan,
                calibration,
                progress,
            } => {
                let lines = backend.sensitivity(&plan, calibration.as_deref(), &progress);
                Report::Swayed(tab, stamp, lines)
            }
            Job::Write {
                asked,
                export,
                path,
            } => {
                let result = export.write(&path);
                Report::Written(asked, path, result)
            }
            Job::Draw { sheet } => Report::Drawn(sheet.draw()),
            Job::Calibrate { evaluation } => Report::Calibrated(backend.calibrate(&evaluation)),
            Job::Evaluate { path } => Report::Evaluated(backend.evaluate(&path)),
        };
        if outbox.send(report).is_err() {
            return;
        }
        ctx.request_repaint();
    }
}
