//! Where requests are carried out: the player at hand, whether it runs, the file that is watched, and
//! what there is to tell. It knows no thread, so that tests can drive it.

mod opening;

use crate::flatland::Centre;
use crate::hand::{mass, take_command};
use crate::player::{Outcome, Player};
use crate::push;
use crate::reload::Watch;
use crate::request::{Notice, Request, Shown, Staged};
use crate::scene_info::info;
use crate::wire::StagedText;
use pliant::Frame;
use pliant::command::{Command, CommandForce};
use pliant::force::Stencil;
use pliant_render::Look;
use pliant_scene::Override;
use pliant_session::Failure;
use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};

/// Whether a step was taken and the run goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Life {
    /// It does.
    GoesOn,
    /// It paused itself.
    Pauses,
}

/// Numbers of pushes begin here; those of pulls are the window's choice and smaller.
const FIRST_PUSH: u32 = 1 << 31;

/// How long a push lasts, in seconds.
const PUSH_SECONDS: f64 = 0.1;

/// Carries out requests.
#[derive(Debug)]
pub struct Desk {
    player: Option<Player>,
    is_running: bool,
    /// Whether there is something to show that was not shown.
    pub is_changed: bool,
    look: Option<Look>,
    failure: Option<String>,
    pub(crate) notices: Vec<Notice>,
    history: usize,
    stop: Arc<Mutex<Arc<AtomicBool>>>,
    opened: Option<(String, Vec<Override>)>,
    watch: Watch,
    has_mistake: bool,
    /// Pushes with the time at which they end.
    pushes: Vec<(u32, f64)>,
    next_push: u32,
    /// Whether files are handed over as notices, since there is no folder to write them to.
    pub hands_over_files: bool,
}

impl Desk {
    /// Without a scene. The flag that stops the step at hand is put into `stop`.
    pub fn new(history: usize, stop: Arc<Mutex<Arc<AtomicBool>>>) -> Self {
        Self {
            player: None,
            is_running: false,
            is_changed: false,
            look: None,
            failure: None,
            notices: Vec::new(),
            history,
            stop,
            opened: None,
            watch: Watch::default(),
            has_mistake: false,
            pushes: Vec::new(),
            next_push: FIRST_PUSH,
            hands_over_files: false,
        }
    }

    /// Whether it runs.
    pub fn is_running(&self) -> bool {
        self.is_running && self.player.is_some()
    }

    /// The scene at hand.
    pub fn player(&self) -> Option<&Player> {
        self.player.as_ref()
    }

    /// The same, to be changed.
    pub(crate) fn player_mut(&mut self) -> Option<&mut Player> {
        self.player.as_mut()
    }

    /// Length of a step, in seconds; zero if there is nothing to step.
    pub fn time_step(&self) -> f64 {
        self.player
            .as_ref()
            .map_or(0.0, |player| player.world().time_step())
    }

    /// What there is to tell.
    pub fn take_notices(&mut self) -> Vec<Notice> {
        std::mem::take(&mut self.notices)
    }

    /// Carries out a request.
    pub fn carry_out(&mut self, request: Request) {
        let result = match request {
            Request::Open(named, overrides) => {
                self.open(&named, overrides);
                Ok(())
            }
            Request::OpenText {
                name,
                text,
                overrides,
                files,
            } => {
                self.open_text(name, text, overrides, &files);
                Ok(())
            }
            Request::Replay(recording) => self.replay(&recording),
            request => match self.player.is_some() {
                true => self.carry_out_with_player(request),
                false => Ok(()),
            },
        };
        if let Err(failure) = result {
            self.notices.push(Notice::Refused(failure.to_string()));
        }
        self.is_changed = true;
    }

