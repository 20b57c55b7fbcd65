//! Keys and mouse buttons and what they do. The table is the one thing that the window, its help and
//! the documents know about them.

/// What a key does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// Starts or pauses the simulation.
    StartPause,
    /// Closes the window.
    Quit,
    /// Writes a picture of the window.
    Screenshot,
    /// Shows particles, normals and forces, or hides them.
    VisualDebug,
    /// Shows the lines of the surface, or the surface.
    Wireframe,
    /// Begins anew.
    Reset,
    /// Shows or hides frames per second.
    FrameRate,
    /// Goes one step forward.
    StepForward,
    /// Goes one step back.
    StepBack,
    /// Runs twice as fast.
    Faster,
    /// Runs half as fast.
    Slower,
    /// Shows everything.
    FrameAll,
    /// Shows or hides the help.
    Help,
    /// Ends all pulls.
    LetAllGo,
    /// Writes the scene as it stands, and what was done.
    Save,
    /// Shows where bodies were, or hides it.
    Strobe,
    /// Begins a film, or ends it.
    Film,
    /// Shows or hides the panels.
    Panels,
}

/// A key, whatever the window calls it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Key {
    /// A letter; its case does not matter.
    Letter(char),
    /// The space bar.
    Space,
    /// Escape.
    Escape,
    /// The arrow to the right.
    Right,
    /// The arrow to the left.
    Left,
    /// Plus, or the key that has it.
    Plus,
    /// Minus.
    Minus,
    /// Home.
    Home,
    /// Backspace.
    Backspace,
    /// The first function key.
    F1,
    /// Tab.
    Tab,
}

/// A key with what it does.
#[derive(Clone, Copy, Debug)]
pub struct Binding {
    /// The key.
    pub key: Key,
    /// What is printed on it.
    pub name: &'static str,
    /// What it does.
    pub action: Action,
    /// The same in words.
    pub meaning: &'static str,
}

const fn binding(key: Key, name: &'static str, action: Action, meaning: &'static str) -> Binding {
    Binding {
        key,
        name,
        action,
        meaning,
    }
}

/// All keys: first those of \[Thesis2004\] Table 4.3, then those that users of other viewers know.
pub const BINDINGS: [Binding; 21] = [
    binding(Key::Space, "Space", Action::StartPause, "start or pause"),
    binding(Key::Letter('q'), "Q", Action::Quit, "quit"),
    binding(Key::Escape, "Esc", Action::Quit, "quit"),
    binding(
        Key::Letter('y'),
        "Y",
        Action::Screenshot,
        "write a screenshot: screen_00000.png and on",
    ),
    binding(
        Key::Letter('d'),
        "D",
        Action::VisualDebug,
        "visual debug: particles, normals, forces",
    ),
    binding(Key::Letter('w'), "W", Action::Wireframe, "wireframe"),
    binding(
        Key::Letter('r'),
        "R",
        Action::Reset,
        "reset; what is switched on stays on",
    ),
    binding(
        Key::Letter('f'),
        "F",
        Action::FrameRate,
        "frames per second",
    ),
    binding(Key::Right, "Right", Action::StepForward, "one step forward"),
    binding(Key::Left, "Left", Action::StepBack, "one step back"),
    binding(
        Key::Plus,
        "+",
        Action::Faster,
        "twice as fast, up to 8 times real time",
    ),
    binding(
        Key::Minus,
        "-",
        Action::Slower,
        "half as fast, down to 1/32",
    ),
    binding(Key::Home, "Home", Action::FrameAll, "show everything"),
    binding(Key::Backspace, "Backspace", Action::Reset, "reset"),
    binding(Key::F1, "F1", Action::Help, "help"),
    binding(Key::Letter('x'), "X", Action::LetAllGo, "end all pulls"),
    binding(Key::Tab, "Tab", Action::Panels, "show or hide the panels"),
    binding(
        Key::Letter('s'),
        "S",
        Action::Save,
        "save the scene as it stands, and a recording",
    ),
    binding(
        Key::Letter('m'),
        "M",
        Action::Film,
        "begin a film of the picture, or end it",
    ),
    binding(
        Key::Letter('t'),
        "T",
        Action::Strobe,
        "strobe: show where curves were, ten times per second",
    ),
    binding(Key::Letter('h'), "H", Action::Help, "help"),
];

/// What a key does, if anything.
pub fn action(key: Key) -> Option<Action> {
    let key = match key {
        Key::Letter(letter) => Key::Letter(letter.to_ascii_lowercase()),
        other => other,
    };
    let found = BINDINGS.iter().find(|binding| binding.key == key);
    found.map(|binding| binding.action)
}

