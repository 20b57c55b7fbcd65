//! VTK unstructured grids, for ParaView: one `.vtu` a frame and a `.pvd` that gives their times.
//!
//! All deformable bodies of a frame are one grid. A curve gives lines, a surface triangles, a solid
//! hexahedra or tetrahedra (its boundary triangles are left out: they would cover the faces of its cells a second
//! time), loose particles and bodies without cells vertices. Obstacles stand in a grid of their own, so that
//! a large plane does not govern the view. It is written once; if obstacles change, they get a
//! series and a `.pvd` too.
//!
//! | point data | type | unit |
//! |---|---|---|
//! | `velocity` | 3 x Float64 | metres per second |
//! | `elastic_force`, `external_force` | 3 x Float64 | newtons |
//! | `material_coordinates` | 3 x Float32 | 0 to 1; zero if a body has none |
//! | `body` | Int32 | place of the body in the scene, from 0; names in a comment of the file |
//! | `fixed` | UInt8 | 1 for nodes held fixed |
//! | fields, by name (`strain` and so on) | Float64 | that of the field; zero if a body has none |
//!
//! Points of obstacles carry `obstacle`, the place of the obstacle in the scene. The time in seconds
//! is the field data `TimeValue`.

use crate::check::check_frame;
use crate::fields::field_names;
use crate::format::SIGNATURE;
use crate::loose::loose_nodes;
use crate::pvd::TimeSeries;
use crate::xml::{DataArray, write_header};
use crate::{AtomicFile, Format, FrameSink, IoError, SeriesName};
use glam::DVec3;
use pliant::frame::{Frame, FrameObstacle, Topology, TriangleMesh};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The entry in the list of formats.
pub const FORMAT: Format = Format {
    name: "VTK unstructured grid",
    extensions: &["pvd", "vtu"],
    in_folder: true,
    open: |name| Ok(Box::new(VtuSeries::new(name))),
};

/// VTK's numbers for the kinds of cells.
const VERTEX: u8 = 1;
const LINE: u8 = 3;
const TRIANGLE: u8 = 5;
const TETRAHEDRON: u8 = 10;
const HEXAHEDRON: u8 = 12;

/// Writes a `.vtu` a frame, and a `.pvd`.
pub struct VtuSeries {
    name: SeriesName,
    frames: TimeSeries,
    obstacles: TimeSeries,
    /// The obstacles as last written.
    last_obstacles: Vec<Arc<TriangleMesh>>,
    written: Vec<PathBuf>,
    last_number: Option<usize>,
}

impl VtuSeries {
    /// A series of this name. The folder must exist.
    pub fn new(name: SeriesName) -> Self {
        Self {
            frames: TimeSeries::new(name.index_path("pvd")),
            obstacles: TimeSeries::new(name.obstacles_path(None, "pvd")),
            last_obstacles: Vec::new(),
            written: Vec::new(),
            last_number: None,
            name,
        }
    }

    fn write_obstacles(&mut self, frame: &Frame) -> Result<(), IoError> {
        let unchanged = frame.obstacles.len() == self.last_obstacles.len()
            && frame
                .obstacles
                .iter()
                .zip(&self.last_obstacles)
                .all(|(new, old)| Arc::ptr_eq(&new.mesh, old) || new.mesh == *old);
        if unchanged {
            return Ok(());
        }
        let first = self.obstacles.len() == 0;
        let number = (!first).then_some(frame.number);
        let path = self.name.obstacles_path(number, "vtu");
        obstacle_grid(frame, &frame.obstacles)?.save(&path, frame, "obstacles")?;
        self.obstacles.push(frame.time, &path);
        self.written.push(path);
        if !first {
            self.obstacles.save()?;
        }
        self.last_obstacles = frame
            .obstacles
            .iter()
            .map(|obstacle| obstacle.mesh.clone())
            .collect();
        Ok(())
    }
}

impl FrameSink for VtuSeries {
    fn write(&mut self, frame: &Frame) -> Result<(), IoError> {
        check_frame(frame)?;
        self.write_obstacles(frame)?;
        let path = self.name.frame_path(frame.number, "vtu");
        body_grid(frame)?.save(&path, frame, "bodies")?;
        self.frames.push(frame.time, &path);
        self.written.push(path);
        self.last_number = Some(frame.number);
        self.frames.save()
    }

