//! Plans between files, the clipboard and sessions, the panels beside the centre, and going back through selections.

use crate::support::window::{Memory, Window};
use egui::{Event, Key, Modifiers};
use egui_kittest::kittest::{NodeT, Queryable};
use mantissa::gui::command::{Action, PathPurpose, Side, UiCommand};
use mantissa::gui::state::CombinationKey;
use mantissa::gui::{Backend, MantissaApp};

/// Whether the tab of a title is marked as not saved.
fn is_marked(window: &Window, title: &str) -> bool {
    let tab = window.harness.get_by_label(title);
    tab.accesskit_node().description().as_deref() == Some("Not saved")
}

#[test]
fn a_plan_with_a_path_is_saved_without_asking() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("mine.toml");
    let mut window = Window::usual();
    let title = window.tab().title();
    assert!(!is_marked(&window, &title));
    window.click("BF16");
    assert!(is_marked(&window, &title), "an edit leaves no mark");
    window.send(Action::Path(
        PathPurpose::SavePlan,
        path.display().to_string(),
    ));
    assert!(!is_marked(&window, &title));
    let first = std::fs::read_to_string(&path).expect("a plan");
    window.click("BF16");
    assert!(is_marked(&window, &title));
    window.key(Modifiers::COMMAND, Key::S);
    assert!(window.notice().starts_with("Saved "), "{}", window.notice());
    assert!(!is_marked(&window, &title));
    assert_ne!(std::fs::read_to_string(&path).expect("a plan"), first);
    // Undone, the request is not what the file holds any more.
    window.key(Modifiers::COMMAND, Key::Z);
    assert!(is_marked(&window, &title));
}

#[test]
fn saving_asks_before_it_drops_comments_or_another_s_changes() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("mine.toml");
    let save = |window: &mut Window| {
        window.send(Action::Path(
            PathPurpose::SavePlan,
            path.display().to_string(),
        ));
    };
    let mut window = Window::usual();
    save(&mut window);
    let plain = std::fs::read_to_string(&path).expect("a plan");
    for (text, reason) in [
        (format!("# for the board\n{plain}"), "comments"),
        (
            plain.replace("schema = 1", "schema = 1\nname = \"theirs\""),
            "changed",
        ),
    ] {
        std::fs::write(&path, &text).expect("written");
        window.click("BF16");
        window.key(Modifiers::COMMAND, Key::S);
        let state = window.harness.state().state();
        let problem = state.path_problem.clone().expect("it asks").text;
        assert!(problem.contains(reason), "{problem}");
        assert_eq!(std::fs::read_to_string(&path).expect("a plan"), text);
        save(&mut window);
        assert_ne!(std::fs::read_to_string(&path).expect("a plan"), text);
    }
}

#[test]
fn what_was_looked_at_is_there_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("mine.toml").display().to_string();
    let mut window = Window::usual();
    window.send(Action::Path(PathPurpose::SavePlan, path.clone()));
    window.click("BF16");
    let other = window.tab().rows.shown[3];
    window.send(Action::Select(other));
    window.send(Action::TogglePin(other));
    window.send(Action::SetFilter("count <= 16".into()));
    let mode = window.modes()[0];
    window.send(Action::ToggleMode(mode));
    let key = |tab: &mantissa::gui::state::Tab| {
        let plan = tab.plan().expect("a plan");
        CombinationKey::of(&plan.combinations[tab.selected.expect("a selection")])
    };
    let selected = key(window.tab());
    let storage = window.stored();
    let ctx = egui::Context::default();
    let mut again = MantissaApp::new(&ctx, Some(&storage), crate::support::window::backend());
    // Before its plan is there, nothing of it may be forgotten.
    let mut early = Memory::default();
    eframe::App::save(&mut again, &mut early);
    for storage in [&storage, &early] {
        let mut again = MantissaApp::new(&ctx, Some(storage), crate::support::window::backend());
        again.settle(&ctx);
        let tab = again.state().tab().expect("a tab");
        assert_eq!(key(tab), selected);
        assert_eq!(tab.pins, std::slice::from_ref(&selected));
        assert_eq!(tab.row_settings.filter, "count <= 16");
        assert!(tab.hidden_modes.contains(&mode));
        assert_eq!(tab.path.as_ref(), Some(&path));
        assert!(tab.is_changed(), "the edit after saving is forgotten");
    }
}