/// What a press of the left button with a movement does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Grip {
    /// Turns the view.
    Rotate,
    /// Comes closer or goes away.
    Zoom,
    /// Shifts the view.
    Pan,
    /// Pulls the point under the pointer.
    Pull,
    /// Fixes the particle under the pointer, or releases it.
    Fix,
    /// Pushes the point under the pointer; the longer it is held, the stronger.
    Push,
    /// Heats the body under the pointer.
    Heat,
    /// Cools the body under the pointer.
    Cool,
    /// Tears along the stroke.
    Tear,
}

/// Keys that are held while a button is pressed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Held {
    /// Alt.
    pub alt: bool,
    /// Shift.
    pub shift: bool,
    /// Control, or the command key of a Mac.
    pub control: bool,
}

/// What the left button does: the tool that is chosen, unless a key is held
/// (\[Thesis2004\] Table 4.3).
pub fn grip(held: Held, tool: Grip, is_running: bool) -> Grip {
    match (held.control, held.shift, held.alt) {
        (true, true, _) => Grip::Push,
        (true, false, _) if is_running => Grip::Pull,
        (true, false, _) => Grip::Fix,
        (false, true, _) => Grip::Pan,
        (false, false, true) => Grip::Zoom,
        (false, false, false) => tool,
    }
}

/// What the mouse does, for the help.
pub const MOUSE: [[&str; 2]; 9] = [
    ["Drag", "rotate, or what the chosen tool does"],
    ["Alt + drag", "zoom; so does the wheel"],
    ["Shift + drag", "pan; so does the middle or right button"],
    [
        "Ctrl + drag",
        "while it runs: pull the point under the pointer",
    ],
    [
        "Ctrl + drag, Alt at the end",
        "the pull stays when the button is released",
    ],
    [
        "Ctrl + click",
        "while it is paused: fix a particle, or release it",
    ],
    [
        "Ctrl + Shift + hold",
        "push: the longer it is held, the stronger",
    ],
    [
        "Heat, Cool, Tear",
        "buttons at the upper edge: hold on a body, or draw a stroke across it",
    ],
    [
        "One finger, two fingers",
        "on a body: pull, else rotate; with two: zoom and pan",
    ],
];

#[cfg(test)]
mod tests {
    use super::*;

    /// Table 4.3 of the thesis, as printed.
    #[test]
    fn the_keys_of_table_4_3_do_what_they_did() {
        for (key, expected) in [
            (Key::Space, Action::StartPause),
            (Key::Letter('q'), Action::Quit),
            (Key::Escape, Action::Quit),
            (Key::Letter('y'), Action::Screenshot),
            (Key::Letter('d'), Action::VisualDebug),
            (Key::Letter('w'), Action::Wireframe),
            (Key::Letter('r'), Action::Reset),
            (Key::Letter('f'), Action::FrameRate),
        ] {
            assert_eq!(action(key), Some(expected));
            if let Key::Letter(letter) = key {
                let upper = Key::Letter(letter.to_ascii_uppercase());
                assert_eq!(action(upper), Some(expected));
            }
        }
        let held = |alt, shift, control| Held {
            alt,
            shift,
            control,
        };
        let plain = |held, is_running| grip(held, Grip::Rotate, is_running);
        assert_eq!(plain(held(false, false, false), true), Grip::Rotate);
        assert_eq!(plain(held(true, false, false), true), Grip::Zoom);
        assert_eq!(plain(held(false, true, false), true), Grip::Pan);
        assert_eq!(plain(held(false, false, true), true), Grip::Pull);
        assert_eq!(plain(held(false, false, true), false), Grip::Fix);
    }

    #[test]
    fn no_key_does_two_things() {
        for (index, binding) in BINDINGS.iter().enumerate() {
            let others = &BINDINGS[index + 1..];
            assert!(
                others.iter().all(|other| other.key != binding.key),
                "{}",
                binding.name
            );
            assert_eq!(action(binding.key), Some(binding.action));
        }
        assert_eq!(action(Key::Letter('z')), None);
    }

    #[test]
    fn a_tool_is_what_the_plain_button_does() {
        assert_eq!(grip(Held::default(), Grip::Pull, true), Grip::Pull);
        let control = Held {
            control: true,
            shift: true,
            alt: false,
        };
        assert_eq!(grip(control, Grip::Rotate, true), Grip::Push);
    }
}
