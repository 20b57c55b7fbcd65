//! What one run looks like: its style, its camera, its lights, its textures.

use super::{DEFAULT_SIZE, PictureSettings, acts, camera};
use crate::failure::Failure;
use crate::source::Source;
use glam::DVec3;
use pliant::Frame;
use pliant_render::{
    Act, Background, Camera, CameraFit, DrawList, Label, Light, LightSource, Look, Style, Stylist,
    TextAnchor, TextPlace, TextureStore, add_acts, linear_from_srgb, strobe, texture_paths,
};
use pliant_scene::Scene;
use pliant_scene::scene;
use std::io;

/// Height of the texts on a picture, in pixels of one 720 pixels high.
const LABEL_SIZE: f32 = 26.0;

/// One run on its way to pictures.
#[derive(Debug)]
pub struct Stage {
    pub camera: Camera,
    pub lights: Vec<Light>,
    pub background: Background,
    stylist: Stylist,
    style: Style,
    textures: TextureStore,
    /// What is written on the picture, with the time; `None` writes nothing.
    label: Option<String>,
    /// Looks for a camera that shows all that bodies sweep.
    fit: Option<CameraFit>,
    /// What acts on bodies.
    acts: Vec<Act>,
    /// Middle and size of the first frame, in metres.
    extent: (DVec3, f64),
}

impl Stage {
    /// For a scene whose first frame is known. Whatever cannot be drawn is refused here.
    pub fn new(
        source: &Source,
        first: &Frame,
        settings: &PictureSettings,
        label: Option<String>,
    ) -> Result<Self, Failure> {
        let scene = &source.scene;
        let style = style(scene, settings);
        let textures = textures(source, first)?;
        // A style that needs what the frames do not have is found out before they are made.
        Stylist::new(style.clone(), textures.clone())
            .list(first)
            .map_err(|error| Failure::Input(error.to_string()))?;
        let (width, height) = size(scene, settings);
        let aspect = width as f64 / height as f64;
        let camera = camera::choose(settings.camera, scene.camera.as_ref(), first, aspect);
        let fit = camera::fit(settings.camera, scene.camera.as_ref(), camera, aspect);
        if fit.is_none() {
            camera::check(&camera, &source.world)?;
        }
        let mut stylist = Stylist::new(style.clone(), textures.clone());
        stylist.meet(first);
        if let Some(level) = scene.picture.level {
            let level = DVec3::new(0.0, 0.0, level);
            stylist = stylist.with_bounds(level, level);
        }
        Ok(Self {
            camera,
            lights: scene.lights.iter().map(light).collect(),
            background: match scene.picture.background {
                Some(color) => Background::Plain(color.map(linear_from_srgb)),
                None => Background::default(),
            },
            stylist,
            style,
            textures,
            label,
            fit,
            acts: match scene.picture.acts {
                true => acts::acts(scene, &source.world, first),
                false => Vec::new(),
            },
            extent: camera::middle_and_size(first),
        })
    }

    /// Takes in frames that will be drawn, so that colours and ground are the same in all of them.
    pub fn look_ahead(&mut self, frame: &Frame) {
        self.stylist.look_ahead([frame]);
        if let Some(fit) = &mut self.fit {
            camera::include(fit, frame);
            self.camera = fit.camera();
        }
    }

    /// Sees a frame that is not drawn as if it had been.
    pub fn pass_over(&mut self, frame: &Frame) {
        self.stylist.pass_over(frame);
    }

    /// Whether the camera, the height of the ground or the meaning of colours depends on all frames, which have to
    /// be taken in before the first is drawn.
    pub fn needs_all_frames(&self) -> bool {
        self.fit.is_some() || self.stylist.needs_look_ahead()
    }

