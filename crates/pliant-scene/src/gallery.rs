//! The built-in scenes: one for every figure of the papers, embedded in the program.

/// A scene that comes with Pliant.
#[derive(Clone, Copy, Debug)]
pub struct GalleryScene {
    /// The name users type.
    pub name: &'static str,
    /// The XML text.
    pub text: &'static str,
}

macro_rules! scenes {
    ($($name:literal),* $(,)?) => {
        &[$(GalleryScene {
            name: $name,
            text: include_str!(concat!("../../../scenes/", $name, ".xml")),
        }),*]
    };
}

mod list {
    use super::GalleryScene;

    pub(super) static ALL: &[GalleryScene] = scenes![
        "flag",
        "carpet",
        "shrink-wrap",
        "pulled-sheet",
        "lifted-plate",
        "lifted-membrane",
        "tension",
        "rigidity",
        "crumple",
        "heavy-curtain",
        "tablecloth",
        "rubber-flap",
        "membrane-jack",
        "sea-cucumber",
        "metal-plate",
        "sphere-on-solid",
        "cloth-on-cloth",
        "cube-pile",
        "cloth-pile",
        "cloth-twist",
        "soft-and-rigid",
        "trampoline",
        "squeeze",
        "noodles",
        "needles",
        "puppet",
        "card-house",
        "arch-25",
        "tablecloth-pull",
        "reef-knot",
        "woven-pull",
        "robe",
        "pudding",
        "rubber-balls",
        "three-corners",
        "pushed-plate",
        "falling-on-ellipsoid",
        "hanging-cable",
        "coil-spring",
        "flatland-elastic",
        "flatland-viscoelastic",
        "flatland-putty",
        "flatland-mould",
        "flatland-bounce",
        "ball-on-solid",
        "vegetables",
        "plasticine-bust",
        "sheared-sheet",
        "net-tear",
        "woven-tear",
        "hot-spheres",
        "goop",
        "goop-1988",
        "melting-block",
        "putty-ball",
        "bars",
        "long-bars",
        "cantilever",
        "spread-loads",
        "table-of-elements",
        "pressure-vessel",
        "twisted-bar",
        "tube-bend",
        "tube-swing",
        "tube-drop",
        "tube-drop-stiff",
        "free-floating",
        "rabbit",
        "hound",
        "jelly-stack",
        "sculpture-garden",
        "sticks",
        "chainmail",
        "modal",
        "surgery",
        "snake",
        "active-surface",
        "soap-film",
        "sculpt",
        "least-energy",
        "fish",
        "face",
        "spring-cloth",
        "rod",
        "fit-superquadric",
        "global-deformations",
    ];
}

/// All built-in scenes.
pub fn gallery() -> &'static [GalleryScene] {
    list::ALL
}

/// The scene of a name.
pub fn find(name: &str) -> Option<&'static GalleryScene> {
    gallery().iter().find(|scene| scene.name == name)
}
