//! How things look: plain data that the engine hands on and never reads.

/// How a thing looks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Appearance {
    /// Where its colour comes from.
    pub base: BaseColor,
    /// How light falls on it; `None` leaves that to whoever draws it.
    pub finish: Option<Finish>,
    /// Width of one image, in metres; images repeat beyond. `None` lays a single one over the whole
    /// thing.
    pub image_width: Option<f64>,
}

impl Appearance {
    /// One colour, red, green and blue between 0 and 1.
    pub fn color(color: [f64; 3]) -> Self {
        Self {
            base: BaseColor::Color(color),
            ..Self::default()
        }
    }

    /// An image file laid over the material coordinates.
    pub fn texture(image: impl Into<String>) -> Self {
        Self {
            base: BaseColor::Texture(image.into()),
            ..Self::default()
        }
    }
}

/// Where the colour of a thing comes from.
#[derive(Clone, Debug, PartialEq)]
pub enum BaseColor {
    /// One colour, red, green and blue between 0 and 1, as a screen shows them (sRGB).
    Color([f64; 3]),
    /// An image file laid over the material coordinates.
    Texture(String),
}

impl Default for BaseColor {
    fn default() -> Self {
        Self::Color([0.7, 0.7, 0.7])
    }
}

/// How light falls on a surface. All values lie between 0 and 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Finish {
    /// 0 is a mirror, 1 is chalk.
    pub roughness: f64,
    /// 1 for a metal, whose reflections have its colour.
    pub metallic: f64,
    /// Below 1 what lies behind shines through.
    pub opacity: f64,
    /// Light that fine fibres catch where the surface turns away from the eye.
    pub sheen: f64,
    /// How far light gets inside: 0 for stone, 1 for jelly.
    pub subsurface: f64,
    /// Light of its own, as a share of its colour: 0 for what is cold, 1 for embers.
    pub glow: f64,
}

/// A finish with a name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FinishPreset {
    /// As scenes name it.
    pub name: &'static str,
    /// What it is.
    pub finish: Finish,
}

impl Finish {
    /// Neither rough nor smooth, and opaque.
    pub const PLAIN: Self = Self {
        roughness: 0.5,
        metallic: 0.0,
        opacity: 1.0,
        sheen: 0.0,
        subsurface: 0.0,
        glow: 0.0,
    };

    /// The finishes that have names.
    pub const PRESETS: &[FinishPreset] = &[
        FinishPreset {
            name: "cloth",
            finish: Self {
                roughness: 0.85,
                sheen: 0.6,
                ..Self::PLAIN
            },
        },
        FinishPreset {
            name: "silk",
            finish: Self {
                roughness: 0.42,
                sheen: 0.5,
                ..Self::PLAIN
            },
        },
        FinishPreset {
            name: "rubber",
            finish: Self {
                roughness: 0.4,
                subsurface: 0.12,
                ..Self::PLAIN
            },
        },
        FinishPreset {
            name: "plastic",
            finish: Self {
                roughness: 0.2,
                ..Self::PLAIN
            },
        },
        FinishPreset {
            name: "metal",
            finish: Self {
                roughness: 0.28,
                metallic: 1.0,
                ..Self::PLAIN
            },
        },
        FinishPreset {
            name: "jelly",
            finish: Self {
                roughness: 0.12,
                subsurface: 1.0,
                ..Self::PLAIN
            },
        },
        FinishPreset {
            name: "film",
            finish: Self {
                roughness: 0.12,
                opacity: 0.3,
                ..Self::PLAIN
            },
        },
        FinishPreset {
            name: "clay",
            finish: Self {
                roughness: 0.75,
                subsurface: 0.15,
                ..Self::PLAIN
            },
        },
        FinishPreset {
            name: "wood",
            finish: Self {
                roughness: 0.55,
                ..Self::PLAIN
            },
        },
        FinishPreset {
            name: "skin",
            finish: Self {
                roughness: 0.48,
                sheen: 0.15,
                subsurface: 0.5,
                ..Self::PLAIN
            },
        },
        FinishPreset {
            name: "chalk",
            finish: Self {
                roughness: 1.0,
                ..Self::PLAIN
            },
        },
    ];

    /// The finish of a name.
    pub fn preset(name: &str) -> Option<Self> {
        let found = Self::PRESETS.iter().find(|preset| preset.name == name);
        found.map(|preset| preset.finish)
    }
}