#[test]
fn a_plan_is_copied_as_text_and_pasted() {
    let mut window = Window::usual();
    let request = window.request();
    let copied = |w: &Window| {
        let commands = &w.harness.output().platform_output.commands;
        commands.iter().find_map(|c| match c {
            egui::OutputCommand::CopyText(text) => Some(text.clone()),
            _ => None,
        })
    };
    let app = window.harness.state_mut();
    app.send(Action::Ui(UiCommand::CopyPlan));
    window.harness.step();
    let text = copied(&window).expect("a copied plan");
    window.settle();
    assert!(text.contains("model = "), "{text}");
    window.harness.event(Event::Paste(text.clone()));
    window.settle();
    assert_eq!(window.harness.state().state().tabs.len(), 2);
    assert_eq!(window.request(), request);
    // What is wrong with a text is said by line, and nothing opens.
    let broken = text.replacen("model = ", "model == ", 1);
    window.send(Action::PastePlan(broken));
    let notice = window.notice();
    assert!(
        notice.starts_with("the pasted text:") && notice.contains(":8: "),
        "{notice}"
    );
    window.send(Action::PastePlan("modle = \"x\"".into()));
    assert!(window.notice().contains("modle"), "{}", window.notice());
    assert_eq!(window.harness.state().state().tabs.len(), 2);
    // In a field a paste is text.
    window.harness.get_by_label("Filter").focus();
    window.harness.run();
    window.harness.event(Event::Paste("fp8".into()));
    window.settle();
    assert_eq!(window.tab().row_settings.filter, "fp8");
    assert_eq!(window.harness.state().state().tabs.len(), 2);
}

#[test]
fn ctrl_click_pins_and_lets_go() {
    let mut window = Window::usual();
    let selected = window.tab().selected;
    let row = window.tab().rows.shown[2];
    let label = {
        let rows = window.harness.query_all_by_role(egui::accesskit::Role::Row);
        let row = rows.into_iter().nth(2).expect("a row");
        row.accesskit_node().label().expect("a name")
    };
    for pinned in [vec![row], Vec::new()] {
        window
            .harness
            .get_by_label(&label)
            .click_modifiers(Modifiers::COMMAND);
        window.settle();
        assert_eq!(window.tab().pinned, pinned);
        assert_eq!(window.tab().selected, selected);
    }
}

#[test]
fn selections_are_gone_back_and_forward_through() {
    let mut window = Window::usual();
    let first = window.tab().selected;
    let rows = window.tab().rows.shown.clone();
    for row in [rows[4], rows[9]] {
        window.send(Action::Select(row));
    }
    window.key(Modifiers::ALT, Key::ArrowLeft);
    assert_eq!(window.tab().selected, Some(rows[4]));
    window.key(Modifiers::ALT, Key::ArrowLeft);
    assert_eq!(window.tab().selected, first);
    window.key(Modifiers::ALT, Key::ArrowLeft);
    assert_eq!(window.tab().selected, first, "there is nothing before it");
    window.key(Modifiers::ALT, Key::ArrowRight);
    window.key(Modifiers::ALT, Key::ArrowRight);
    assert_eq!(window.tab().selected, Some(rows[9]));
    // It holds over another plan, where the combination still runs.
    let key = CombinationKey::of(&window.tab().plan().expect("a plan").combinations[rows[4]]);
    window.type_into("Budget", "3000");
    window.key(Modifiers::ALT, Key::ArrowLeft);
    let tab = window.tab();
    let c = &tab.plan().expect("a plan").combinations[tab.selected.expect("one")];
    assert!(key.names(c));
}

#[test]
fn panels_hide_and_their_edges_move_and_both_are_remembered() {
    let mut window = Window::usual();
    let both = Modifiers::COMMAND | Modifiers::SHIFT;
    assert!(window.shows("Width of the request"));
    window.key(both, Key::B);
    assert!(!window.shows("Width of the request"));
    assert!(window.settings().request_hidden);
    window.key(Modifiers::COMMAND | Modifiers::ALT, Key::B);
    assert!(window.settings().inspector_hidden);
    // The box, whose keys are among them, did not come.
    assert!(window.tab().row_settings.region.is_none());
    window.key(both, Key::B);
    window.key(Modifiers::COMMAND | Modifiers::ALT, Key::B);
    let wide = |w: &Window, name: &str| {
        let node = w.harness.get_by_label(name);
        node.accesskit_node().numeric_value().expect("a width")
    };
    let before = wide(&window, "Width of the request");
    window.harness.get_by_label("Width of the request").focus();
    window.harness.run();
    for _ in 0..3 {
        window.key(Modifiers::NONE, Key::ArrowRight);
    }
    assert_eq!(wide(&window, "Width of the request"), before + 30.0);
    let edge = window.harness.get_by_label("Width of the inspector").rect();
    let from = edge.center();
    window.harness.drag_at(from);
    window.harness.hover_at(from - egui::vec2(60.0, 0.0));
    window.harness.step();
    window.harness.drop_at(from - egui::vec2(60.0, 0.0));
    window.settle();
    let right = wide(&window, "Width of the inspector");
    assert!((380.0..=400.0).contains(&right), "{right}");
    let storage = window.stored();
    let ctx = egui::Context::default();
    let again = MantissaApp::new(&ctx, Some(&storage), crate::support::window::backend());
    let kept = &again.state().settings;
    assert_eq!(kept.request_width, Some(before as f32 + 30.0));
    assert!(kept.inspector_width.is_some());
    // No side takes what the centre needs.
    for (side, width) in [(Side::Request, 5000.0), (Side::Inspector, 5000.0)] {
        window.send(Action::SetWidth(side, Some(width)));
    }
    assert!(wide(&window, "Width of the request") <= 560.0);
    window.send(Action::Ui(UiCommand::UsualWidths));
    assert_eq!(wide(&window, "Width of the request"), before);
}