    fn carry_out_with_player(&mut self, request: Request) -> Result<(), Failure> {
        let Some(player) = &mut self.player else {
            return Ok(());
        };
        match request {
            Request::Open(..)
            | Request::OpenText { .. }
            | Request::Replay(_)
            | Request::Hold(_)
            | Request::Speed(_) => Ok(()),
            Request::Run(_)
            | Request::StepForward
            | Request::StepBack
            | Request::GoTo(_)
            | Request::Reset => self.take_time(&request),
            Request::Push {
                body,
                stencil,
                strength,
            } => self.push(body, stencil, strength),
            Request::Change {
                path,
                attribute,
                value,
            } => self.change(&path, &attribute, &value),
            Request::Heat {
                body,
                place,
                seconds,
            } => self.heat(body, place, seconds),
            Request::Cut(blade) => self.cut(&blade),
            Request::Look(look) => {
                let before = std::mem::replace(&mut self.look, look);
                self.restage(false).inspect_err(|_| self.look = before)
            }
            Request::SaveScene(path) => {
                let text = player.text().to_owned();
                self.save(&path, text)
            }
            Request::SaveRecording(path) => {
                let text = player.recording().to_json();
                self.save(&path, text)
            }
            command => take_command(player, command),
        }
    }

    /// Requests about time.
    fn take_time(&mut self, request: &Request) -> Result<(), Failure> {
        let Some(player) = &mut self.player else {
            return Ok(());
        };
        match request {
            Request::Run(runs) => {
                self.is_running = *runs;
                if *runs {
                    self.failure = None;
                }
                return Ok(());
            }
            Request::Reset => {
                self.failure = None;
                self.pushes.clear();
                player.reset()?;
                return self.restage(false);
            }
            _ => {}
        }
        self.is_running = false;
        self.failure = None;
        match request {
            Request::StepForward => self.forward(),
            Request::StepBack => player.back(),
            Request::GoTo(index) => player.go_to(*index),
            _ => Ok(()),
        }
    }

    fn save(&mut self, path: &Path, text: String) -> Result<(), Failure> {
        if self.hands_over_files {
            let name = path.file_name().unwrap_or(path.as_os_str());
            self.notices.push(Notice::File {
                name: name.to_string_lossy().into_owned(),
                content: text.into_bytes(),
            });
            return Ok(());
        }
        write(path, &text)?;
        let done = format!("saved {}", path.display());
        self.notices.push(Notice::Done(done));
        Ok(())
    }

    fn change(&mut self, path: &[usize], attribute: &str, value: &str) -> Result<(), Failure> {
        let Some(player) = &mut self.player else {
            return Ok(());
        };
        let anew = player.change(path, attribute, value)?;
        self.tell_changed(&anew)
    }

    /// Tells what a change of the scene has started anew.
    pub(crate) fn tell_changed(&mut self, anew: &[String]) -> Result<(), Failure> {
        if !anew.is_empty() {
            let names = anew.join(", ");
            let done = format!("{names}: started anew, since the nodes are other ones now");
            self.notices.push(Notice::Done(done));
        }
        self.restage(false)
    }

    /// Pushes a point towards the middle of its body, as a sphere round it would (sect. 3.5.4.3 of
    /// [Thesis2004]).
    fn push(&mut self, body: usize, stencil: Stencil, strength: f64) -> Result<(), Failure> {
        let Some(player) = &mut self.player else {
            return Ok(());
        };
        let world = player.world();
        let Some(pushed) = world.bodies.get(body) else {
            return Ok(());
        };
        let positions = &pushed.state.positions;
        let direction = push::direction(positions, stencil.point(positions));
        let force = 9.81 * strength * mass(player, body) * direction;
        let end = world.time + PUSH_SECONDS;
        let handle = self.next_push;
        self.next_push = self.next_push.checked_add(1).unwrap_or(FIRST_PUSH);
        player.command(Command::AddForceAt {
            handle,
            body,
            stencil,
            force: CommandForce::Push(force),
        })?;
        self.pushes.push((handle, end));
        Ok(())
    }

