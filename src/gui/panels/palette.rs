//! The command palette: commands, models and accelerators under one search.

use super::picker::{Choice, List, found_accelerators, found_models, line_ui, rank};
use super::request::has_images;
use super::scene::Scene;
use crate::gui::command::{Action, UiCommand};
use crate::gui::places::{FIELDS, KEYS, PALETTE, Place, other_words};
use crate::gui::shortcuts::keys_text;
use crate::gui::state::View;
use crate::gui::theme::Tokens;
use crate::gui::widgets::{Edit, most_height, search_box};
use crate::gui::words::quoted;
use egui::{Area, Id, Key, LayerId, Order, Sense, Ui, vec2};

/// How the commands that show a view begin.
const SHOW: &str = "Show ";

/// What a line does.
#[derive(Clone)]
enum Deed {
    Run(UiCommand),
    GoTo(Place),
    Model(String),
    Accelerator(String),
    Select(usize),
}

/// Draws the palette while it is open.
pub fn palette_ui(ui: &mut Ui, cx: &mut Scene<'_>) {
    let Some(text) = cx.state.palette.clone() else {
        return;
    };
    let t = Tokens::of(ui);
    let screen = ui.max_rect();
    let width = 560.0f32.min(screen.width() - 40.0);
    let frame = egui::Frame::popup(ui.style())
        .fill(t.raised)
        .inner_margin(8.0)
        .corner_radius(8.0);
    // What lies beneath steps back: half of a headline beside the list would be read with it.
    let below = LayerId::new(Order::Middle, Id::unique("palette-ground"));
    ui.ctx()
        .layer_painter(below)
        .rect_filled(screen, 0.0, t.window.gamma_multiply(0.6));
    let shown = Area::new(Id::unique("palette"))
        .order(Order::Foreground)
        .fixed_pos(screen.center_top() + vec2(-width / 2.0, 64.0))
        .show(ui.ctx(), |ui| {
            frame.show(ui, |ui| {
                ui.set_width(width - 16.0);
                contents_ui(ui, cx, &text);
            });
        });
    let clicked_elsewhere = ui.input(|i| {
        i.pointer.any_pressed()
            && i.pointer
                .interact_pos()
                .is_some_and(|p| !shown.response.rect.contains(p))
    });
    if clicked_elsewhere || ui.input(|i| i.key_pressed(Key::Escape)) {
        cx.send(Action::CloseDialog);
    }
}

fn contents_ui(ui: &mut Ui, cx: &mut Scene<'_>, text: &str) {
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), 28.0), Sense::hover());
    let (edit, id) = search_box(
        ui,
        rect,
        PALETTE.title,
        text,
        "A command, a field, a model or an accelerator",
    );
    if !ui.memory(|m| m.has_focus(id)) {
        ui.memory_mut(|m| m.request_focus(id));
    }
    let cursor_id = Id::unique("palette-cursor");
    let mut cursor: usize = ui.data(|d| d.get_temp(cursor_id)).unwrap_or(0);
    let mut moved = false;
    if let Edit::To(new) = edit {
        (cursor, moved) = (0, true);
        cx.send(Action::PaletteText(new));
    }
    let lines = lines_of(ui, cx, text);
    let (down, up, enter) = ui.input(|i| {
        (
            i.key_pressed(Key::ArrowDown),
            i.key_pressed(Key::ArrowUp),
            i.key_pressed(Key::Enter),
        )
    });
    cursor = (cursor + usize::from(down))
        .min(lines.len().saturating_sub(1))
        .saturating_sub(usize::from(up));
    moved |= down || up;
    let mut chosen = enter
        .then(|| lines.get(cursor).map(|l| l.1.clone()))
        .flatten();
    ui.add_space(4.0);
    let list = List {
        lines: lines.len(),
        height: 336.0_f32.min(most_height(ui) - 72.0),
        cursor: moved.then_some(cursor),
    };
    list.show(ui, |ui, i| {
        if let Some((choice, deed)) = lines.get(i)
            && line_ui(ui, choice, i == cursor).clicked()
        {
            chosen = Some(deed.clone());
        }
    });
    if lines.is_empty() {
        let text = format!("Nothing is called {}", quoted(text));
        ui.colored_label(Tokens::of(ui).sub, text);
    }
    if chosen.is_some() {
        cursor = 0;
    }
    ui.data_mut(|d| d.insert_temp(cursor_id, cursor));
    match chosen {
        Some(Deed::Run(command)) => {
            cx.send(Action::CloseDialog);
            cx.run(command);
        }
        Some(Deed::GoTo(place)) => {
            cx.send(Action::CloseDialog);
            cx.send(Action::GoTo(place));
        }
        Some(Deed::Model(name)) => {
            cx.send(Action::CloseDialog);
            cx.send(Action::SetModel(name));
        }
        Some(Deed::Accelerator(name)) => {
            cx.send(Action::CloseDialog);
            cx.edit("accelerators", |r| {
                if !r.accelerators.contains(&name) {
                    r.accelerators.push(name);
                }
            });
        }
        Some(Deed::Select(index)) => {
            cx.send(Action::CloseDialog);
            cx.send(Action::Select(index));
        }
        None => {}
    }
}

