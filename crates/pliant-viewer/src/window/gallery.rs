//! The built-in scenes as pictures to choose from. The pictures are drawn while one looks, by a thread
//! of their own.

use crate::player::{Outcome, Player};
use eframe::egui;
use pliant_render::{PictureOptions, draw};
use pliant_scene::{gallery, parse};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

const WIDTH: usize = 256;
const HEIGHT: usize = 160;

/// How long a scene may move before its picture is taken, in seconds of the wall.
const PATIENCE: Duration = Duration::from_millis(400);

/// How long a scene moves before its picture is taken, in simulated seconds.
const MOVES: f64 = 1.0;

/// One scene.
struct Card {
    name: &'static str,
    description: String,
    picture: Option<egui::TextureHandle>,
}

/// All scenes.
pub struct Gallery {
    cards: Vec<Card>,
    pictures: Receiver<(usize, Vec<u8>)>,
    stop: Arc<AtomicBool>,
    wanted: String,
}

impl std::fmt::Debug for Gallery {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Gallery({} scenes)", self.cards.len())
    }
}

impl Gallery {
    /// Begins to draw the pictures.
    pub fn new(context: &egui::Context) -> Self {
        let (outbox, pictures) = mpsc::channel();
        let stop = Arc::new(AtomicBool::new(false));
        let (is_over, wake) = (Arc::clone(&stop), context.clone());
        let thread = std::thread::Builder::new().name("pictures".to_owned());
        // Without the thread there are names without pictures.
        let _ = thread.spawn(move || {
            for (index, scene) in gallery().iter().enumerate() {
                if is_over.load(Ordering::Relaxed) {
                    return;
                }
                if let Some(picture) = picture(scene.name, &is_over)
                    && outbox.send((index, picture)).is_ok()
                {
                    wake.request_repaint();
                }
            }
        });
        let card = |scene: &pliant_scene::GalleryScene| Card {
            name: scene.name,
            description: parse(scene.text, scene.name).map_or(String::new(), |own| own.description),
            picture: None,
        };
        Self {
            cards: gallery().iter().map(card).collect(),
            pictures,
            stop,
            wanted: String::new(),
        }
    }

    /// Shows the scenes; gives the one that was chosen.
    pub fn show(&mut self, ui: &mut egui::Ui) -> Option<String> {
        while let Ok((index, bytes)) = self.pictures.try_recv() {
            let image = egui::ColorImage::from_rgba_unmultiplied([WIDTH, HEIGHT], &bytes);
            let options = egui::TextureOptions::LINEAR;
            let card = &mut self.cards[index];
            card.picture = Some(ui.ctx().load_texture(card.name, image, options));
        }
        let mut chosen = None;
        egui::CentralPanel::default().show(ui, |ui| {
            ui.horizontal(|ui| {
                ui.heading("Pliant: choose a scene");
                ui.add_space(16.0);
                let hint = "find, or type the path of a scene file";
                let edit = egui::TextEdit::singleline(&mut self.wanted)
                    .hint_text(hint)
                    .desired_width(300.0);
                let typed = ui.add(edit);
                let entered = ui.ctx().input(|input| input.key_pressed(egui::Key::Enter));
                if typed.lost_focus() && entered && !self.wanted.trim().is_empty() {
                    chosen = Some(self.wanted.trim().to_owned());
                }
                ui.weak("or drop a file on the window");
            });
            ui.add_space(6.0);
            egui::ScrollArea::vertical()
                .auto_shrink(false)
                .show(ui, |ui| {
                    ui.horizontal_wrapped(|ui| {
                        let wanted = self.wanted.to_lowercase();
                        for card in &self.cards {
                            let text = format!("{} {}", card.name, card.description).to_lowercase();
                            if text.contains(&wanted) && show_card(ui, card) {
                                chosen = Some(card.name.to_owned());
                            }
                        }
                    });
                });
        });
        chosen
    }
}

impl Drop for Gallery {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

/// One scene; says whether it was chosen.
fn show_card(ui: &mut egui::Ui, card: &Card) -> bool {
    let size = egui::vec2(WIDTH as f32 * 0.78, HEIGHT as f32 * 0.78 + 24.0);
    let (rect, response) = ui.allocate_exact_size(size, egui::Sense::click());
    if !ui.is_rect_visible(rect) {
        return false;
    }
    let canvas = ui.painter_at(rect);
    let (fill, edge) = match response.hovered() {
        true => (
            egui::Color32::from_rgb(255, 240, 224),
            egui::Color32::from_rgb(232, 112, 20),
        ),
        false => (egui::Color32::from_gray(246), egui::Color32::from_gray(214)),
    };
    canvas.rect(
        rect,
        5.0,
        fill,
        egui::Stroke::new(1.0, edge),
        egui::StrokeKind::Inside,
    );
    let picture = egui::Rect::from_min_max(
        rect.min + egui::vec2(3.0, 3.0),
        egui::pos2(rect.right() - 3.0, rect.bottom() - 24.0),
    );
    match &card.picture {
        Some(texture) => {
            let whole = egui::Rect::from_min_max(egui::Pos2::ZERO, egui::pos2(1.0, 1.0));
            canvas.image(texture.id(), picture, whole, egui::Color32::WHITE);
        }
        None => {
            let (font, grey) = (
                egui::FontId::proportional(12.0),
                egui::Color32::from_gray(170),
            );
            canvas.text(
                picture.center(),
                egui::Align2::CENTER_CENTER,
                "…",
                font,
                grey,
            );
        }
    }
    let font = egui::FontId::proportional(13.0);
    let place = egui::pos2(rect.center().x, rect.bottom() - 12.0);
    let ink = egui::Color32::from_gray(50);
    canvas.text(place, egui::Align2::CENTER_CENTER, card.name, font, ink);
    response.on_hover_text(&card.description).clicked()
}

/// A picture of a scene after it has moved a little.
fn picture(name: &str, stop: &AtomicBool) -> Option<Vec<u8>> {
    let mut player = Player::open(name, &[], 0).ok()?;
    let start = Instant::now();
    while start.elapsed() < PATIENCE && player.world().time < MOVES {
        if stop.load(Ordering::Relaxed) || player.step() != Outcome::Taken {
            break;
        }
    }
    let frame = player.frame();
    let mut stage = player.stage(None).ok()?;
    let list = stage.list(&frame).ok()?;
    let options = PictureOptions {
        width: WIDTH,
        height: HEIGHT,
        background: stage.background,
        ..PictureOptions::default()
    };
    let picture = draw(&list, &stage.camera, &stage.lights, &options);
    Some(picture.bytes().to_vec())
}
