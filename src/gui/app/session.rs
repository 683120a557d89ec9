//! What a window starts with and leaves behind: the plans of the last session, open and closed, or the worked example; and a word
//! where they cannot be had or will not be kept.

use super::{MantissaApp, STORAGE_KEY};
use crate::gui::remembered::{ClosedPlan, TabMemory};
use crate::gui::session::Session;
use crate::gui::state::{About, Notice, Settings, Tab};
use crate::planner::PlanRequest;
use std::sync::Arc;

/// Named in errors of a plan that was kept between two sessions.
const KEPT: &str = "autosave";

impl MantissaApp {
    /// Takes up the session that eframe read, as far as it could be read and is this window's.
    pub(super) fn take_up(&mut self, storage: Option<&dyn eframe::Storage>, session: &Session) {
        let is_stored = storage.is_some_and(|s| s.get_string(STORAGE_KEY).is_some());
        let read: Option<Settings> = storage.and_then(|s| eframe::get_value(s, STORAGE_KEY));
        let is_lost =
            read.is_none() && !session.is_of_another() && (is_stored || session.is_unread());
        let mut settings = read.unwrap_or_default();
        if session.is_of_another() {
            settings.plans.clear();
            settings.tabs.clear();
            settings.closed.clear();
        }
        let unread = self.restore(settings);
        self.state.unremembered = session.unremembered();
        let lost = match (is_lost, unread) {
            (true, _) => Some("The last session cannot be read".to_owned()),
            (false, Some((count, reason))) => Some(format!(
                "{count} plan{} of the last session cannot be read ({reason})",
                crate::format::plural(count as f64)
            )),
            (false, None) => None,
        };
        if let Some(lost) = lost {
            self.complain_of(About::Nothing, lost + &session.lay_aside());
        } else if let Some(text) = &self.state.unremembered {
            self.state.notice = Some(Notice {
                about: About::Nothing,
                ..Notice::told(text.clone())
            });
        }
    }

    /// Opens the plans of the last session, or the worked example; how many could not be read, and why the first could not.
    fn restore(&mut self, mut settings: Settings) -> Option<(usize, String)> {
        let mut unread: Option<(usize, String)> = None;
        let mut read = |app: &Self, text: &str| match app.backend.parse(KEPT, text) {
            Ok(request) => Some(request),
            Err(reason) => {
                unread.get_or_insert((0, reason)).0 += 1;
                None
            }
        };
        let requests: Vec<(PlanRequest, TabMemory)> = settings
            .plans
            .iter()
            .enumerate()
            .filter_map(|(i, text)| {
                let memory = settings.tabs.get(i).cloned().unwrap_or_default();
                Some((read(self, text)?, memory))
            })
            .collect();
        for closed in std::mem::take(&mut settings.closed) {
            if let Some(request) = read(self, &closed.plan) {
                let mut tab = self.new_tab(request);
                self.recall_into(&mut tab, closed.tab);
                self.state.closed.push((closed.place, tab));
            }
        }
        let active = settings.active.min(requests.len().saturating_sub(1));
        self.state.settings = settings;
        self.restore_calibration();
        if requests.is_empty() {
            let examples = self.backend.examples();
            match examples.into_iter().next() {
                Some(example) => self.open(example),
                None => self.complain_of(
                    About::Nothing,
                    "No example plan ships with this build".to_owned(),
                ),
            }
            return unread;
        }
        for (request, memory) in requests {
            self.open(request);
            self.recall(memory);
        }
        self.state.active = active;
        self.plan_active_if_needed();
        unread
    }

    /// The settings with every plan that is to be there again.
    pub(super) fn to_be_kept(&self) -> Settings {
        let mut settings = self.state.settings.clone();
        settings.active = self.state.active;
        settings.calibration = self.calibration_text();
        let tabs = self.state.tabs.iter();
        (settings.plans, settings.tabs) = tabs.filter_map(|tab| self.remembered(tab)).unzip();
        let closed = self.state.closed.iter();
        settings.closed = closed
            .filter_map(|(place, tab)| {
                let (plan, tab) = self.remembered(tab)?;
                let place = *place;
                Some(ClosedPlan { place, plan, tab })
            })
            .collect();
        settings
    }

    /// A plan as TOML, with what else is remembered of it.
    fn remembered(&self, tab: &Tab) -> Option<(String, TabMemory)> {
        let write = |request: &PlanRequest| self.backend.write(request).ok();
        let text = write(tab.request.as_ref()?)?;
        let saved = tab.saved.as_ref().filter(|_| tab.is_changed());
        let saved = saved.and_then(|r| write(r));
        Some((text, TabMemory::of(tab, saved, &write)))
    }

    /// Puts what was remembered back into the tab that was opened last.
    fn recall(&mut self, memory: TabMemory) {
        if let Some(mut tab) = self.state.tab_mut().map(std::mem::take) {
            self.recall_into(&mut tab, memory);
            if let Some(place) = self.state.tab_mut() {
                *place = tab;
            }
        }
    }

