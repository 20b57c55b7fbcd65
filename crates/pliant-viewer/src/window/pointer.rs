//! What the mouse and fingers do in the picture.

use super::app::App;
use super::overlay::Sheet;
use crate::keys::{Grip, Held, grip};
use crate::pick::{Hit, Ray, pick};
use crate::push;
use crate::request::{Request, Shown};
use eframe::egui;
use glam::DVec3;
use pliant::body::Blade;

/// Radians that the view turns per point that the mouse moves.
const TURN: f64 = 0.006;

/// The shortest part of a stroke, in points.
const SHORTEST_STROKE: f32 = 3.0;

/// What is going on between press and release.
#[derive(Clone, Copy, Debug, Default)]
enum Doing {
    #[default]
    Nothing,
    /// The view moves.
    View(Grip),
    /// A point is pulled.
    Pull { handle: u32, point: DVec3 },
    /// A push is prepared, since that time.
    Push { hit: Hit, since: f64 },
    /// A body is heated (or cooled) at the pointer, until now up to that time.
    Heat { is_hot: bool, until: f64 },
    /// A stroke tears, from there on.
    Tear { from: egui::Pos2 },
}

/// The mouse or a finger.
#[derive(Clone, Debug, Default)]
pub struct Pointer {
    doing: Doing,
    /// What is under it, if that can be taken hold of.
    hover: Option<Hit>,
    last_handle: u32,
    last_target: Option<DVec3>,
    now: f64,
    place: Option<egui::Pos2>,
    /// The way of a stroke so far.
    stroke: Vec<egui::Pos2>,
}

impl Pointer {
    /// Whether nothing is going on between press and release.
    pub fn is_idle(&self) -> bool {
        matches!(self.doing, Doing::Nothing)
    }

    /// Shows what is under the pointer and how strong a push has become.
    pub fn show(&self, sheet: &Sheet, shown: &Shown) {
        if let Some(hit) = &self.hover {
            let body = shown.frame.bodies.get(hit.body);
            let fits = body.is_some_and(|body| {
                hit.stencil
                    .nodes
                    .iter()
                    .all(|node| *node < body.positions.len())
            });
            let point = match (fits, body) {
                (true, Some(body)) => hit.stencil.point(&body.positions),
                _ => hit.point,
            };
            sheet.target(point);
        }
        match self.doing {
            Doing::Push { hit, since } => sheet.push(hit.point, push::strength(self.now - since)),
            Doing::Heat { is_hot, .. } => {
                if let Some(place) = self.place {
                    sheet.flame(place, is_hot);
                }
            }
            Doing::Tear { .. } => sheet.stroke(&self.stroke),
            _ => {}
        }
    }
}

fn held_of(modifiers: egui::Modifiers) -> Held {
    Held {
        alt: modifiers.alt,
        shift: modifiers.shift,
        control: modifiers.command || modifiers.ctrl,
    }
}

/// Where the left button was pressed since the last picture, with the keys that were held then: a quick
/// hand has released both before the next picture.
fn press_of(context: &egui::Context) -> Option<(egui::Pos2, Held)> {
    context.input(|input| {
        input.events.iter().find_map(|event| match event {
            egui::Event::PointerButton {
                pos,
                button: egui::PointerButton::Primary,
                pressed: true,
                modifiers,
            } => Some((*pos, held_of(*modifiers))),
            _ => None,
        })
    })
}

