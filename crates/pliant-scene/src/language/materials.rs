//! `MaterialContainer` and `Material`.

use super::{Attribute, Child, Element, Kind, Occurs, PROPERTIES, Variant};

/// The pictures that come with Pliant.
pub const PATTERNS: &[&str] = &["checker", "stripes", "flag", "weave"];

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
            .published()]],
            example: r#"<Material id="Sand" type="Color">
  <Properties rgb="0.76, 0.7, 0.5" />
</Material>"#,
            ..Variant::NEW
        },
        Variant {
            name: "Texture",
            doc: "A picture laid over the surface.",
            attributes: &[&[Attribute::required(
                "file",
                Kind::File(&["bmp", "dib", "tga", "png", "jpg", "jpeg"]),
                "The picture: an absolute path, or one relative to the folder of the scene file \
                 (else to the working folder), with forward slashes. It must exist when the scene \
                 is simulated.",
            )
            .published()]],
            example: r#"<Material id="Weave" type="Texture">
  <Properties file="textures/weave.tga" />
</Material>"#,
            ..Variant::NEW
        },
        Variant {
            name: "Pattern",
            doc: "A picture that comes with Pliant, laid over the surface.",
            attributes: &[&[Attribute::required(
                "pattern",
                Kind::Choice(PATTERNS),
                "Its name.",
            )]],
            example: r#"<Material id="Table" type="Pattern">
  <Properties pattern="checker" />
</Material>"#,
            ..Variant::NEW
        },
    ],
    ..Element::NEW
};