#[test]
fn alt_click_in_the_legend_shows_one_alone_and_again_all() {
    let mut window = Window::usual();
    let modes = window.tab().rows.modes.clone();
    let label = format!("Show {}", modes[1].label());
    let click = |w: &mut Window| {
        w.harness
            .get_by_label(&label)
            .click_modifiers(Modifiers::ALT);
        w.settle();
    };
    click(&mut window);
    let hidden = &window.tab().hidden_modes;
    assert!(!hidden.contains(&modes[1]) && hidden.len() == modes.len() - 1);
    click(&mut window);
    assert!(window.tab().hidden_modes.is_empty());
    // The same of accelerators, and everything back by command.
    let name = window
        .tab()
        .rows
        .marks
        .keys()
        .next()
        .expect("a part")
        .clone();
    window.send(Action::OnlyAccelerator(name));
    assert!(!window.tab().hidden_accelerators.is_empty());
    window.send(Action::Ui(UiCommand::ShowAllSeries));
    assert!(window.tab().hidden_accelerators.is_empty());
}

#[test]
fn a_field_that_is_hidden_is_shown_before_it_gets_the_keyboard() {
    let mut window = Window::open(1280.0, 800.0, egui::Theme::Dark);
    for view in [
        UiCommand::ShowTradeOff,
        UiCommand::ShowAccuracy,
        UiCommand::ShowCompare,
    ] {
        window.send(Action::Ui(view));
        window.send(Action::Ui(UiCommand::ToggleRequest));
        assert!(window.settings().request_hidden);
        assert!(!window.shows("Deadline"));
        window.palette("Go to: Budget");
        assert!(!window.settings().request_hidden, "{view:?}");
        assert_eq!(window.focused(), "Budget", "{view:?}");
    }
    // Folded away inside a hidden panel.
    window.send(Action::Ui(UiCommand::ToggleRequest));
    window.palette("Go to: Energy limit");
    assert_eq!(window.focused(), "Energy limit");
    // Beside a hidden panel the filter needs no more than its table, which four views do not have.
    window.send(Action::Ui(UiCommand::ToggleRequest));
    for view in [
        UiCommand::ShowEvidence,
        UiCommand::ShowWhy,
        UiCommand::ShowAccuracy,
        UiCommand::ShowCompare,
        UiCommand::ShowScaling,
    ] {
        window.send(Action::Ui(view));
        window.palette("Go to: Filter of the table");
        assert_eq!(window.focused(), "Filter", "{view:?}");
        window.send(Action::Ui(view));
        window.key(Modifiers::COMMAND, Key::F);
        assert_eq!(window.focused(), "Filter", "{view:?}");
    }
    assert!(window.settings().request_hidden);
    // From region to region the keyboard passes over what is hidden.
    let mut visited = Vec::new();
    for _ in 0..4 {
        window.key(Modifiers::NONE, Key::F6);
        visited.push(window.focused());
    }
    assert!(!visited.contains(&"Model".to_owned()), "{visited:?}");
    assert_eq!(visited.iter().filter(|name| !name.is_empty()).count(), 4);
}

#[test]
fn an_error_in_a_hidden_panel_is_one_click_away() {
    let mut window = Window::usual();
    let mut request = window.request();
    request.counts = vec![0];
    window.send(Action::Ui(UiCommand::ToggleRequest));
    window.send(Action::Edit(Box::new(request), "counts"));
    window.click("Show the request");
    assert!(!window.settings().request_hidden);
    assert!(!window.shows("Show the request"));
}

#[test]
fn a_filter_of_the_last_session_stays_in_effect_beside_one_that_is_wrong() {
    let mut window = Window::usual();
    window.send(Action::SetFilter("count <= 16".into()));
    let storage = window.stored();
    let ctx = egui::Context::default();
    let mut again = MantissaApp::new(&ctx, Some(&storage), crate::support::window::backend());
    again.settle(&ctx);
    again.send(Action::SetFilter("count <= 16 cost >> 3".into()));
    again.settle(&ctx);
    let tab = again.state().tab().expect("a tab");
    assert!(tab.filter_draft.is_some());
    assert_eq!(tab.row_settings.filter, "count <= 16");
}

