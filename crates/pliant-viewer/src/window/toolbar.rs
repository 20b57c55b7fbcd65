//! The buttons at the upper edge: time, speed, tools, view.

use super::app::App;
use super::gallery::Gallery;
use crate::keys::{Action, BINDINGS, Grip};
use crate::pace::{SPEEDS, speed_words};
use crate::request::Request;
use eframe::egui;
use pliant_render::{Look, field_names};

/// The tools: what the plain left button does.
const TOOLS: [(Grip, &str, &str); 7] = [
    (Grip::Rotate, "Rotate", "Drag turns the view"),
    (
        Grip::Pull,
        "Pull",
        "Drag takes hold of a body (or hold Ctrl)",
    ),
    (
        Grip::Fix,
        "Fix",
        "Click fixes a particle or releases it (or hold Ctrl while paused)",
    ),
    (
        Grip::Push,
        "Push",
        "Hold pushes; the longer, the stronger (or hold Ctrl and Shift)",
    ),
    (
        Grip::Heat,
        "Heat",
        "Hold heats a body: it softens and melts, or flows so that it can be moulded",
    ),
    (
        Grip::Cool,
        "Cool",
        "Hold cools a body: what was moulded keeps its shape and is elastic again",
    ),
    (
        Grip::Tear,
        "Tear",
        "A stroke across a body tears it along the stroke",
    ),
];

/// Shows the toolbar.
pub fn show(app: &mut App, ui: &mut egui::Ui) {
    egui::Panel::top("toolbar").show(ui, |ui| {
        ui.horizontal_wrapped(|ui| {
            // All of it is to fit into one line of a window of usual width.
            ui.spacing_mut().item_spacing.x = 5.0;
            time_buttons(app, ui);
            ui.separator();
            speed(app, ui);
            ui.separator();
            for (tool, name, hint) in TOOLS {
                ui.selectable_value(&mut app.tool, tool, name)
                    .on_hover_text(hint);
            }
            ui.separator();
            look(app, ui);
            if ui.button("Show all").on_hover_text("Home").clicked() {
                app.act(Action::FrameAll, ui.ctx());
            }
            if app.is_planar {
                ui.toggle_value(&mut app.switches.strobe, "Strobe")
                    .on_hover_text("T: shows where curves were, ten times per second");
            }
            super::compare::menu(app, ui);
            ui.separator();
            if ui.button("Gallery").on_hover_text("All built-in scenes").clicked() {
                app.ask(Request::Run(false));
                app.gallery = Some(Gallery::new(ui.ctx()));
            }
            if ui.button("Save").on_hover_text("The scene as it stands, and what was done as a recording that replays to the bit").clicked() {
                app.act(Action::Save, ui.ctx());
            }
            super::film::button(app, ui);
            more(app, ui);
            if ui.button("Help").on_hover_text("F1").clicked() {
                app.act(Action::Help, ui.ctx());
            }
        });
    });
}

/// Everything that a key does, as buttons with their keys, and the tools that are seldom needed.
fn more(app: &mut App, ui: &mut egui::Ui) {
    ui.menu_button("More", |ui| {
        for (tool, name) in [
            (Grip::Zoom, "drag zooms"),
            (Grip::Pan, "drag shifts the view"),
        ] {
            if ui.selectable_label(app.tool == tool, name).clicked() {
                app.tool = tool;
            }
        }
        ui.separator();
        let mut done = Vec::new();
        for binding in BINDINGS {
            // Some have two keys.
            if done.contains(&binding.action) {
                continue;
            }
            done.push(binding.action);
            let button = egui::Button::new(binding.meaning).shortcut_text(binding.name);
            if ui.add(button).clicked() {
                app.act(binding.action, ui.ctx());
                ui.close();
            }
        }
    });
}

