//! Window and simulation on two ends of a wire: what comes out is what went in, and bytes that make no
//! sense are refused.

use glam::DVec3;
use pliant::body::Blade;
use pliant::command::BodyValue;
use pliant::force::Stencil;
use pliant_render::Look;
use pliant_viewer::desk::Desk;
use pliant_viewer::wire::{from_bytes, to_bytes};
use pliant_viewer::{Mirror, News, Notice, Outlet, Player, Request, Rounds, Shown, Teller};
use std::path::PathBuf;
use std::sync::Arc;

fn requests() -> Vec<Request> {
    let stencil = Stencil {
        nodes: [1, 2, 30],
        weights: [0.25, 0.5, 0.25],
    };
    let recording = Player::open("flag", &[], 0).unwrap().recording();
    let set = |part: &str| part.to_owned();
    vec![
        Request::Open(set("flag"), vec![(set("Wind"), set("c"), set("6"))]),
        Request::OpenText {
            name: set("mine.xml"),
            text: set("<EDMConfig/>"),
            overrides: vec![(set("Wind"), set("c"), set("6"))],
            files: vec![(set("a.obj"), vec![0, 255, 10])],
        },
        Request::Replay(Box::new(recording)),
        Request::Run(true),
        Request::StepForward,
        Request::StepBack,
        Request::GoTo(77),
        Request::Reset,
        Request::Speed(0.25),
        Request::Hold(Some(1.5)),
        Request::Grab {
            handle: 7,
            body: 1,
            stencil,
            target: DVec3::new(1.0, -2.5, 1e-300),
            strength: 2.0,
        },
        Request::Drag {
            handle: 7,
            target: DVec3::NEG_Z,
        },
        Request::LetGo(7),
        Request::LetAllGo,
        Request::Push {
            body: 0,
            stencil,
            strength: 3.0,
        },
        Request::ToggleFixed { body: 0, node: 5 },
        Request::SetFixed {
            body: 0,
            nodes: vec![1, 2, 3],
            fixed: true,
        },
        Request::SetValue {
            body: 0,
            value: BodyValue::Friction,
            number: 0.5,
        },
        Request::Change {
            path: vec![0, 3, 1],
            attribute: set("c"),
            value: set("1 < 2 \"ü\""),
        },
        Request::Heat {
            body: 3,
            place: DVec3::new(0.1, 1.0 / 3.0, -7.0),
            seconds: -0.02,
        },
        Request::Cut(Blade {
            corners: [DVec3::X, DVec3::ONE / 7.0, -DVec3::Z],
        }),
        Request::Look(Some(Look::Field(set("speed")))),
        Request::Look(None),
        Request::SaveScene(PathBuf::from("flag-000.xml")),
        Request::SaveRecording(PathBuf::from("flag-000.json")),
    ]
}

#[test]
fn requests_come_out_as_they_went_in() {
    for request in requests() {
        let back: Request = from_bytes(&to_bytes(&request)).unwrap();
        assert_eq!(format!("{back:?}"), format!("{request:?}"));
    }
}

/// Sends everything over a wire to a mirror.
#[derive(Default)]
struct Line {
    teller: Teller,
    messages: Vec<Vec<u8>>,
    /// The last frame as it was sent.
    sent: Option<Shown>,
}

impl Outlet for Line {
    fn is_full(&self) -> bool {
        false
    }

    fn frame(&mut self, shown: Shown) {
        self.messages.push(self.teller.frame(&shown));
        self.sent = Some(shown);
    }

    fn notice(&mut self, notice: Notice, desk: &mut Desk) {
        self.messages.push(self.teller.notice(notice, desk));
    }
}

struct Wired {
    rounds: Rounds<Line>,
    mirror: Mirror,
}

impl Wired {
    fn new() -> Self {
        let mut desk = Desk::new(1 << 20, Arc::default());
        desk.hands_over_files = true;
        Self {
            rounds: Rounds::new(desk, Line::default()),
            mirror: Mirror::default(),
        }
    }

    fn ask(&mut self, request: Request) {
        self.mirror.sees(&request);
        self.rounds
            .carry_out(from_bytes(&to_bytes(&request)).unwrap());
    }

