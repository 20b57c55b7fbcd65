//! `pliant model`: writes what a scene models, without simulating it.

use crate::arguments::ModelOptions;
use crate::output::{
    Files, Outputs, PictureRequest, Targets, Written, prepare_file, write_patterns,
};
use crate::run::{load, memory_limit};
use crate::summary;
use pliant::mesh::{ElementBlock, ElementKind, ElementMesh};
use pliant::{Body, FrameMaker, Grid, Workspace, World};
use pliant_io::mesh::write_gmsh;
use pliant_session::{Failure, Source, Stage, Studio, check_world, use_threads};
use std::path::PathBuf;

/// Tetrahedra of a cell about its diagonal; corners are numbered by bits: 1, 2 and 4 for the three
/// directions.
const SIX: [[usize; 4]; 6] = [
    [0, 1, 3, 7],
    [0, 3, 2, 7],
    [0, 2, 6, 7],
    [0, 6, 4, 7],
    [0, 4, 5, 7],
    [0, 5, 1, 7],
];

/// Writes the bodies of a scene as they are at rest, or as they start.
pub fn model(options: &ModelOptions) -> Result<(), Failure> {
    if options.threads.is_some() {
        use_threads(options.threads)?;
    }
    let limit = memory_limit(options.memory);
    let mut source = load(&options.scene, &options.set, limit, options.quiet)?;
    check_world(&source.world, limit)?;
    if source.world.bodies.is_empty() {
        return Err(Failure::Input(format!("{} models no body", source.file)));
    }
    let is_mesh = |path: &&PathBuf| path.extension().is_some_and(|extension| extension == "msh");
    let (meshes, others): (Vec<&PathBuf>, Vec<&PathBuf>) = options.out.iter().partition(is_mesh);
    let others: Vec<PathBuf> = others.into_iter().cloned().collect();
    let targets = Targets::new(&others, false)?;
    if targets.cache.is_some() || !targets.films.is_empty() || !targets.sequences.is_empty() {
        return Err(Failure::Input(
            "a model does not move: write a picture or a file for other programs".to_owned(),
        ));
    }
    let mut files = Files::default();
    files.read_scene(&source).write_targets(&targets);
    for &path in &meshes {
        files.write("--out", path);
    }
    files.check()?;
    write_patterns(&mut source, &targets)?;
    if !options.initial {
        lie_at_rest(&mut source.world);
    }
    let mut written = Vec::new();
    for path in meshes {
        prepare_file(path)?;
        write_gmsh(&mesh_of(&source.world), path)
            .map_err(|error| Failure::Simulation(error.to_string()))?;
        written.push(Written {
            output: path.clone(),
            files: vec![path.clone()],
        });
    }
    written.extend(write_frame(options, &source, &targets)?);
    if !options.quiet {
        summary::written(&written);
    }
    Ok(())
}

fn lie_at_rest(world: &mut World) {
    for body in &mut world.bodies {
        let rest = body.description().rest_positions.clone();
        body.state.positions = rest;
    }
}

/// Pictures and files for other programs.
fn write_frame(
    options: &ModelOptions,
    source: &Source,
    targets: &Targets,
) -> Result<Vec<Written>, Failure> {
    let world = &source.world;
    let frame = FrameMaker::new(world).frame(world, &mut Workspace::new(world));
    let pictures = match targets.need_pictures() {
        false => None,
        true => {
            let settings = options.picture.settings();
            let stage = Stage::new(source, &frame, &settings, None)?;
            Some(PictureRequest {
                waits_for_all: stage.needs_all_frames(),
                studio: Studio::new(vec![stage], &source.scene, &settings),
                frames_per_second: 1.0,
                frame: None,
                moments: Vec::new(),
                over_each_other: false,
                ffmpeg: false,
            })
        }
    };
    let mut outputs = Outputs::open(targets, pictures)?;
    let drawn = outputs.write(frame);
    let (mut written, finished) = outputs.finish();
    drawn.and(finished)?;
    for output in &mut written {
        rename_single(output)?;
    }
    Ok(written)
}

/// A file of one frame gets the name that was asked for, without the number of the frame.
fn rename_single(written: &mut Written) -> Result<(), Failure> {
    let wanted = &written.output;
    let extension = wanted.extension();
    let same = |file: &&mut PathBuf| file.extension() == extension;
    let is_there = written.files.contains(wanted);
    let mut alike = written.files.iter_mut().filter(same);
    if let (Some(file), None, true, false) =
        (alike.next(), alike.next(), extension.is_some(), is_there)
    {
        std::fs::rename(&*file, wanted).map_err(|error| {
            Failure::Simulation(format!("cannot write {}: {error}", wanted.display()))
        })?;
        file.clone_from(wanted);
    }
    Ok(())
}

/// The elements of all bodies, each body a region of its own.
fn mesh_of(world: &World) -> ElementMesh {
    let mut all = ElementMesh::default();
    let shown = FrameMaker::new(world).frame(world, &mut Workspace::new(world));
    for ((region, body), shown) in (1..).zip(&world.bodies).zip(&shown.bodies) {
        let first = all.positions.len() as u32;
        let description = body.description();
        let elements = description.formulation.elements();
        let (mut blocks, positions) = match (elements, description.grid()) {
            (Some(mesh), _) => (mesh.blocks.clone(), &body.state.positions),
            (None, Some(grid)) => (grid_blocks(grid, body), &body.state.positions),
            // What is neither, a rigid body, has the surface that is drawn.
            (None, None) => {
                let surface = shown.topology.triangles.concat();
                let block = ElementBlock::new(ElementKind::Triangle3, surface);
                (vec![block], &shown.positions)
            }
        };
        for block in &mut blocks {
            block.nodes.iter_mut().for_each(|node| *node += first);
            block.regions.fill(region);
        }
        all.positions.extend_from_slice(positions);
        all.blocks.extend(blocks);
    }
    all
}

/// The cells of a grid: segments, quadrilaterals, or six tetrahedra for each cell of a solid.
fn grid_blocks(grid: &Grid, body: &Body) -> Vec<ElementBlock> {
    let mut edges: Vec<u32> = Vec::new();
    if grid.dimension() == 1 {
        let description = body.description();
        let formulation = &description.formulation;
        formulation.edges(description, &mut |a, b| edges.extend([a as u32, b as u32]));
        return vec![ElementBlock::new(ElementKind::Line2, edges)];
    }
    let mut nodes = Vec::new();
    for cell in grid.cells() {
        let corner = |n: usize| {
            let step = [0, 1, 2].map(|d| (n >> d & 1) as i32);
            grid.neighbour(cell, step).map(|node| node as u32)
        };
        let count = 1 << grid.dimension();
        let corners: Option<Vec<u32>> = (0..count).map(corner).collect();
        let Some(corners) = corners else { continue };
        if grid.dimension() == 2 {
            nodes.extend([0, 1, 3, 2].map(|n| corners[n]));
        } else {
            nodes.extend(SIX.iter().flatten().map(|&n| corners[n]));
        }
    }
    let kind = match grid.dimension() {
        2 => ElementKind::Quad4,
        _ => ElementKind::Tetrahedron4,
    };
    vec![ElementBlock::new(kind, nodes)]
}