    /// Ends pushes whose time is over.
    fn end_pushes(&mut self) {
        let Some(player) = &mut self.player else {
            return;
        };
        let now = player.world().time + 1e-9;
        for (handle, _) in self.pushes.extract_if(.., |(_, end)| *end <= now) {
            // Gone already if the run went back to before it.
            let _ = player.command(Command::RemoveForce { handle });
        }
    }

    /// Takes a step.
    pub fn step(&mut self) -> Life {
        self.is_changed = true;
        self.end_pushes();
        let Some(player) = &mut self.player else {
            return Life::Pauses;
        };
        let outcome = player.step();
        self.end_of_step(outcome)
    }

    fn forward(&mut self) -> Result<(), Failure> {
        self.end_pushes();
        if let Some(player) = &mut self.player {
            let outcome = player.forward()?;
            self.end_of_step(outcome);
        }
        Ok(())
    }

    fn end_of_step(&mut self, outcome: Outcome) -> Life {
        match outcome {
            Outcome::Taken => Life::GoesOn,
            Outcome::Stopped => Life::Pauses,
            Outcome::Failed(report) => {
                self.is_running = false;
                self.failure = Some(report);
                Life::Pauses
            }
        }
    }

    fn put(&mut self, player: Player) {
        let mut stop = self.stop.lock().unwrap_or_else(PoisonError::into_inner);
        *stop = player.stop_flag();
        drop(stop);
        self.player = Some(player);
        self.pushes.clear();
        self.failure = None;
        self.is_changed = true;
    }

    /// Makes a new stage and tells about it.
    pub(crate) fn restage(&mut self, is_new: bool) -> Result<(), Failure> {
        let Some(player) = &mut self.player else {
            return Ok(());
        };
        if is_new {
            self.look = None;
        }
        let stage = player.stage(self.look.clone())?;
        let scene = info(player);
        self.notices.push(Notice::Staged(Box::new(Staged {
            stage,
            is_new,
            scene,
        })));
        Ok(())
    }

    /// What another end of a wire needs to make the stage of the scene at hand, and its frame.
    pub(crate) fn staged_text(&mut self, staged: &Staged) -> Option<(StagedText, Frame)> {
        let player = self.player.as_mut()?;
        let frame = player.frame();
        let source = player.source();
        let text = StagedText {
            name: source.name.clone(),
            file: source.file.clone(),
            text: player.text().to_owned(),
            overrides: player.overrides().to_vec(),
            look: self.look.clone(),
            is_new: staged.is_new,
            bodies: staged.scene.bodies.clone(),
        };
        Some((text, frame))
    }

    /// Loads the scene again if its file was saved.
    pub fn look_at_files(&mut self) {
        if self.watch.look()
            && let Some((named, overrides)) = self.opened.clone()
        {
            self.open(&named, overrides);
        }
    }

    /// The world for the window.
    pub fn show(&mut self) -> Option<Shown> {
        self.is_changed = false;
        let is_running = self.is_running();
        let player = self.player.as_mut()?;
        let frame = player.frame();
        let world = player.world();
        let frozen = world.bodies.iter().enumerate();
        let frozen = frozen.filter(|(_, body)| body.quarantine.is_some());
        Some(Shown {
            carriers: player.carriers(&frame),
            pulls: player.pulls(),
            centres: world.bodies.iter().map(Centre::of).collect(),
            frozen: frozen.map(|(index, _)| index).collect(),
            step: world.step_count,
            time: world.time,
            is_running,
            speed: 1.0,
            real_time_factor: 0.0,
            history: player.history(),
            samples: player.samples().clone(),
            failure: self.failure.clone(),
            frame,
        })
    }
}

/// Writes a file that appears under its name only when it is complete.
fn write(path: &Path, text: &str) -> Result<(), Failure> {
    let failed = |error: std::io::Error| {
        Failure::Simulation(format!("cannot write {}: {error}", path.display()))
    };
    let beside = path.with_extension("part");
    fs::write(&beside, text).map_err(failed)?;
    fs::rename(&beside, path).map_err(failed)
}