    fn recall_into(&self, tab: &mut Tab, mut memory: TabMemory) {
        let read = |text: String| self.backend.parse(KEPT, &text).ok();
        let saved = memory.saved.take().and_then(read);
        let opened = memory.opened.take().and_then(read);
        let steps = [&mut memory.undo, &mut memory.redo].map(std::mem::take);
        // A step that cannot be read ends what leads to it: one over a gap would bring back two edits at once.
        let steps = steps.map(|steps| {
            let known = steps.into_iter().rev().map_while(read);
            let mut known: Vec<PlanRequest> = known.collect();
            known.reverse();
            known
        });
        tab.history = crate::gui::history::History::restored(steps);
        memory.put_into(tab);
        if let Some(saved) = saved {
            tab.saved = Some(Arc::new(saved));
        }
        if let Some(opened) = opened {
            tab.opened = Some(Arc::new(opened));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gui::Shipped;
    use crate::gui::backend::Backend;
    use std::collections::HashMap;

    #[derive(Default)]
    struct Stored(HashMap<String, String>);

    impl eframe::Storage for Stored {
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

    fn opened(stored: &Stored, session: &Session, backend: &Arc<Shipped>) -> MantissaApp {
        let backend = Arc::clone(backend) as Arc<dyn Backend>;
        MantissaApp::in_session(&egui::Context::default(), Some(stored), backend, session)
    }

    fn notice(app: &MantissaApp) -> String {
        let notice = app.state.notice.as_ref();
        notice.map_or_else(String::new, |n| n.text.clone())
    }

    #[test]
    fn what_cannot_be_read_of_a_session_is_kept_and_told() {
        let folder = tempfile::tempdir().unwrap();
        let backend = Arc::new(Shipped::load().unwrap());
        let session = Session::in_folder(folder.path());
        assert_eq!(notice(&opened(&Stored::default(), &session, &backend)), "");
        std::fs::write(folder.path().join("app.ron"), "kept").unwrap();
        // eframe reads nothing of a file that is broken, and what it reads may be of no use.
        let mut broken = Stored::default();
        eframe::Storage::set_string(&mut broken, STORAGE_KEY, "({".to_owned());
        let mut half = Stored::default();
        let settings = Settings {
            plans: vec![
                backend.write(&backend.examples()[1]).unwrap(),
                "model = ".to_owned(),
            ],
            ..Settings::default()
        };
        eframe::set_value(&mut half, STORAGE_KEY, &settings);
        for (stored, told, name) in [
            (Stored::default(), "The last session", "app.ron.damaged"),
            (broken, "The last session", "app.ron.damaged-2"),
            (half, "1 plan of the last session", "app.ron.damaged-3"),
        ] {
            let mut app = opened(&stored, &session, &backend);
            let kept = folder.path().join(name);
            let text = notice(&app);
            assert!(text.starts_with(told), "{text}");
            assert!(text.ends_with(&kept.display().to_string()), "{text}");
            assert_eq!(std::fs::read_to_string(&kept).unwrap(), "kept");
            assert_eq!(app.state.tabs.len(), 1);
            // A file that is opened with the window does not talk over it.
            let plan = folder.path().join("plan.toml");
            let example = backend.write(&backend.examples()[2]).unwrap();
            std::fs::write(&plan, example).unwrap();
            app.open_given(&plan.display().to_string());
            assert_eq!((app.state.tabs.len(), notice(&app)), (2, text));
        }
    }

    #[test]
    fn a_second_window_opens_on_the_example_and_says_that_it_is_not_remembered() {
        let folder = tempfile::tempdir().unwrap();
        let backend = Arc::new(Shipped::load().unwrap());
        let [example, other] = [0, 1].map(|i| backend.examples()[i].clone());
        let mut stored = Stored::default();
        let settings = Settings {
            plans: vec![backend.write(&other).unwrap()],
            theme: "light".to_owned(),
            ..Settings::default()
        };
        eframe::set_value(&mut stored, STORAGE_KEY, &settings);
        let first = Session::in_folder(folder.path());
        let app = opened(&stored, &first, &backend);
        assert_eq!(app.state.tabs[0].request.as_deref(), Some(&other));
        assert_eq!(
            (app.state.unremembered.clone(), notice(&app)),
            (None, String::new())
        );
        let second = Session::in_folder(folder.path());
        let app = opened(&stored, &second, &backend);
        assert_eq!(app.state.tabs.len(), 1);
        assert_eq!(app.state.tabs[0].request.as_deref(), Some(&example));
        assert_eq!(app.state.settings.theme, "light");
        assert!(notice(&app).starts_with("Another window keeps the session"));
        assert_eq!(app.state.unremembered, Some(notice(&app)));
    }
}
