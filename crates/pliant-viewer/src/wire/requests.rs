//! What the window asks, as bytes.

use super::{Bytes, Wire, WireError, wire_enum, wire_struct};
use crate::request::Request;
use pliant::body::Blade;
use pliant::command::BodyValue;
use pliant::force::Stencil;
use pliant_render::Look;
use pliant_session::Recording;

wire_struct!(Blade { corners });
wire_struct!(Stencil { nodes, weights });

wire_enum!(Request {
    0 => Open(named, overrides),
    1 => Replay(recording),
    2 => Run(runs),
    3 => StepForward,
    4 => StepBack,
    5 => GoTo(index),
    6 => Reset,
    7 => Speed(speed),
    8 => Grab { handle, body, stencil, target, strength },
    9 => Drag { handle, target },
    10 => LetGo(handle),
    11 => LetAllGo,
    12 => Push { body, stencil, strength },
    13 => ToggleFixed { body, node },
    14 => SetFixed { body, nodes, fixed },
    15 => SetValue { body, value, number },
    16 => Change { path, attribute, value },
    17 => Look(look),
    18 => SaveScene(path),
    19 => SaveRecording(path),
    22 => Heat { body, place, seconds },
    23 => Cut(blade),
    21 => Hold(time),
    20 => OpenText { name, text, overrides, files },
});

wire_enum!(Look {
    0 => Shaded,
    1 => Wireframe,
    2 => Particles,
    3 => Threads,
    4 => Net,
    5 => Blobby,
    6 => Field(name),
});

impl Wire for BodyValue {
    fn put(&self, out: &mut Vec<u8>) {
        self.name().to_owned().put(out);
    }

    fn get(from: &mut Bytes) -> Result<Self, WireError> {
        let name = String::get(from)?;
        let found = Self::ALL.iter().find(|value| value.name() == name);
        found.copied().ok_or(WireError::Nonsense("value of a body"))
    }
}

impl Wire for Box<Recording> {
    fn put(&self, out: &mut Vec<u8>) {
        self.to_json().put(out);
    }

    fn get(from: &mut Bytes) -> Result<Self, WireError> {
        let read = Recording::from_json(&String::get(from)?);
        read.map(Self::new)
            .map_err(|_| WireError::Nonsense("recording"))
    }
}
