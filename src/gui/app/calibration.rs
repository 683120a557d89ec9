//! Corrections from a person's own runs: asked for, applied to every plan, kept in a file, taken away again.

use super::MantissaApp;
use crate::gui::dialogs;
use crate::gui::state::{About, Status};
use crate::planner::CalibrationProfile;
use std::sync::Arc;

/// Named in errors of a calibration that was kept between two sessions.
const KEPT: &str = "the calibration of the last session";
/// Told of a new one; on how many runs, the status bar says beside it.
const CALIBRATED: &str = "Every plan is calibrated now";

impl MantissaApp {
    /// Has factors worked out from the measured runs that are open, as they were read and shown.
    pub(super) fn calibrate(&mut self) {
        match (&self.state.evaluation, &mut self.worker) {
            (Some(evaluation), Some(worker)) => {
                worker.calibrate(Arc::clone(evaluation));
                self.state.is_calibrating = true;
            }
            _ => self.complain_of(
                About::Runs,
                "Open a file of measured runs (.csv) first".to_owned(),
            ),
        }
    }

    pub(super) fn take_calibration(&mut self, result: Result<CalibrationProfile, String>) {
        self.state.is_calibrating = false;
        match result {
            Ok(profile) => {
                self.tell(CALIBRATED.to_owned());
                self.set_calibration(Some(Arc::new(profile)));
            }
            Err(text) => self.complain_of(About::Runs, text),
        }
    }

    /// Corrects every plan by a profile, or by none: the one shown at once, the others when they are shown.
    pub(super) fn set_calibration(&mut self, profile: Option<Arc<CalibrationProfile>>) {
        let former = std::mem::replace(&mut self.state.calibration, profile);
        if former.is_some() {
            self.state.former_calibration = former;
        }
        for tab in &mut self.state.tabs {
            // A plan under way was asked for without it.
            tab.generation += 1;
            tab.status = Status::Idle;
            tab.wants_plan = false;
        }
        self.start_plan();
    }

    /// Brings back the calibration that was removed or replaced last.
    pub(super) fn put_calibration_back(&mut self) {
        if let Some(former) = self.state.former_calibration.take() {
            self.tell(CALIBRATED.to_owned());
            self.set_calibration(Some(former));
        }
    }

    pub(super) fn open_calibration(&mut self, path: &str, text: &str) -> Result<String, String> {
        let profile = CalibrationProfile::from_toml(text, path).map_err(|e| e.to_string())?;
        let own_name = |name: &str| {
            let part = self.backend.accelerator(name);
            part.map_or_else(
                || Err(format!("unknown accelerator `{name}`")),
                |part| Ok(part.name.clone()),
            )
        };
        profile
            .check_names(own_name, path)
            .map_err(|e| e.to_string())?;
        let mut words = format!(
            "Every plan is calibrated on {} of {path}",
            profile.counted()
        );
        if self.stale(&profile).is_some() {
            words.push_str(", of another predictor: calibrate again");
        }
        self.set_calibration(Some(Arc::new(profile)));
        Ok(words)
    }

    /// That a calibration corrects the errors of another predictor than this one.
    fn stale(&self, profile: &CalibrationProfile) -> Option<String> {
        let own = self.backend.predictor_version();
        (profile.predictor_version != own).then(|| {
            format!(
                "The calibration is of predictor {}, not of {own}. Calibrate again on your runs",
                profile.predictor_version
            )
        })
    }

    pub(super) fn save_calibration(&self, path: &str) -> Result<String, String> {
        let profile = self.state.calibration.as_ref();
        let profile = profile.ok_or("There is no calibration to save")?;
        let text = profile.to_toml(path).map_err(|e| e.to_string())?;
        dialogs::write_bytes(path, text.as_bytes())?;
        Ok(format!(
            "Saved the calibration to {}",
            dialogs::place_of(path)
        ))
    }

    /// The calibration of the last session, and its text for the next one.
    pub(super) fn restore_calibration(&mut self) {
        let Some(text) = self.state.settings.calibration.take() else {
            return;
        };
        match CalibrationProfile::from_toml(&text, KEPT) {
            Ok(profile) => {
                if let Some(stale) = self.stale(&profile) {
                    self.complain_of(About::Runs, stale);
                }
                self.state.calibration = Some(Arc::new(profile));
            }
            Err(error) => self.complain_of(About::Runs, error.to_string()),
        }
    }

    pub(super) fn calibration_text(&self) -> Option<String> {
        let profile = self.state.calibration.as_ref()?;
        profile.to_toml(KEPT).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gui::Shipped;
    use crate::gui::command::UiCommand;

    #[test]
    fn a_calibration_that_was_removed_is_a_click_away_and_not_told_twice() {
        let ctx = egui::Context::default();
        let backend = Arc::new(Shipped::load().unwrap());
        let mut app = MantissaApp::new(&ctx, None, backend);
        let profile = CalibrationProfile {
            runs: 6,
            ..CalibrationProfile::default()
        };
        app.take_calibration(Ok(profile));
        let told = |app: &MantissaApp| app.state.notice.clone().unwrap();
        // How many runs it rests on stands beside it.
        assert!(!told(&app).text.contains("runs"), "{:?}", told(&app));
        app.run_command(&ctx, UiCommand::RemoveCalibration);
        assert!(app.state.calibration.is_none());
        assert_eq!(told(&app).offer, Some(UiCommand::PutCalibrationBack));
        app.run_command(&ctx, UiCommand::PutCalibrationBack);
        assert_eq!(app.state.calibration.as_ref().map(|p| p.runs), Some(6));
        assert_eq!(told(&app).offer, None);
    }
}
