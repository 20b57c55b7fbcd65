//! Pictures of films are blurred where things move, and only there.

use pliant::{Frame, FrameMaker, Workspace};
use pliant_session::{PictureSettings, Source, Stage, Studio};

/// Balls that fall: the first frame, and one a while later.
fn frames(source: &mut Source) -> [Frame; 2] {
    let world = &mut source.world;
    let mut workspace = Workspace::new(world);
    let mut maker = FrameMaker::new(world);
    let first = maker.frame(world, &mut workspace);
    while world.time < 0.2 {
        world.step(&mut workspace);
    }
    [first, maker.frame(world, &mut workspace)]
}

fn studio(source: &Source, first: &Frame, moments: usize) -> Studio {
    let settings = PictureSettings {
        size: Some((160, 90)),
        ..PictureSettings::default()
    };
    let stage = Stage::new(source, first, &settings, None).unwrap();
    let mut studio = Studio::new(vec![stage], &source.scene, &settings);
    studio.set_motion_blur(moments);
    studio
}

#[test]
fn what_moves_is_blurred_and_stills_stay_sharp() {
    let mut source = Source::load("rubber-balls", &[], None).unwrap();
    let [first, second] = frames(&mut source);
    let mut plain = studio(&source, &first, 1);
    let mut blurred = studio(&source, &first, 4);
    for frames in [&first, &second] {
        let frames = std::slice::from_ref(frames);
        let (sharp, plan) = (plain.draw(frames).unwrap(), blurred.plan(frames).unwrap());
        // Nothing lies before the first frame.
        let moved = frames[0].time > 0.0;
        assert_eq!(plan.is_blurred(), moved);
        assert_eq!(plan.draw().bytes(), sharp.bytes());
        let film = plan.draw_film();
        if !moved {
            assert_eq!(film.bytes(), sharp.bytes());
            continue;
        }
        // Some of the picture is blurred; the backdrop is not.
        let pixels = film.pixels().iter().zip(sharp.pixels());
        let changed = pixels
            .filter(|(a, b)| (0..3).any(|part| a[part].abs_diff(b[part]) > 16))
            .count();
        assert!((50..4_000).contains(&changed), "{changed} pixels");
    }
    // What stands still is drawn once.
    assert!(
        !blurred
            .plan(std::slice::from_ref(&second))
            .unwrap()
            .is_blurred()
    );
}
