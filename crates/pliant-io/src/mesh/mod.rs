//! Meshes in: one file per format.
//!
//! [`read_mesh`] reads a file, [`parse_mesh`] bytes in memory. What comes out is an
//! [`ElementMesh`]: nodes in the order of the file, and one block of elements for each kind that it
//! has. Nodes that no element uses are kept.
//!
//! | format | extension | what is read |
//! |---|---|---|
//! | Gmsh 2 and 4.1, text and binary | `.msh` | all kinds of elements; physical groups as regions |
//! | VTK, text and binary | `.vtk` | unstructured grids and polygonal data |
//! | VTK XML | `.vtu` | unstructured grids, in all encodings but LZ4 and LZMA |
//! | TetGen | `.node` and `.ele` | tetrahedra; attributes as regions |
//! | VegaFEM | `.veg` | tetrahedra |
//! | Wavefront OBJ | `.obj` | faces, as triangles |
//! | STL, text and binary | `.stl` | triangles, corners joined |
//! | Stanford PLY, text and binary | `.ply` | faces, as triangles |
//!
//! Elements of a kind that Pliant does not have are an error that names the kind, unless elements of
//! a higher dimension are there: then they are the edges and faces of these, and are left out.
//!
//! [`write_gmsh`] writes a mesh for other programs.
//!
//! Files are not trusted: one that is cut off, damaged or made to harm gives an error, and no more
//! memory is asked for than the length of the file can account for.

mod cursor;
mod elements;
mod error;
mod gmsh;
mod gmsh_2;
mod gmsh_4;
mod gmsh_kinds;
mod gmsh_write;
mod obj;
mod obj_image;
mod ply;
mod ply_image;
mod stl;
mod tetgen;
mod veg;
mod vtk_attributes;
mod vtk_cells;
mod vtk_legacy;
mod vtu;
mod vtu_data;

pub use error::{MeshReadError, Place};
pub use gmsh_write::{MeshWriteError, write_gmsh};

use crate::{Assets, FolderAssets};
use pliant::frame::ImageCorners;
use pliant::mesh::ElementMesh;
use std::path::{Component, Path};

/// A format that meshes are read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MeshFormat {
    /// Gmsh, versions 2 and 4.1.
    Gmsh,
    /// VTK, the old format.
    Vtk,
    /// VTK XML, an unstructured grid.
    Vtu,
    /// TetGen, a pair of files.
    TetGen,
    /// VegaFEM.
    Veg,
    /// Wavefront OBJ.
    Obj,
    /// STL, text or binary.
    Stl,
    /// Stanford PLY.
    Ply,
}

impl MeshFormat {
    /// Every format.
    pub const ALL: [Self; 8] = [
        Self::Gmsh,
        Self::Vtk,
        Self::Vtu,
        Self::TetGen,
        Self::Veg,
        Self::Obj,
        Self::Stl,
        Self::Ply,
    ];

    /// The name, for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Gmsh => "Gmsh",
            Self::Vtk => "VTK",
            Self::Vtu => "VTK XML",
            Self::TetGen => "TetGen",
            Self::Veg => "VegaFEM",
            Self::Obj => "Wavefront OBJ",
            Self::Stl => "STL",
            Self::Ply => "Stanford PLY",
        }
    }

    /// The extensions of its files, without the dot.
    pub fn extensions(self) -> &'static [&'static str] {
        match self {
            Self::Gmsh => &["msh"],
            Self::Vtk => &["vtk"],
            Self::Vtu => &["vtu"],
            Self::TetGen => &["node", "ele"],
            Self::Veg => &["veg"],
            Self::Obj => &["obj"],
            Self::Stl => &["stl"],
            Self::Ply => &["ply"],
        }
    }

    /// The format of files with an extension, in large or small letters.
    ///
    /// ```
    /// use pliant_io::mesh::MeshFormat;
    /// assert_eq!(MeshFormat::from_extension("MSH"), Some(MeshFormat::Gmsh));
    /// assert_eq!(MeshFormat::from_extension("txt"), None);
    /// ```
    pub fn from_extension(extension: &str) -> Option<Self> {
        let extension = extension.to_ascii_lowercase();
        let mut all = Self::ALL.into_iter();
        all.find(|format| format.extensions().contains(&extension.as_str()))
    }

    /// The format that the first bytes give away. OBJ and TetGen have no such mark.
    pub fn from_content(bytes: &[u8]) -> Option<Self> {
        let start = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let start = start.trim_ascii_start();
        let marks: [(&[u8], Self); 7] = [
            (b"$MeshFormat", Self::Gmsh),
            (b"$Comments", Self::Gmsh),
            (b"# vtk DataFile", Self::Vtk),
            (b"<?xml", Self::Vtu),
            (b"<VTKFile", Self::Vtu),
            (b"ply\n", Self::Ply),
            (b"ply\r", Self::Ply),
        ];
        let marked = marks.iter().find(|(mark, _)| start.starts_with(mark));
        let marked = marked.map(|(_, format)| *format);
        marked.or_else(|| stl::is_binary(bytes).then_some(Self::Stl))
    }
}

