//! The pictures that materials name: whether they are there.

use super::Builder;
use crate::scene::Look;

impl Builder<'_> {
    /// Reports materials whose picture is not there, used or not.
    pub(super) fn check_textures(&mut self) {
        let scene = self.scene;
        for material in &scene.materials {
            let Look::Texture(path) = &material.look else {
                continue;
            };
            if let Err(error) = self.assets.locate(path) {
                self.refuse(
                    material.location,
                    format!("<Material id=\"{}\"><Properties>", material.id),
                    format!("the picture `{path}` {error}"),
                    Some(
                        "the path is relative to the scene file; type=\"Pattern\" has pictures \
                         that come with Pliant",
                    ),
                );
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{build, parse};
    use pliant::frame::{Appearance, BaseColor};
    use std::path::Path;

    fn scene(material: &str) -> String {
        format!(
            r#"<EDMConfig id="S">
  <MaterialContainer>{material}</MaterialContainer>
  <ExternalForces />
  <RigidObjects>
    <Object id="Ball" type="Sphere"><Properties c="[0, 0, 0]" r="1" />
      <Bind type="Material" ref="M" /></Object>
  </RigidObjects>
  <DeformableBodies />
</EDMConfig>"#
        )
    }

    #[test]
    fn a_picture_is_looked_for_beside_the_scene() {
        let folder = std::env::temp_dir().join(format!("pliant-textures-{}", std::process::id()));
        std::fs::create_dir_all(folder.join("pictures")).unwrap();
        std::fs::write(folder.join("pictures/a.png"), "").unwrap();
        let material =
            r#"<Material id="M" type="Texture"><Properties file="pictures/a.png" /></Material>"#;
        let scene = parse(&scene(material), "s.xml").unwrap();
        let world = build(&scene, "s.xml", &folder).unwrap();
        let BaseColor::Texture(path) = &world.obstacles[0].appearance.base else {
            panic!("no texture");
        };
        assert_eq!(Path::new(path), folder.join("pictures/a.png"));
        let errors = build(&scene, "s.xml", Path::new("elsewhere")).unwrap_err();
        let message = errors.to_string();
        assert!(message.starts_with("s.xml:2:22: "), "{message}");
        assert!(message.contains("`pictures/a.png` is not there"));
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_pattern_needs_no_file() {
        let material =
            r#"<Material id="M" type="Pattern"><Properties pattern="checker" /></Material>"#;
        let scene = parse(&scene(material), "s.xml").unwrap();
        let world = build(&scene, "s.xml", Path::new("elsewhere")).unwrap();
        let expected = Appearance::texture("checker");
        assert_eq!(*world.obstacles[0].appearance, expected);
    }
}