    fn finish(&mut self) -> Result<Vec<PathBuf>, IoError> {
        if let Some(last) = self.last_number {
            self.name.remove_frames_after(last, "vtu")?;
        }
        // An earlier run may have left a list of obstacles that this one has overwritten.
        if self.obstacles.len() == 1 && self.obstacles.path().exists() {
            self.obstacles.save()?;
        }
        let mut paths = Vec::new();
        if self.frames.len() > 0 {
            paths.push(self.frames.path().to_path_buf());
        }
        if self.obstacles.len() > 1 {
            paths.push(self.obstacles.path().to_path_buf());
        }
        paths.extend_from_slice(&self.written);
        Ok(paths)
    }
}

/// A grid ready to be written.
struct UnstructuredGrid {
    point_count: usize,
    cell_count: usize,
    points: DataArray,
    point_data: Vec<DataArray>,
    connectivity: DataArray,
    offsets: DataArray,
    types: DataArray,
    /// Entries of the connectivity so far.
    corner_count: usize,
    /// Names of what the grid shows, for people who read the file.
    names: Vec<String>,
}

impl UnstructuredGrid {
    fn new() -> Self {
        Self {
            point_count: 0,
            cell_count: 0,
            points: DataArray::new("Points", "Float64", 3),
            point_data: Vec::new(),
            connectivity: DataArray::new("connectivity", "Int32", 1),
            offsets: DataArray::new("offsets", "Int32", 1),
            types: DataArray::new("types", "UInt8", 1),
            corner_count: 0,
            names: Vec::new(),
        }
    }

    fn add_points(&mut self, positions: &[DVec3]) {
        push_vectors(&mut self.points, positions);
        self.point_count += positions.len();
    }

    /// Adds cells whose corners count from the point `first`.
    fn add_cells<const N: usize>(&mut self, kind: u8, first: usize, cells: &[[u32; N]]) {
        for cell in cells {
            for &corner in cell {
                // `check_size` has made sure that nothing is cut off here.
                let index = first + corner as usize;
                self.connectivity.push((index as i32).to_le_bytes());
            }
            self.corner_count += N;
            self.offsets.push((self.corner_count as i32).to_le_bytes());
            self.types.push([kind]);
        }
        self.cell_count += cells.len();
    }

    fn add_topology(&mut self, first: usize, node_count: usize, topology: &Topology) {
        self.add_cells(LINE, first, &topology.lines);
        if topology.hexahedra.is_empty() && topology.tetrahedra.is_empty() {
            self.add_cells(TRIANGLE, first, &topology.triangles);
        }
        self.add_cells(HEXAHEDRON, first, &topology.hexahedra);
        self.add_cells(TETRAHEDRON, first, &topology.tetrahedra);
        let points = loose_nodes(topology, node_count);
        self.add_cells(VERTEX, first, points.as_chunks::<1>().0);
    }

    fn save(self, path: &Path, frame: &Frame, what: &str) -> Result<(), IoError> {
        let mut file = AtomicFile::create(path)?;
        self.write_to(&mut file, frame, what)
            .map_err(|source| IoError::Write {
                path: path.to_path_buf(),
                source,
            })?;
        file.commit()
    }

    fn write_to(self, file: &mut impl Write, frame: &Frame, what: &str) -> io::Result<()> {
        write_header(file, "UnstructuredGrid")?;
        write!(file, "<!-- {SIGNATURE}, {what}:")?;
        for (index, name) in self.names.iter().enumerate() {
            // Two hyphens would end the comment.
            let name = name.replace('-', "_").replace(char::is_control, "_");
            write!(file, " {index} = {name};")?;
        }
        writeln!(file, " -->\n<UnstructuredGrid>")?;
        writeln!(
            file,
            "<FieldData><DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfComponents=\"1\" \
             NumberOfTuples=\"1\" format=\"ascii\">{:?}</DataArray></FieldData>",
            frame.time
        )?;
        writeln!(
            file,
            "<Piece NumberOfPoints=\"{}\" NumberOfCells=\"{}\">",
            self.point_count, self.cell_count
        )?;
        writeln!(file, "<PointData>")?;
        for array in self.point_data {
            array.write(file)?;
        }
        writeln!(file, "</PointData>\n<Points>")?;
        self.points.write(file)?;
        writeln!(file, "</Points>\n<Cells>")?;
        self.connectivity.write(file)?;
        self.offsets.write(file)?;
        self.types.write(file)?;
        writeln!(file, "</Cells>\n</Piece>\n</UnstructuredGrid>\n</VTKFile>")
    }
}