/// Reads a mesh. The content says what the format is, and the extension where the content has no
/// mark. Of the two files of TetGen either may be given: the other stands beside it.
///
/// ```no_run
/// use pliant::mesh::ElementKind;
/// let mesh = pliant_io::mesh::read_mesh("liver.msh".as_ref())?;
/// println!("{} tetrahedra", mesh.elements_of(ElementKind::Tetrahedron4));
/// # Ok::<(), pliant_io::mesh::MeshReadError>(())
/// ```
pub fn read_mesh(path: &Path) -> Result<ElementMesh, MeshReadError> {
    read_mesh_from(&FolderAssets::new(""), path)
}

/// Reads a mesh by its full name among assets, and the files that belong to it.
pub fn read_mesh_from(assets: &dyn Assets, path: &Path) -> Result<ElementMesh, MeshReadError> {
    let bytes = load(assets, path)?;
    let extension = path.extension().unwrap_or_default().to_string_lossy();
    let by_extension = MeshFormat::from_extension(&extension);
    let format = MeshFormat::from_content(&bytes).or(by_extension);
    let Some(format) = format else {
        return Err(unknown(path));
    };
    let file = path.display().to_string();
    match format {
        MeshFormat::TetGen => read_tetgen(assets, path, &bytes, &extension),
        MeshFormat::Veg => veg::read(&bytes, &file, &mut |name| load_included(assets, path, name)),
        _ => parse(&bytes, format, &file),
    }
}

/// Where an image lies on the triangles of a mesh file, by its full name among assets; `None` if the
/// file does not say. OBJ and PLY may, and VTK files old and new.
pub fn read_image_corners(assets: &dyn Assets, path: &Path) -> Option<ImageCorners> {
    let bytes = load(assets, path).ok()?;
    let extension = path.extension()?.to_string_lossy();
    let format = MeshFormat::from_content(&bytes);
    // What cannot be read has been refused where the mesh was read.
    let corners = match format.or(MeshFormat::from_extension(&extension))? {
        MeshFormat::Obj => obj_image::read(&bytes),
        MeshFormat::Ply => ply_image::read(&bytes).ok()?,
        MeshFormat::Vtk => ImageCorners::at_nodes(vtk_legacy::image_places(&bytes).ok()?),
        MeshFormat::Vtu => ImageCorners::at_nodes(vtu::image_places(&bytes).ok()?),
        _ => return None,
    };
    (!corners.is_empty()).then_some(corners)
}

/// Reads a mesh from the bytes of a file.
///
/// The two files of TetGen are read by [`parse_tetgen`], and a VegaFEM file that includes others
/// only by [`read_mesh`].
///
/// ```
/// use pliant_io::mesh::{MeshFormat, parse_mesh};
/// let square = b"v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n";
/// let mesh = parse_mesh(square, MeshFormat::Obj)?;
/// assert_eq!(mesh.blocks[0].nodes, [0, 1, 2, 0, 2, 3]);
///
/// let error = parse_mesh(b"v 0 0\n", MeshFormat::Obj).unwrap_err();
/// assert_eq!(error.to_string(), "Wavefront OBJ, line 1: expected a coordinate, found ''");
/// # Ok::<(), pliant_io::mesh::MeshReadError>(())
/// ```
pub fn parse_mesh(bytes: &[u8], format: MeshFormat) -> Result<ElementMesh, MeshReadError> {
    parse(bytes, format, format.name())
}