/// The quickest run of the plan on an accelerator.
fn quickest_on(cx: &Scene<'_>, name: &str) -> Option<usize> {
    let combinations = cx.plan()?.combinations.iter().enumerate();
    let on = combinations.filter(|(_, c)| c.accelerator.name == name);
    let timed = on.filter_map(|(at, c)| Some((at, c.run()?.total_time_h.value)));
    let least = timed.min_by(|a, b| a.1.total_cmp(&b.1));
    least.map(|(at, _)| at)
}

/// What a line is found by: a field by its name, whatever stands before it in the list.
fn words_of((choice, deed): &(Choice, Deed)) -> (&str, &str) {
    match deed {
        Deed::GoTo(place) => (place.title, choice.key.as_str()),
        // Whoever types the name of a view means the view, not another command that begins like it.
        Deed::Run(command) if View::ALL.iter().any(|view| view.command() == *command) => {
            let label = choice.label.as_str();
            let view = label.strip_prefix(SHOW).unwrap_or(label);
            (view, choice.key.as_str())
        }
        _ => (choice.label.as_str(), choice.key.as_str()),
    }
}

/// Other words that people look for a command by.
fn words_for(command: UiCommand) -> &'static str {
    match command {
        UiCommand::ExportHtml => "print page pdf html share",
        UiCommand::ExportCsv | UiCommand::ExportShownCsv => "spreadsheet excel table download",
        UiCommand::SaveChart | UiCommand::CopyChart => "picture image png screenshot",
        UiCommand::HowToRead => "help guide manual explain legend",
        UiCommand::Shortcuts => "help hotkeys keybindings",
        UiCommand::NextRegion | UiCommand::PreviousRegion => "focus panel request inspector help",
        UiCommand::OpenPlan => "own model config.json hugging face import file",
        UiCommand::OpenRuns => "calibrate measured csv evaluate judge own runs",
        UiCommand::NewPlan => "start example blank fine-tuning pre-training",
        _ => "",
    }
}

/// The fields that the request has now.
fn places_of(cx: &Scene<'_>) -> impl Iterator<Item = Place> {
    let request = cx.tab.request.as_ref();
    let model = request.and_then(|r| cx.backend.model(&r.model));
    let is_sequence = model.is_none_or(|m| m.is_sequence);
    let has_decoder = model.is_some_and(|m| m.has_decoder);
    let has_epochs = request.is_some_and(|r| r.train.epochs.is_some());
    // Nobody sells what is one's own.
    let tier = request.and_then(|r| r.prices.as_ref()?.tier.as_deref());
    let is_owned = tier == Some("owned");
    FIELDS.into_iter().filter(move |place| match place.names {
        ["Data set"] => has_epochs,
        ["From"] => !is_owned,
        ["Sequence" | "Trained"] => is_sequence,
        ["Decoder"] => has_decoder,
        ["Image side"] => !is_sequence && request.is_some_and(|r| has_images(cx, r)),
        _ => true,
    })
}