impl App {
    /// Takes in what mouse and fingers did since the last picture.
    pub(super) fn take_pointer(
        &mut self,
        ui: &egui::Ui,
        rect: egui::Rect,
        response: &egui::Response,
    ) {
        let context = ui.ctx();
        self.pointer.now = context.input(|input| input.time);
        if let Some(touch) = context.input(egui::InputState::multi_touch) {
            self.leave_off();
            self.orbit.zoom(1.0 / f64::from(touch.zoom_delta.max(0.01)));
            let shift = touch.translation_delta;
            let height = f64::from(rect.height());
            self.orbit
                .pan(f64::from(shift.x), f64::from(shift.y), height);
            self.redraw();
            return;
        }
        if response.contains_pointer() {
            self.take_wheel(context);
        }
        let (place, held) =
            context.input(|input| (input.pointer.latest_pos(), held_of(input.modifiers)));
        let Some(place) = place else {
            self.pointer.hover = None;
            return;
        };
        self.pointer.place = Some(place);
        let is_touch = context.input(egui::InputState::any_touches);
        self.look_under(rect, place, held, response.contains_pointer(), is_touch);
        let [down, released, other] = context.input(|input| {
            let pointer = &input.pointer;
            let other = pointer.button_down(egui::PointerButton::Middle)
                || pointer.button_down(egui::PointerButton::Secondary);
            [pointer.primary_down(), pointer.primary_released(), other]
        });
        if let Some((place, held)) = press_of(context)
            && response.contains_pointer()
        {
            self.press(rect, place, held, is_touch);
        }
        if down {
            self.drag(context, rect, place);
        }
        if released || !down {
            self.release(held.alt || self.switches.keeps_pulls);
        }
        if other && response.dragged() {
            self.move_view(Grip::Pan, response.drag_delta(), rect);
        }
        if !matches!(self.pointer.doing, Doing::Nothing) {
            context.request_repaint();
        }
    }

    fn take_wheel(&mut self, context: &egui::Context) {
        let (scroll, zoom) =
            context.input(|input| (input.smooth_scroll_delta().y, input.zoom_delta()));
        let factor = f64::from(-scroll * 0.0025).exp() / f64::from(zoom.max(0.01));
        if factor != 1.0 {
            self.orbit.zoom(factor);
            self.redraw();
        }
    }

    fn hit(&self, rect: egui::Rect, place: egui::Pos2) -> Option<Hit> {
        let second = self
            .second
            .as_ref()
            .and_then(|second| second.shown.as_ref());
        let shown = match self.looks_right {
            true => second?,
            false => self.shown.as_ref()?,
        };
        let ray = self.ray(rect, place);
        pick(&ray, &shown.frame, &shown.carriers)
    }

    /// Finds what can be taken hold of, if a press would.
    fn look_under(
        &mut self,
        rect: egui::Rect,
        place: egui::Pos2,
        held: Held,
        is_over: bool,
        is_touch: bool,
    ) {
        let wanted = grip(held, self.tool, self.is_running());
        let takes_hold = matches!(
            wanted,
            Grip::Pull | Grip::Fix | Grip::Push | Grip::Heat | Grip::Cool
        );
        let is_idle = matches!(self.pointer.doing, Doing::Nothing);
        self.pointer.hover = match is_over && takes_hold && is_idle && !is_touch {
            true => self.hit(rect, place),
            false => None,
        };
    }

    fn press(&mut self, rect: egui::Rect, place: egui::Pos2, held: Held, is_touch: bool) {
        let mut wanted = grip(held, self.tool, self.is_running());
        if is_touch && wanted == Grip::Rotate {
            wanted = Grip::Pull;
        }
        let hit = match wanted {
            Grip::Pull | Grip::Fix | Grip::Push | Grip::Heat | Grip::Cool => self.hit(rect, place),
            _ => None,
        };
        let now = self.pointer.now;
        self.pointer.doing = match (wanted, hit) {
            (Grip::Pull, Some(hit)) => self.grab(hit),
            (Grip::Push, Some(hit)) => Doing::Push { hit, since: now },
            (Grip::Fix, Some(hit)) => {
                let (body, node) = (hit.body, hit.nearest_node());
                self.ask(Request::ToggleFixed { body, node });
                Doing::Nothing
            }
            // Beside all bodies the view is turned; that of a planar scene shifts, so that it stays flat.
            (Grip::Pull | Grip::Fix | Grip::Push | Grip::Heat | Grip::Cool, None) => {
                Doing::View(match self.is_planar {
                    true => Grip::Pan,
                    false => Grip::Rotate,
                })
            }
            (Grip::Heat | Grip::Cool, Some(_)) => Doing::Heat {
                is_hot: wanted == Grip::Heat,
                until: now,
            },
            (Grip::Tear, _) => {
                self.pointer.stroke = vec![place];
                Doing::Tear { from: place }
            }
            (view, _) => Doing::View(view),
        };
    }

