//! The built-in scenes as pictures to choose from. The pictures are drawn while one looks, by a thread
//! of their own.

use crate::pictures::{HEIGHT, Pictures, WIDTH};
use eframe::egui;
use pliant_scene::{gallery, parse};

/// One scene.
struct Card {
    name: &'static str,
    description: String,
    picture: Option<egui::TextureHandle>,
}

/// All scenes.
pub struct Gallery {
    cards: Vec<Card>,
    pictures: Pictures,
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
        let wake = context.clone();
        let card = |scene: &pliant_scene::GalleryScene| Card {
            name: scene.name,
            description: parse(scene.text, scene.name)
                .map_or(String::new(), |parsed| parsed.description),
            picture: None,
        };
        Self {
            cards: gallery().iter().map(card).collect(),
            pictures: Pictures::start(move || wake.request_repaint()),
            wanted: String::new(),
        }
    }

    /// How many pictures are drawn.
    #[cfg(target_arch = "wasm32")]
    pub fn picture_count(&self) -> usize {
        let cards = self.cards.iter();
        cards.filter(|card| card.picture.is_some()).count()
    }

    /// Shows the scenes; gives the one that was chosen.
    pub fn show(&mut self, ui: &mut egui::Ui) -> Option<String> {
        while let Some((index, bytes)) = self.pictures.next() {
            let image = egui::ColorImage::from_rgba_unmultiplied([WIDTH, HEIGHT], &bytes);
            let options = egui::TextureOptions::LINEAR;
            let Some(card) = self.cards.get_mut(index) else {
                continue;
            };
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