/// Names of the accelerators that the request has: they are not to be added again.
fn planned_parts(cx: &Scene<'_>) -> Vec<String> {
    let request = cx.tab.request.as_ref();
    let names = request.into_iter().flat_map(|r| r.accelerators.iter());
    let parts = names.filter_map(|name| cx.backend.accelerator(name));
    parts.map(|part| part.name.clone()).collect()
}

fn is_of_keys(text: &str) -> bool {
    text.trim() == KEYS
}

fn lines_of(ui: &Ui, cx: &Scene<'_>, text: &str) -> Vec<(Choice, Deed)> {
    let mut commands = UiCommand::ALL;
    // Whoever looks for a theme means the other one.
    let in_use = match ui.visuals().dark_mode {
        true => UiCommand::DarkTheme,
        false => UiCommand::LightTheme,
    };
    commands.sort_by_key(|command| *command == in_use);
    let commands: Vec<(Choice, Deed)> = commands
        .into_iter()
        // Nor the list of keys in the list of keys.
        .filter(|c| *c != UiCommand::Palette && !(*c == UiCommand::Shortcuts && is_of_keys(text)))
        .map(|c| {
            let keys = c
                .shortcut()
                .map_or_else(String::new, |k| keys_text(ui.ctx(), &k));
            // Whoever looks for keys finds every command that has some.
            let by_key = if keys.is_empty() { "" } else { KEYS };
            let choice = Choice {
                key: format!("{} {} {by_key}", c.text(), words_for(c)),
                label: c.text().to_owned(),
                detail: keys,
            };
            (choice, Deed::Run(c))
        })
        .collect();
    let fields = places_of(cx).map(|place| {
        let choice = Choice {
            key: format!("go to field {}", other_words(place.title)),
            label: format!("Go to: {}", place.title),
            detail: "field".to_owned(),
        };
        (choice, Deed::GoTo(place))
    });
    let all: Vec<(Choice, Deed)> = commands.into_iter().chain(fields).collect();
    let mut out: Vec<(Choice, Deed)> = rank(all.iter(), text, words_of)
        .into_iter()
        .cloned()
        .collect();
    if text.trim().is_empty() {
        return out;
    }
    let planned = planned_parts(cx);
    // The line begins with the word, so whoever types it means the part that follows.
    let named = text.trim_start();
    let adds = named.get(..4).filter(|w| w.eq_ignore_ascii_case("add "));
    let named = adds.map_or(named, |_| &named[4..]);
    let parts = found_accelerators(cx.backend, named);
    for a in parts.iter().filter(|a| planned.contains(&a.name)) {
        let Some(at) = quickest_on(cx, &a.name).filter(|_| adds.is_none()) else {
            continue;
        };
        let choice = Choice {
            key: String::new(),
            label: format!("Select the quickest run on {}", a.label),
            detail: "in this plan".to_owned(),
        };
        out.push((choice, Deed::Select(at)));
    }
    let others = parts.iter().filter(|a| !planned.contains(&a.name));
    for a in others.take(20) {
        let choice = Choice {
            key: String::new(),
            label: format!("Add {}", a.label),
            detail: "accelerator".to_owned(),
        };
        out.push((choice, Deed::Accelerator(a.name.clone())));
    }
    for (m, label) in found_models(cx.backend.models(), text).take(60) {
        let choice = Choice {
            key: String::new(),
            label,
            detail: "model".to_owned(),
        };
        out.push((choice, Deed::Model(m.name.clone())));
    }
    out
}