    fn grab(&mut self, hit: Hit) -> Doing {
        let pulls = self.shown.as_ref().map_or(&[][..], |shown| &shown.pulls);
        let highest = pulls.iter().map(|pull| pull.handle).max().unwrap_or(0);
        let handle = self.pointer.last_handle.max(highest) + 1;
        self.pointer.last_handle = handle;
        self.pointer.last_target = None;
        self.ask(Request::Grab {
            handle,
            body: hit.body,
            stencil: hit.stencil,
            target: hit.point,
            strength: self.strength,
        });
        Doing::Pull {
            handle,
            point: hit.point,
        }
    }

    fn drag(&mut self, context: &egui::Context, rect: egui::Rect, place: egui::Pos2) {
        match self.pointer.doing {
            Doing::View(view) => {
                let delta = context.input(|input| input.pointer.delta());
                self.move_view(view, delta, rect);
            }
            Doing::Pull { handle, point } => {
                let ray = self.ray(rect, place);
                let target = self.orbit.on_plane(&ray, point);
                if self.pointer.last_target != Some(target) {
                    self.pointer.last_target = Some(target);
                    self.ask(Request::Drag { handle, target });
                }
            }
            Doing::Heat { is_hot, until } => {
                self.heat(rect, place, is_hot, until);
            }
            Doing::Tear { from } => self.tear(rect, from, place),
            Doing::Nothing | Doing::Push { .. } => {}
        }
    }

    fn heat(&mut self, rect: egui::Rect, place: egui::Pos2, is_hot: bool, until: f64) {
        let now = self.pointer.now;
        let seconds = (now - until).clamp(0.0, 0.1);
        if seconds < 0.015 {
            return;
        }
        self.pointer.doing = Doing::Heat { is_hot, until: now };
        if let Some(hit) = self.hit(rect, place) {
            self.ask(Request::Heat {
                body: hit.body,
                place: hit.point,
                seconds: if is_hot { seconds } else { -seconds },
            });
        }
    }

    /// A stroke tears what lies behind it: the triangle from the eye through both of its ends.
    fn tear(&mut self, rect: egui::Rect, from: egui::Pos2, to: egui::Pos2) {
        if from.distance(to) < SHORTEST_STROKE {
            return;
        }
        self.pointer.doing = Doing::Tear { from: to };
        self.pointer.stroke.push(to);
        let [first, second] = [from, to].map(|place| self.ray(rect, place));
        let reach = 1e4 * (self.orbit.camera.eye - self.orbit.camera.target).length();
        self.ask(Request::Cut(Blade {
            corners: [first.origin, first.at(reach), second.at(reach)],
        }));
    }

    fn ray(&self, rect: egui::Rect, place: egui::Pos2) -> Ray {
        let at = place - rect.min;
        let [x, y] = [at.x, at.y].map(f64::from);
        let [width, height] = [rect.width(), rect.height()].map(f64::from);
        self.orbit.ray(x, y, width, height)
    }

    fn move_view(&mut self, view: Grip, delta: egui::Vec2, rect: egui::Rect) {
        let (right, down) = (f64::from(delta.x), f64::from(delta.y));
        if right == 0.0 && down == 0.0 {
            return;
        }
        match view {
            Grip::Zoom => self.orbit.zoom((0.01 * down).exp()),
            Grip::Pan => self.orbit.pan(right, down, f64::from(rect.height())),
            _ => self.orbit.rotate(TURN * right, TURN * down),
        }
        self.redraw();
    }

    /// Ends what was going on; a pull may stay.
    /// Ends what one finger has begun before the second came: it was meant for the view.
    fn leave_off(&mut self) {
        if let Doing::Pull { handle, .. } = std::mem::take(&mut self.pointer.doing) {
            self.ask(Request::LetGo(handle));
        }
    }

    fn release(&mut self, keeps: bool) {
        match std::mem::take(&mut self.pointer.doing) {
            Doing::Pull { handle, .. } if !keeps => self.ask(Request::LetGo(handle)),
            Doing::Push { hit, since } => self.ask(Request::Push {
                body: hit.body,
                stencil: hit.stencil,
                strength: push::strength(self.pointer.now - since),
            }),
            _ => {}
        }
    }
}
