//! Heating, cooling and tearing by hand.
//!
//! What a body can do by itself is a command to the world. A body that cannot be torn or warmed gets the
//! process that it lacks in the text of the scene, so that the scene as it stands remains a scene file.

use crate::desk::Desk;
use crate::player::Player;
use crate::request::Notice;
use glam::DVec3;
use pliant::Body;
use pliant::body::Blade;
use pliant::command::{BodyValue, Command};
use pliant::process::Heat;
use pliant_session::Failure;
use pliant_session::body_path;

/// The radius of the flame, by the size of the body.
const FLAME: f64 = 0.12;

/// How long it takes to heat a body from the temperature of the air to where it melts, in seconds.
const HEATING_TIME: f64 = 0.6;

/// The temperature that a body is heated by if it neither softens nor melts, in kelvin.
const USUAL_RISE: f64 = 100.0;

/// What lets any body be torn by hand and by nothing else.
const TEARABLE: &str = r#"<Process type="Fracture" limit="1000000" />"#;

/// What makes any body thermoplastic.
const THERMOPLASTIC: &str = r#"<Process type="Maxwell" time="0.2" />"#;

impl Desk {
    /// Heats a body at a place for some seconds; negative cools.
    pub(crate) fn heat(&mut self, body: usize, place: DVec3, seconds: f64) -> Result<(), Failure> {
        let Some(player) = self.player_mut() else {
            return Ok(());
        };
        let Some(heated) = player.world().bodies.get(body) else {
            return Ok(());
        };
        let description = heated.description();
        if let Some(heat) = description.heat() {
            let radius = FLAME * heated.size();
            let kelvin = rise(heat) * (seconds / HEATING_TIME).clamp(-1.0, 1.0);
            return player.command(Command::Heat {
                body,
                place,
                radius,
                kelvin,
            });
        }
        let mut processes = description.processes.iter();
        let is_viscoelastic = processes.any(|process| process.is_viscoelastic());
        let number = f64::from(u8::from(seconds > 0.0));
        if is_viscoelastic {
            if is_warm(player, body) == (seconds > 0.0) {
                return Ok(());
            }
            player.command(Command::SetValue {
                body,
                value: BodyValue::Warmth,
                number,
            })?;
            return self.restage(false);
        }
        if seconds < 0.0 {
            let message = format!("{} is cold already: it is elastic", description.name);
            self.tell_once(message);
            return Ok(());
        }
        self.give_process(body, THERMOPLASTIC, "thermoplastic: mould it, then cool it")
    }

    /// Severs what crosses a blade, in every body that does.
    pub(crate) fn cut(&mut self, blade: &Blade) -> Result<(), Failure> {
        let Some(player) = self.player_mut() else {
            return Ok(());
        };
        let bodies = player.world().bodies.iter().enumerate();
        let crossed: Vec<usize> = bodies
            .filter(|(_, body)| crosses(body, blade))
            .map(|(index, _)| index)
            .collect();
        for body in crossed {
            // One that cannot be torn does not keep the others whole.
            if let Err(failure) = self.cut_body(body, blade) {
                self.notices.push(Notice::Refused(failure.to_string()));
            }
        }
        Ok(())
    }

    fn cut_body(&mut self, body: usize, blade: &Blade) -> Result<(), Failure> {
        let can_be_cut = |body: &Body| body.inelastic().is_some_and(|state| state.can_be_cut());
        let player = self.player();
        let found = player.and_then(|player| player.world().bodies.get(body));
        if !found.is_some_and(can_be_cut) {
            self.give_process(body, TEARABLE, "ready to be torn")?;
        }
        let blade = *blade;
        self.player_mut().map_or(Ok(()), |player| {
            player.command(Command::Cut { body, blade })
        })
    }

    /// Gives a body a process that it lacks.
    fn give_process(&mut self, body: usize, process: &str, what: &str) -> Result<(), Failure> {
        let Some(player) = self.player_mut() else {
            return Ok(());
        };
        let Some(changed) = player.world().bodies.get(body) else {
            return Ok(());
        };
        let name = changed.description().name.to_string();
        let path = body_path(player.text(), &name).ok_or_else(|| {
            Failure::Input(format!(
                "the scene has no element `Body` with the id `{name}`"
            ))
        })?;
        let anew = player.insert(&path, process)?;
        self.tell_once(format!("{name} is {what}"));
        self.tell_changed(&anew)
    }

    /// Tells something, unless it waits to be told already.
    fn tell_once(&mut self, message: String) {
        let is_same = |notice: &Notice| matches!(notice, Notice::Done(told) if *told == message);
        if !self.notices.iter().any(is_same) {
            self.notices.push(Notice::Done(message));
        }
    }
}

/// By how much a body is heated at most, in kelvin.
fn rise(heat: &Heat) -> f64 {
    let limit = match (heat.melting.is_finite(), heat.softening.is_finite()) {
        (true, _) => heat.melting,
        (false, true) => heat.softening,
        (false, false) => heat.air_temperature + USUAL_RISE,
    };
    let rise = 1.2 * (limit - heat.air_temperature).abs();
    rise.clamp(1.0, 1e5)
}

/// Whether the viscoelastic processes of a body flow, or will when the next step begins.
fn is_warm(player: &Player, body: usize) -> bool {
    if let Some(warmth) = player.value(body, BodyValue::Warmth) {
        return warmth > 0.0;
    }
    let (world, time) = (player.world(), player.world().time);
    let mut processes = world.bodies[body].description().processes.iter();
    processes.any(|process| process.is_viscoelastic() && process.is_at_work(time))
}

/// Whether an edge of a body crosses a blade.
fn crosses(body: &Body, blade: &Blade) -> bool {
    let places = &body.state.positions;
    let mut found = false;
    let mut visit = |a: usize, b: usize| found = found || blade.severs(places[a], places[b]);
    body.formulation().edges(body.description(), &mut visit);
    found
}