fn body_grid(frame: &Frame) -> Result<UnstructuredGrid, IoError> {
    let sizes = frame.bodies.iter().map(|body| {
        let topology = &body.topology;
        let corners = topology.points.len()
            + 2 * topology.lines.len()
            + 3 * topology.triangles.len()
            + 8 * topology.hexahedra.len()
            + 4 * topology.tetrahedra.len();
        corners.max(body.positions.len())
    });
    check_size(frame, sizes)?;
    let mut grid = UnstructuredGrid::new();
    let mut velocity = DataArray::new("velocity", "Float64", 3);
    let mut elastic_force = DataArray::new("elastic_force", "Float64", 3);
    let mut external_force = DataArray::new("external_force", "Float64", 3);
    let mut material = DataArray::new("material_coordinates", "Float32", 3);
    let mut fixed = DataArray::new("fixed", "UInt8", 1);
    let mut index = DataArray::new("body", "Int32", 1);
    for (body_index, body) in frame.bodies.iter().enumerate() {
        let first = grid.point_count;
        grid.names.push(body.name.to_string());
        grid.add_points(&body.positions);
        grid.add_topology(first, body.positions.len(), &body.topology);
        push_vectors(&mut velocity, &body.velocities);
        push_vectors(&mut elastic_force, &body.elastic_forces);
        push_vectors(&mut external_force, &body.external_forces);
        for node in 0..body.positions.len() {
            let coordinates = body.topology.material_coordinates.get(node);
            for value in coordinates.copied().unwrap_or_default() {
                material.push((value as f32).to_le_bytes());
            }
            fixed.push([u8::from(body.fixed[node])]);
            index.push((body_index as i32).to_le_bytes());
        }
    }
    grid.point_data = vec![
        velocity,
        elastic_force,
        external_force,
        material,
        index,
        fixed,
    ];
    grid.point_data.extend(field_arrays(frame));
    Ok(grid)
}

/// One array for each field that any body has.
fn field_arrays(frame: &Frame) -> Vec<DataArray> {
    field_names(frame)
        .into_iter()
        .map(|name| {
            let mut array = DataArray::new(name, "Float64", 1);
            for body in &frame.bodies {
                let field = body.fields.iter().find(|field| field.name == name);
                for node in 0..body.positions.len() {
                    let value = field.map_or(0.0, |field| field.values[node]);
                    array.push(value.to_le_bytes());
                }
            }
            array
        })
        .collect()
}

fn obstacle_grid(frame: &Frame, obstacles: &[FrameObstacle]) -> Result<UnstructuredGrid, IoError> {
    let sizes = obstacles
        .iter()
        .map(|obstacle| (3 * obstacle.mesh.triangles.len()).max(obstacle.mesh.positions.len()));
    check_size(frame, sizes)?;
    let mut grid = UnstructuredGrid::new();
    let mut index = DataArray::new("obstacle", "Int32", 1);
    for (obstacle_index, obstacle) in obstacles.iter().enumerate() {
        let first = grid.point_count;
        grid.names.push(obstacle.name.to_string());
        grid.add_points(&obstacle.mesh.positions);
        grid.add_cells(TRIANGLE, first, &obstacle.mesh.triangles);
        for _ in &obstacle.mesh.positions {
            index.push((obstacle_index as i32).to_le_bytes());
        }
    }
    grid.point_data = vec![index];
    Ok(grid)
}

/// Refuses what 32-bit indices cannot count.
fn check_size(frame: &Frame, sizes: impl Iterator<Item = usize>) -> Result<(), IoError> {
    if sizes.sum::<usize>() <= i32::MAX as usize {
        return Ok(());
    }
    Err(IoError::Inconsistent {
        frame: frame.number,
        owner: "frame".to_owned(),
        reason: "it has more points or corners than a file can count".to_owned(),
    })
}

fn push_vectors(array: &mut DataArray, vectors: &[DVec3]) {
    for vector in vectors {
        for value in vector.to_array() {
            array.push(value.to_le_bytes());
        }
    }
}