#[test]
fn a_panel_grows_into_what_is_left_and_takes_nothing_of_the_other() {
    for width in [1200.0, 1280.0, 1440.0] {
        let mut window = Window::open(width, 800.0, egui::Theme::Dark);
        let wide = |w: &Window, name: &str| {
            let node = w.harness.get_by_label(name);
            node.accesskit_node().numeric_value().expect("a width") as f32
        };
        for (side, other, key) in [
            (
                "Width of the request",
                "Width of the inspector",
                Key::ArrowRight,
            ),
            (
                "Width of the inspector",
                "Width of the request",
                Key::ArrowLeft,
            ),
        ] {
            let before = wide(&window, other);
            window.harness.get_by_label(side).focus();
            window.harness.run();
            for _ in 0..30 {
                window.harness.key_press(key);
                window.harness.run();
            }
            let (now, beside) = (wide(&window, side), wide(&window, other));
            assert_eq!(beside, before, "{other} at {width}");
            let centre = width - now - beside;
            assert!(centre >= 559.9, "{side} at {width}: {now}, {centre} left");
            assert!(centre < 561.0 || now == 560.0, "{side} at {width}: {now}");
            window.send(Action::Ui(UiCommand::UsualWidths));
        }
    }
    // Dragged far beyond: the same.
    let mut window = Window::open(1280.0, 800.0, egui::Theme::Dark);
    let right = window.harness.get_by_label("Width of the inspector").rect();
    let edge = window
        .harness
        .get_by_label("Width of the request")
        .rect()
        .center();
    window.harness.drag_at(edge);
    window.harness.hover_at(edge + egui::vec2(600.0, 0.0));
    window.harness.step();
    window.harness.drop_at(edge + egui::vec2(600.0, 0.0));
    window.settle();
    let after = window.harness.get_by_label("Width of the inspector").rect();
    assert_eq!(right, after);
    // Without the other panel there is more room.
    window.send(Action::Ui(UiCommand::ToggleInspector));
    window.harness.get_by_label("Width of the request").focus();
    window.harness.run();
    for _ in 0..30 {
        window.key(Modifiers::NONE, Key::ArrowRight);
    }
    let node = window.harness.get_by_label("Width of the request");
    assert_eq!(node.accesskit_node().numeric_value(), Some(560.0));
}

#[test]
fn a_path_is_for_the_tab_it_was_asked_from() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("first.toml");
    let mut window = Window::usual();
    let first = window.tab().id;
    let text = |w: &Window| w.request().model;
    let model = text(&window);
    let images = crate::support::window::backend().examples();
    let images = images.into_iter().find(|r| r.model == "resnet50");
    window.send(Action::NewFrom(Box::new(images.expect("an example"))));
    let second = window.tab().id;
    window.send(Action::ShowTab(0));
    window.click("BF16");
    window.send(Action::TypePath(PathPurpose::SavePlan));
    // Another tab comes to the front while the path is typed.
    window.send(Action::ShowTab(1));
    assert_eq!(window.tab().id, second);
    window.type_into("Path", &path.display().to_string());
    window.key(Modifiers::NONE, Key::Enter);
    assert!(window.notice().starts_with("Saved "), "{}", window.notice());
    let saved = std::fs::read_to_string(&path).expect("a plan");
    assert!(saved.contains(&model), "{saved}");
    let tabs = &window.harness.state().state().tabs;
    let of = |id: u64| tabs.iter().find(|t| t.id == id).expect("a tab");
    assert!(of(first).path.is_some() && !of(first).is_changed());
    assert!(of(second).path.is_none());
    assert_eq!(window.tab().id, second, "saving changed the tab shown");
    // A path that does not work is put right over the tab it is about.
    window.send(Action::ShowTab(0));
    window.send(Action::TypePath(PathPurpose::ExportCsv));
    window.send(Action::ShowTab(1));
    window.type_into("Path", "/nowhere/at/all.csv");
    window.key(Modifiers::NONE, Key::Enter);
    assert_eq!(window.tab().id, first);
    assert!(window.shows("The folder does not exist"));
    // The tab may be gone by then: nothing of another is written under its name.
    let other = folder.path().join("gone.toml");
    window.send(Action::CloseDialog);
    window.send(Action::TypePath(PathPurpose::SavePlan));
    window.send(Action::CloseTab(0));
    window.type_into("Path", &other.display().to_string());
    window.key(Modifiers::NONE, Key::Enter);
    assert!(
        window.notice().contains("its plan is closed"),
        "{}",
        window.notice()
    );
    assert!(!other.exists());
}