/// Reads a mesh from the bytes of the two files of TetGen.
///
/// ```
/// let node = b"4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n";
/// let ele = b"1 4 0\n1 1 2 3 4\n";
/// let mesh = pliant_io::mesh::parse_tetgen(node, ele)?;
/// assert_eq!(mesh.blocks[0].nodes, [0, 1, 2, 3]);
/// # Ok::<(), pliant_io::mesh::MeshReadError>(())
/// ```
pub fn parse_tetgen(node: &[u8], ele: &[u8]) -> Result<ElementMesh, MeshReadError> {
    parse_pair(node, "TetGen .node", ele, "TetGen .ele")
}

fn parse(bytes: &[u8], format: MeshFormat, file: &str) -> Result<ElementMesh, MeshReadError> {
    let incomplete = |reason: &str| MeshReadError::Incomplete {
        file: file.to_string(),
        reason: reason.to_string(),
    };
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mesh = match format {
        MeshFormat::Gmsh => gmsh::read(bytes),
        MeshFormat::Vtk => vtk_legacy::read(bytes),
        MeshFormat::Vtu => vtu::read(bytes),
        MeshFormat::TetGen => {
            return Err(incomplete("TetGen needs both its .node and its .ele file"));
        }
        MeshFormat::Veg => {
            let mut refuse = |name: &str| {
                let reason = format!("'{name}' is to be included, which data in memory cannot do");
                Err(incomplete(&reason))
            };
            return veg::read(bytes, file, &mut refuse);
        }
        MeshFormat::Obj => obj::read(bytes),
        MeshFormat::Stl => stl::read(bytes),
        MeshFormat::Ply => ply::read(bytes),
    };
    mesh.map_err(|fault| fault.in_file(file))
}

fn parse_pair(
    node: &[u8],
    node_file: &str,
    ele: &[u8],
    ele_file: &str,
) -> Result<ElementMesh, MeshReadError> {
    let nodes = tetgen::read_nodes(node).map_err(|fault| fault.in_file(node_file))?;
    tetgen::read_elements(ele, nodes).map_err(|fault| fault.in_file(ele_file))
}

fn read_tetgen(
    assets: &dyn Assets,
    path: &Path,
    bytes: &[u8],
    extension: &str,
) -> Result<ElementMesh, MeshReadError> {
    let given_nodes = extension.eq_ignore_ascii_case("node");
    let sibling = path.with_extension(if given_nodes { "ele" } else { "node" });
    let other = load(assets, &sibling).map_err(|error| MeshReadError::Incomplete {
        file: path.display().to_string(),
        reason: format!("TetGen needs both its .node and its .ele file, and {error}"),
    })?;
    let (given, found) = (path.display().to_string(), sibling.display().to_string());
    if given_nodes {
        parse_pair(bytes, &given, &other, &found)
    } else {
        parse_pair(&other, &found, bytes, &given)
    }
}

fn load(assets: &dyn Assets, path: &Path) -> Result<Vec<u8>, MeshReadError> {
    let read = assets.read(&path.to_string_lossy());
    read.map_err(|source| MeshReadError::Open {
        path: path.to_path_buf(),
        source,
    })
}

/// A file that another includes. It must stand in the folder of the other or below: a mesh from
/// elsewhere has no business in the rest of the disk.
fn load_included(assets: &dyn Assets, path: &Path, name: &str) -> Result<Vec<u8>, MeshReadError> {
    let inside = |part: Component| matches!(part, Component::Normal(_) | Component::CurDir);
    if name.is_empty() || !Path::new(name).components().all(inside) {
        return Err(MeshReadError::Incomplete {
            file: path.display().to_string(),
            reason: format!("'{name}' is to be included, and is no name within the same folder"),
        });
    }
    let included = path.parent().unwrap_or(Path::new("")).join(name);
    load(assets, &included)
}

fn unknown(path: &Path) -> MeshReadError {
    let all = MeshFormat::ALL
        .iter()
        .flat_map(|format| format.extensions());
    let known: Vec<String> = all.map(|extension| format!(".{extension}")).collect();
    MeshReadError::UnknownFormat {
        path: path.to_path_buf(),
        known: known.join(", "),
    }
}
