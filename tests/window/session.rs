//! What outlives a tab, a title and the window: plans that were closed, figures under a new name, models of files.

use crate::support::window::Window;
use egui::{Key, Modifiers};
use mantissa::gui::MantissaApp;
use mantissa::gui::command::{Action, UiCommand};
use mantissa::gui::state::Status;

#[test]
fn a_plan_that_was_closed_comes_back_in_the_next_session_too() {
    let mut window = Window::usual();
    let first = window.request();
    let mut other = first.clone();
    other.counts = vec![8];
    window.send(Action::NewFrom(Box::new(other)));
    let mut edited = window.request();
    edited.counts = vec![16];
    window.send(Action::Edit(Box::new(edited.clone()), "counts"));
    window.key(Modifiers::COMMAND, Key::W);
    assert!(window.notice().contains("closed"), "{}", window.notice());
    assert!(window.shows(UiCommand::ReopenTab.text()));
    assert_eq!(window.harness.state().state().tabs.len(), 1);
    let storage = window.stored();
    let ctx = egui::Context::default();
    let mut again = MantissaApp::new(&ctx, Some(&storage), crate::support::window::backend());
    assert_eq!(again.state().tabs.len(), 1);
    again.send(Action::Ui(UiCommand::ReopenTab));
    again.settle(&ctx);
    assert_eq!(again.state().tabs.len(), 2);
    let tab = again.state().tab().expect("a tab");
    assert_eq!(tab.request.as_deref(), Some(&edited));
    assert!(tab.is_changed() && tab.history.can_undo() && tab.plan().is_some());
    assert_eq!(again.state().active, 1);
    // One that is as it was opened goes without a word.
    window.send(Action::NewFrom(Box::new(first)));
    window.key(Modifiers::COMMAND, Key::W);
    assert!(!window.notice().contains("closed"), "{}", window.notice());
}

#[test]
fn a_new_title_computes_nothing() {
    let mut window = Window::usual();
    let before = window.tab().title();
    let stamp = |w: &Window| w.tab().done.as_ref().map(|d| d.stamp);
    let planned = stamp(&window);
    let id = window.tab().id;
    window.send(Action::Rename(id));
    window.send(Action::RenameText("For the board".to_owned()));
    window.send(Action::EndRename(true));
    assert_eq!(window.tab().title(), "For the board");
    assert!(matches!(window.tab().status, Status::Current));
    assert_eq!(stamp(&window), planned);
    // What is exported bears the new one.
    assert_eq!(window.plan().request.request, window.request());
    window.key(Modifiers::COMMAND, Key::Z);
    assert_eq!((window.tab().title(), stamp(&window)), (before, planned));
    assert_eq!(window.plan().request.request, window.request());
}
