//! `MaterialContainer` and `Material`.

use super::{Attribute, Child, Element, Kind, Occurs, PROPERTIES, Range, Variant};

/// The pictures that come with Pliant.
pub const PATTERNS: &[&str] = &[
    "checker", "stripes", "flag", "weave", "wood", "paper", "lawn", "marble", "grid", "carpet",
];

/// The finishes that have names, in the order of `pliant::frame::Finish::PRESETS`.
pub const FINISHES: &[&str] = &[
    "cloth", "silk", "rubber", "plastic", "metal", "jelly", "film", "clay", "wood", "skin", "chalk",
];

/// How light falls on a material.
static FINISH: &[Attribute] = &[
    Attribute::optional(
        "finish",
        Kind::Choice(FINISHES),
        "What the surface is like, in one word. If left out, surfaces look like cloth and \
         everything else like rubber.",
    ),
    Attribute::optional(
        "roughness",
        Kind::Number(Range::UNIT),
        "0 is a mirror, 1 is chalk; that of the finish if left out, as with the next five.",
    ),
    Attribute::optional(
        "metallic",
        Kind::Number(Range::UNIT),
        "1 for a metal, whose reflections have its colour.",
    ),
    Attribute::optional(
        "opacity",
        Kind::Number(Range::UNIT),
        "Below 1 what lies behind shines through.",
    ),
    Attribute::optional(
        "sheen",
        Kind::Number(Range::UNIT),
        "Light that fine fibres catch where the surface turns away from the eye.",
    ),
    Attribute::optional(
        "subsurface",
        Kind::Number(Range::UNIT),
        "How far light gets inside: 0 for stone, 1 for jelly.",
    ),
    Attribute::optional(
        "glow",
        Kind::Number(Range::UNIT),
        "Light of its own, as a share of its colour: 0 for what is cold, 1 for embers.",
    ),
];

/// How large a picture is laid on.
static PICTURE_SIZE: &[Attribute] = &[Attribute::optional(
    "width",
    Kind::Number(Range::POSITIVE),
    "Width of one picture in metres; it repeats beyond. A single one covers everything if left \
     out.",
)];

/// All materials.
pub static MATERIAL_CONTAINER: Element = Element {
    name: "MaterialContainer",
    published: true,
    doc: "Holds all materials, whether they are used or not.",
    children: &[Child::new(&MATERIAL, Occurs::Many)],
    example: r#"<MaterialContainer>
  <Material id="Sky" type="Color">
    <Properties rgb="0.5, 0.7, 1.0" />
  </Material>
</MaterialContainer>"#,
    ..Element::NEW
};

/// How a surface looks.
pub static MATERIAL: Element = Element {
    name: "Material",
    published: true,
    doc: "How the surface of a body or an object looks.",
    attributes: &[
        Attribute::required("id", Kind::Identifier, "The name `Bind` refers to.").published(),
        Attribute::required("type", Kind::Variant, "The kind of material.").published(),
    ],
    children: &[Child::new(&PROPERTIES, Occurs::First)],
    variants: &[
        Variant {
            name: "Color",
            doc: "One colour all over.",
            attributes: &[&[Attribute::required(
                "rgb",
                Kind::Colour,
                "Red, green and blue from 0 to 1, without brackets.",
            )
            .published()], FINISH],
            example: r#"<Material id="Sand" type="Color">
  <Properties rgb="0.76, 0.7, 0.5" finish="chalk" />
</Material>"#,
            ..Variant::NEW
        },
        Variant {
            name: "Texture",
            doc: "A picture laid over the surface: over the material coordinates of grids, where the \
                  texture coordinates of an OBJ, PLY or VTK file say, on other meshes and objects from six \
                  sides.",
            attributes: &[&[Attribute::required(
                "file",
                Kind::File(&["bmp", "dib", "tga", "png", "jpg", "jpeg"]),
                "The picture: an absolute path, or one relative to the folder of the scene file \
                 (else to the working folder), with forward slashes. It must exist when the scene \
                 is simulated.",
            )
            .published()], PICTURE_SIZE, FINISH],
            example: r#"<Material id="Weave" type="Texture">
  <Properties file="textures/weave.tga" />
</Material>"#,
            ..Variant::NEW
        },
        Variant {
            name: "Pattern",
            doc: "A picture that comes with Pliant, laid over the surface as a `Texture` is.",
            attributes: &[&[Attribute::required(
                "pattern",
                Kind::Choice(PATTERNS),
                "Its name.",
            )], PICTURE_SIZE, FINISH],
            example: r#"<Material id="Table" type="Pattern">
  <Properties pattern="checker" />
</Material>"#,
            ..Variant::NEW
        },
    ],
    ..Element::NEW
};