    /// Turns until there is a frame; gives all that came before it, and it.
    fn until_frame(&mut self) -> (Vec<Notice>, Shown) {
        let mut notices = Vec::new();
        for _ in 0..10_000 {
            self.rounds.turn();
            for message in std::mem::take(&mut self.rounds.outlet.messages) {
                match self.mirror.read(&message).unwrap() {
                    News::Notice(notice) => notices.push(notice),
                    News::Frame(shown) => return (notices, *shown),
                    News::Picture(..) => panic!("nobody asked for pictures"),
                }
            }
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        panic!("no frame came");
    }
}

#[test]
fn frames_come_out_as_they_went_in() {
    // A grid with forces and fields, a skin that a coarse mesh carries, obstacles.
    for name in ["flag", "rabbit", "tablecloth"] {
        let mut wired = Wired::new();
        wired.ask(Request::Open(name.to_owned(), Vec::new()));
        let (notices, first) = wired.until_frame();
        let staged = notices.iter().find_map(|notice| match notice {
            Notice::Staged(staged) => Some(staged),
            _ => None,
        });
        let scene = &staged.expect("a stage").scene;
        assert_eq!(scene.name, name);
        assert!(!scene.values.is_empty() && scene.time_step > 0.0);
        wired.ask(Request::StepForward);
        let (_, second) = wired.until_frame();
        let sent = wired.rounds.outlet.sent.as_ref().unwrap();
        assert_eq!((second.step, sent.step), (1, 1));
        for (got, sent) in second.frame.bodies.iter().zip(&sent.frame.bodies) {
            assert_eq!(got.name, sent.name);
            assert_eq!(got.positions, sent.positions);
            assert_eq!(got.external_forces, sent.external_forces);
            assert_eq!(got.elastic_forces, sent.elastic_forces);
            assert_eq!(got.fixed, sent.fixed);
            assert_eq!(got.fields, sent.fields);
            assert_eq!(got.topology.triangles, sent.topology.triangles);
        }
        assert_eq!(second.frame.obstacles.len(), sent.frame.obstacles.len());
        assert_eq!(second.carriers.len(), sent.carriers.len());
        assert_eq!(second.samples, sent.samples);
        // What has not changed was not sent again.
        for (first, second) in first.frame.bodies.iter().zip(&second.frame.bodies) {
            assert!(Arc::ptr_eq(&first.topology, &second.topology));
        }
    }
}

#[test]
fn a_scene_at_hand_is_opened_with_its_files_and_saved_files_are_handed_over() {
    let text = pliant_session::built_in_text("flag").unwrap();
    let mut wired = Wired::new();
    wired.ask(Request::OpenText {
        name: "mine.xml".to_owned(),
        text: text.to_owned(),
        overrides: Vec::new(),
        files: Vec::new(),
    });
    wired.until_frame();
    wired.ask(Request::SaveScene(PathBuf::from("mine-000.xml")));
    let (notices, _) = wired.until_frame();
    let file = notices.iter().find_map(|notice| match notice {
        Notice::File { name, content } => Some((name.as_str(), content.as_slice())),
        _ => None,
    });
    assert_eq!(file, Some(("mine-000.xml", text.as_bytes())));
    // A mistake is told, and the last good scene stays.
    wired.ask(Request::OpenText {
        name: "mine.xml".to_owned(),
        text: text.replace("timestep=\"0.02\"", "timestep=\"fast\""),
        overrides: Vec::new(),
        files: Vec::new(),
    });
    let (notices, shown) = wired.until_frame();
    let mistake = notices.iter().find_map(|notice| match notice {
        Notice::Mistake(message) => Some(message.as_str()),
        _ => None,
    });
    assert!(
        mistake.is_some_and(|message| message.starts_with("mine.xml:")),
        "{mistake:?}"
    );
    assert_eq!(shown.frame.bodies.len(), 1);
}

/// Numbers that look random and are the same in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, count: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % count.max(1) as u64) as usize
    }

    fn damage(&mut self, message: &mut Vec<u8>) {
        for _ in 0..1 + self.below(4) {
            let place = self.below(message.len());
            match self.below(4) {
                0 => message.truncate(place),
                1 => message.push(self.below(256) as u8),
                _ if message.is_empty() => {}
                2 => message[place] = self.below(256) as u8,
                _ => message[place] ^= 1 << self.below(8),
            }
        }
    }
}

#[test]
fn damaged_messages_are_refused_or_read_and_never_more() {
    let mut dice = Dice(0x5eed_1234_5678_9abc);
    let good: Vec<Vec<u8>> = requests().iter().map(to_bytes).collect();
    for round in 0..100_000 {
        let mut message = good[round % good.len()].clone();
        dice.damage(&mut message);
        let _ = from_bytes::<Request>(&message);
    }
    // Frames, which the window draws and picks in without looking again.
    let mut wired = Wired::new();
    wired.ask(Request::Open("flag".to_owned(), Vec::new()));
    wired.until_frame();
    let sent = wired.rounds.outlet.sent.take().unwrap();
    let whole = Teller::default().frame(&sent);
    let mut refused = 0;
    for _ in 0..2_000 {
        let mut message = whole.clone();
        // The beginning and the end have the counts.
        let place = dice.below(400.min(message.len()));
        message[place] ^= 1 << dice.below(8);
        dice.damage(&mut message);
        refused += usize::from(wired.mirror.read(&message).is_err());
    }
    assert!(refused > 500, "{refused}");
    assert!(wired.mirror.read(&whole).is_ok());
}

#[test]
fn a_simulation_that_is_held_does_not_go_beyond_its_time() {
    let mut wired = Wired::new();
    wired.ask(Request::Open("flag".to_owned(), Vec::new()));
    wired.ask(Request::Hold(Some(0.1)));
    wired.ask(Request::Speed(8.0));
    wired.ask(Request::Run(true));
    let start = std::time::Instant::now();
    let mut last = 0.0;
    while start.elapsed() < std::time::Duration::from_millis(600) {
        wired.rounds.turn();
        if let Some(shown) = &wired.rounds.outlet.sent {
            last = shown.time;
        }
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    // Steps of 0.02 s: the fifth ends at the time, the sixth would end beyond it.
    assert!(
        (last - 0.1_f64).abs() < 0.021 && last < 0.1 + 1e-9,
        "{last}"
    );
    wired.ask(Request::Hold(None));
    while last < 0.3 {
        let (_, shown) = wired.until_frame();
        last = shown.time;
    }
}
