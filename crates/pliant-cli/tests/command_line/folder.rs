//! Runs the built `pliant` command in a folder of its own.

use std::path::PathBuf;
use std::process::{Command, Output};

/// A small sheet that falls on a ball; `@` is replaced by more properties of the body.
const SHEET: &str = r#"<EDMConfig id="Sheet">
  <Simulation duration="0.5" fps="25" />
  <MaterialContainer />
  <ExternalForces>
    <Force id="Gravity" type="Gravity"><Properties g="[0, 0, -9.82]" /></Force>
  </ExternalForces>
  <RigidObjects>
    <Object id="Ball" type="Sphere"><Properties c="[0.1, 0, -1.2]" r="1" /></Object>
  </RigidObjects>
  <DeformableBodies>
    <Body id="Cloth" model="Surface" type="GenericBezierPatch">
      <Properties order="1" @ />
      <NaturalShape>
        <Node index="0" pos="[-1, -1, 0]" />
        <Node index="1" pos="[1, -1, 0]" />
        <Node index="2" pos="[-1, 1, 0]" />
        <Node index="3" pos="[1, 1, 0]" />
      </NaturalShape>
      <Particles grid="[9,9]">
        <All mass="1" damping="0.5" tension="[[1, 1], [1, 1]]"
             rigidity="[[0.01, 0.01], [0.01, 0.01]]" />
      </Particles>
      <Bind type="Collision" ref="Ball" />
      <Bind type="Force" ref="Gravity" />
    </Body>
  </DeformableBodies>
  EXPECTED
</EDMConfig>
"#;

/// A folder for one test, removed at the end.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("pliant-cli-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    /// With the scene file `sheet.xml` in it; `properties` such as `timestep="0.01"`.
    pub fn with_sheet(name: &str, properties: &str) -> Self {
        Self::with_expected_sheet(name, properties, "")
    }

    /// The same, with an `Expected` element.
    pub fn with_expected_sheet(name: &str, properties: &str, expected: &str) -> Self {
        let folder = Self::new(name);
        let text = SHEET.replace('@', properties).replace("EXPECTED", expected);
        std::fs::write(folder.path("sheet.xml"), text).unwrap();
        folder
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Runs `pliant` in the folder.
    pub fn pliant(&self, arguments: &[&str]) -> Ran {
        let output = Command::new(env!("CARGO_BIN_EXE_pliant"))
            .args(arguments)
            .current_dir(&self.0)
            .output()
            .unwrap();
        Ran::new(arguments, output)
    }

    /// The names of the files in a folder below, sorted.
    pub fn files(&self, name: &str) -> Vec<String> {
        let mut names: Vec<String> = std::fs::read_dir(self.path(name))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    pub fn json(&self, name: &str) -> serde_json::Value {
        let text = std::fs::read_to_string(self.path(name)).unwrap();
        serde_json::from_str(&text).unwrap()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// What a command did.
pub struct Ran {
    arguments: String,
    code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Ran {
    fn new(arguments: &[&str], output: Output) -> Self {
        Self {
            arguments: arguments.join(" "),
            code: output.status.code(),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// The exit code; `None` if a signal ended it.
    #[allow(dead_code)]
    pub fn code(&self) -> Option<i32> {
        self.code
    }

    /// Checks the exit code, and that nothing panicked.
    #[track_caller]
    pub fn exits(self, code: i32) -> Self {
        let Self {
            arguments,
            out,
            err,
            ..
        } = &self;
        let story = format!("pliant {arguments}\nstdout: {out}\nstderr: {err}");
        assert_eq!(self.code, Some(code), "{story}");
        assert!(!err.contains("panicked"), "{story}");
        self
    }

    #[track_caller]
    pub fn complains_of(self, text: &str) -> Self {
        assert!(self.err.contains(text), "`{text}` is not in: {}", self.err);
        self
    }
}

/// Width and height of a PNG picture.
pub fn png_size(bytes: &[u8]) -> (u32, u32) {
    assert!(bytes.starts_with(b"\x89PNG"), "no PNG");
    let side = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap());
    (side(16), side(20))
}