fn time_buttons(app: &mut App, ui: &mut egui::Ui) {
    let is_running = app.is_running();
    let name = if is_running { "Pause" } else { "Start" };
    for (text, action, hint) in [
        ("Reset", Action::Reset, "R or Backspace"),
        ("Back", Action::StepBack, "One step back: left arrow"),
        (name, Action::StartPause, "Space"),
        ("Step", Action::StepForward, "One step: right arrow"),
    ] {
        let wide = egui::Button::new(text).min_size(egui::vec2(44.0, 0.0));
        if ui.add(wide).on_hover_text(hint).clicked() {
            app.act(action, ui.ctx());
        }
    }
}

fn speed(app: &mut App, ui: &mut egui::Ui) {
    let asked = app.shown.as_ref().map_or(1.0, |shown| shown.speed);
    let factor = app
        .shown
        .as_ref()
        .map_or(0.0, |shown| shown.real_time_factor);
    let mut power = asked.log2();
    let range = SPEEDS[0].log2()..=SPEEDS[1].log2();
    ui.spacing_mut().slider_width = 60.0;
    let slider = egui::Slider::new(&mut power, range)
        .step_by(1.0)
        .show_value(false);
    let response = ui.add(slider).on_hover_text("Speed: + and -");
    if response.changed() {
        app.ask(Request::Speed(power.exp2()));
    }
    let text = format!("{:>4}×", speed_words(asked));
    ui.monospace(text)
        .on_hover_text("Simulated seconds per second that are asked for");
    let actual = match app.is_running() {
        true => format!("is {factor:.2}"),
        // As wide, so that nothing moves.
        false => "paused ".to_owned(),
    };
    let is_slow = app.is_running() && factor > 0.0 && factor < 0.8 * asked;
    let color = match is_slow {
        true => egui::Color32::from_rgb(200, 90, 0),
        false => ui.visuals().weak_text_color(),
    };
    ui.label(egui::RichText::new(actual).monospace().color(color))
        .on_hover_text("The actual real-time factor");
}

fn look(app: &mut App, ui: &mut egui::Ui) {
    let mut choices: Vec<(String, Option<Look>)> = vec![
        ("Scene's look".to_owned(), None),
        ("Shaded".to_owned(), Some(Look::Shaded)),
        ("Wireframe".to_owned(), Some(Look::Wireframe)),
        ("Particles and forces".to_owned(), Some(Look::Particles)),
        ("Threads".to_owned(), Some(Look::Threads)),
        ("Net".to_owned(), Some(Look::Net)),
        ("Blobs".to_owned(), Some(Look::Blobby)),
    ];
    if let Some(shown) = &app.shown {
        for name in field_names(&shown.frame) {
            let look = Look::Field(name.to_owned());
            choices.push((format!("Colours: {name}"), Some(look)));
        }
    }
    let now = match (app.switches.debug, app.switches.wireframe) {
        (true, _) => Some(Look::Particles),
        (false, true) => Some(Look::Wireframe),
        (false, false) => app.look.clone(),
    };
    let selected = choices.iter().find(|(_, look)| *look == now);
    let selected = selected
        .map_or("Look", |(name, _)| name.as_str())
        .to_owned();
    let mut chosen = None;
    egui::ComboBox::from_id_salt("look")
        .selected_text(selected)
        .width(96.0)
        .show_ui(ui, |ui| {
            for (name, look) in choices {
                if ui.selectable_label(look == now, name).clicked() {
                    chosen = Some(look);
                }
            }
        });
    if let Some(look) = chosen {
        app.switches.debug = false;
        app.switches.wireframe = false;
        app.look = look;
        app.apply_look();
    }
}

/// Writes the scene and the recording beside each other, under names that are free.
pub fn save(app: &mut App, context: &egui::Context) {
    let name = app.scene.name.clone();
    let free = (0..10_000).find_map(|number| {
        let stem = format!("{name}-{number:03}");
        let scene = std::path::PathBuf::from(format!("{stem}.xml"));
        let recording = std::path::PathBuf::from(format!("{stem}.json"));
        (!scene.exists() && !recording.exists()).then_some((scene, recording))
    });
    match free {
        Some((scene, recording)) => {
            app.ask(Request::SaveScene(scene));
            app.ask(Request::SaveRecording(recording));
        }
        None => app.say(context, "there is no free name to save it under"),
    }
}