    /// The camera that was found to show everything, as `--camera` takes it.
    pub fn fitted_camera(&self) -> Option<String> {
        self.fit.as_ref()?;
        let point = |place: DVec3| format!("{:.3},{:.3},{:.3}", place.x, place.y, place.z);
        let Camera { eye, target, .. } = self.camera;
        let degrees = self.camera.field_of_view.to_degrees();
        Some(format!("{}/{}/{degrees:.1}", point(eye), point(target)))
    }

    /// What is to be drawn of a frame.
    pub fn list(&mut self, frame: &Frame) -> Result<DrawList, Failure> {
        self.list_labelled(frame, frame.time)
    }

    /// The same with another time on its label, in seconds.
    pub fn list_labelled(&mut self, frame: &Frame, time: f64) -> Result<DrawList, Failure> {
        let mut list = self.stylist.list(frame).map_err(Failure::on_the_way)?;
        if matches!(
            self.style.look,
            Look::Shaded | Look::Threads | Look::Net | Look::Blobby
        ) {
            let (middle, size) = self.extent;
            add_acts(&self.acts, frame, middle, size, &mut list);
        }
        Ok(self.labelled(list, time))
    }

    /// Several moments, to be put over each other: what is there without bodies, and each moment.
    pub fn strobe(&self, frames: &[Frame]) -> Result<Vec<DrawList>, Failure> {
        let lists = strobe(frames, self.style.clone(), &self.textures);
        let mut lists = lists.map_err(Failure::on_the_way)?;
        if let (Some(list), Some(frame)) = (lists.pop(), frames.last()) {
            lists.push(self.labelled(list, frame.time));
        }
        Ok(lists)
    }

    fn labelled(&self, mut list: DrawList, time: f64) -> DrawList {
        if let Some(label) = &self.label {
            list.labels.push(Label {
                text: format!("{label}\n{time:.2} s"),
                place: TextPlace::Picture([0.025, 0.03]),
                anchor: TextAnchor::TopLeft,
                size: LABEL_SIZE,
                color: [0.02; 3],
            });
        }
        list
    }
}

/// The size that was asked for, else that of the scene.
pub fn size(scene: &Scene, settings: &PictureSettings) -> (usize, usize) {
    let of_scene = scene.picture.size;
    settings.size.or(of_scene).unwrap_or(DEFAULT_SIZE)
}

fn style(scene: &Scene, settings: &PictureSettings) -> Style {
    let picture = &scene.picture;
    let of_scene = match (picture.style, &picture.field) {
        (scene::PictureStyle::Field, field) => {
            Look::Field(field.clone().unwrap_or_else(|| "speed".to_owned()))
        }
        (scene::PictureStyle::Shaded, _) => Look::Shaded,
        (scene::PictureStyle::Wireframe, _) => Look::Wireframe,
        (scene::PictureStyle::Particles, _) => Look::Particles,
        (scene::PictureStyle::Threads, _) => Look::Threads,
        (scene::PictureStyle::Net, _) => Look::Net,
        (scene::PictureStyle::Blobby, _) => Look::Blobby,
    };
    let look = settings.look.clone().unwrap_or(of_scene);
    Style {
        look,
        ground: match picture.ground {
            None => pliant_render::Ground::Auto,
            Some(true) => pliant_render::Ground::Yes,
            Some(false) => pliant_render::Ground::No,
        },
        thickness: picture.thickness,
        ..Style::default()
    }
}

fn light(light: &scene::Light) -> Light {
    Light {
        source: match light.source {
            scene::LightSource::Position(point) => LightSource::Position(point),
            scene::LightSource::Direction(direction) => LightSource::Direction(direction),
        },
        intensity: light.intensity,
        shadows: light.shadows,
    }
}

/// The textures of a scene; one that cannot be read is a mistake of the scene, at its material.
fn textures(source: &Source, first: &Frame) -> Result<TextureStore, Failure> {
    let read = |name: &str| source.assets.read(name).map_err(io::Error::from);
    TextureStore::load_with(&read, texture_paths(first))
        .map_err(|error| Failure::Input(format!("{}: {error}", source.file)))
}
