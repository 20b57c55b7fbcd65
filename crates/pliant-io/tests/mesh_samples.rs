//! Every sample mesh of `meshes/` gives the nodes, elements, volume and regions that the table of
//! its README.md says, and every node of a second-order element stands where VTK has it.

use glam::DVec3;
use pliant::mesh::{ElementBlock, ElementKind, ElementMesh};
use pliant_io::mesh::{MeshFormat, MeshReadError, parse_mesh, parse_tetgen, read_mesh};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/meshes")
}

/// The rows of the table, cell by cell.
fn table() -> Vec<Vec<String>> {
    let readme = std::fs::read_to_string(folder().join("README.md")).unwrap();
    let rows = readme.lines().filter(|line| line.starts_with("| "));
    let cells = |row: &str| {
        let cells = row.split('|').map(|cell| cell.trim().to_string());
        cells.skip(1).collect::<Vec<_>>()
    };
    rows.skip(1).map(cells).collect()
}

fn tetrahedron_volume(corners: [DVec3; 4]) -> f64 {
    let [a, b, c, d] = corners;
    (b - a).cross(c - a).dot(d - a) / 6.0
}

/// Length, area or signed volume of an element, from its corners.
fn measure(kind: ElementKind, x: &[DVec3]) -> f64 {
    let area = |a: usize, b: usize, c: usize| (x[b] - x[a]).cross(x[c] - x[a]).length() / 2.0;
    match kind {
        ElementKind::Line2 => x[0].distance(x[1]),
        ElementKind::Triangle3 | ElementKind::Triangle6 => area(0, 1, 2),
        ElementKind::Quad4 | ElementKind::Quad9 => area(0, 1, 2) + area(0, 2, 3),
        ElementKind::Tetrahedron4 | ElementKind::Tetrahedron10 => {
            tetrahedron_volume([x[0], x[1], x[2], x[3]])
        }
        ElementKind::Brick20 => {
            // Six tetrahedra around the diagonal from corner 0 to corner 6.
            let around = [1, 2, 3, 7, 4, 5, 1];
            let slices = around.windows(2);
            slices
                .map(|pair| tetrahedron_volume([x[0], x[pair[0]], x[pair[1]], x[6]]))
                .sum()
        }
    }
}

/// The corners between which each further node of an element stands, in the order of VTK.
fn middles(kind: ElementKind) -> &'static [&'static [usize]] {
    match kind {
        ElementKind::Triangle6 => &[&[0, 1], &[1, 2], &[2, 0]],
        ElementKind::Quad9 => &[&[0, 1], &[1, 2], &[2, 3], &[3, 0], &[0, 1, 2, 3]],
        ElementKind::Tetrahedron10 => &[&[0, 1], &[1, 2], &[2, 0], &[0, 3], &[1, 3], &[2, 3]],
        ElementKind::Brick20 => &[
            &[0, 1],
            &[1, 2],
            &[2, 3],
            &[3, 0],
            &[4, 5],
            &[5, 6],
            &[6, 7],
            &[7, 4],
            &[0, 4],
            &[1, 5],
            &[2, 6],
            &[3, 7],
        ],
        _ => &[],
    }
}

fn positions(mesh: &ElementMesh, nodes: &[u32]) -> Vec<DVec3> {
    let position = |&node: &u32| mesh.positions[node as usize];
    nodes.iter().map(position).collect()
}

/// The blocks of the highest dimension.
fn main_blocks(mesh: &ElementMesh) -> Vec<&ElementBlock> {
    let dimension = |block: &&ElementBlock| block.kind.dimension();
    let most = mesh.blocks.iter().map(|block| dimension(&block)).max();
    let blocks = mesh.blocks.iter();
    blocks
        .filter(|block| Some(dimension(block)) == most)
        .collect()
}

fn check_sample(name: &str, mesh: &ElementMesh, row: &[String]) {
    assert_eq!(mesh.positions.len().to_string(), row[2], "{name}");
    let mut wanted = BTreeSet::new();
    for count in row[3].split_whitespace() {
        wanted.insert(count.to_string());
    }
    let found = mesh.blocks.iter();
    let found = found.map(|block| format!("{:?}:{}", block.kind, block.len()));
    assert_eq!(found.collect::<BTreeSet<_>>(), wanted, "{name}");

    let mut total = 0.0;
    let mut regions = BTreeSet::new();
    for block in main_blocks(mesh) {
        regions.extend(block.regions.iter().copied());
        for nodes in block.elements() {
            let x = positions(mesh, nodes);
            let size = measure(block.kind, &x);
            assert!(size > 0.0, "{name}: an element of size {size}");
            total += size;
            let corner_count = nodes.len() - middles(block.kind).len();
            for (place, corners) in middles(block.kind).iter().enumerate() {
                let sum: DVec3 = corners.iter().map(|&corner| x[corner]).sum();
                let middle = sum / corners.len() as f64;
                let node = corner_count + place;
                assert!(x[node].distance(middle) < 1e-6, "{name}: node {node}");
            }
        }
    }
    let wanted: f64 = row[4].parse().unwrap();
    assert!((total - wanted).abs() < 1e-6, "{name}: {total}");
    let wanted: BTreeSet<i32> = row[5]
        .split_whitespace()
        .map(|r| r.parse().unwrap())
        .collect();
    assert_eq!(regions, wanted, "{name}");
}

#[test]
fn samples_are_read_as_their_makers_meant_them() {
    let rows = table();
    assert!(rows.len() > 70, "{} samples", rows.len());
    for row in rows {
        let name = &row[0];
        let mesh = read_mesh(&folder().join(name));
        if row[2] == "refused" {
            let message = mesh.unwrap_err().to_string();
            assert!(message.contains(&row[3]), "{name}: {message}");
            assert!(message.contains(name), "{name}: {message}");
            continue;
        }
        let mesh = mesh.unwrap_or_else(|error| panic!("{error}"));
        check_sample(name, &mesh, &row);
    }
}

#[test]
fn every_file_of_the_folder_is_in_the_table() {
    let named: BTreeSet<String> = table().into_iter().map(|row| row[0].clone()).collect();
    for file in std::fs::read_dir(folder()).unwrap() {
        let name = file.unwrap().file_name().into_string().unwrap();
        let other = [".gitattributes", "README.md", "make_samples.py"].contains(&name.as_str());
        assert!(other || named.contains(&name), "{name}");
    }
}

#[test]
fn regions_lie_on_their_sides() {
    for name in [
        "gmsh_22_binary.msh",
        "gmsh_41.msh",
        "vtk_51_binary.vtk",
        "vtk_raw_zlib.vtu",
    ] {
        let mesh = read_mesh(&folder().join(name)).unwrap();
        for block in &mesh.blocks {
            for (nodes, &region) in block.elements().zip(&block.regions) {
                let x = positions(&mesh, nodes);
                let middle = x.iter().sum::<DVec3>() / x.len() as f64;
                assert_eq!(region, if middle.x < 1.0 { 7 } else { 9 }, "{name}");
            }
        }
    }
}

#[test]
fn surfaces_are_closed_and_face_outwards() {
    for row in table().iter().filter(|row| row[3] == "Triangle3:12") {
        let mesh = read_mesh(&folder().join(&row[0])).unwrap();
        let volume: f64 = mesh.blocks[0]
            .elements()
            .map(|nodes| {
                let x = positions(&mesh, nodes);
                x[0].cross(x[1]).dot(x[2]) / 6.0
            })
            .sum();
        assert!((volume - 6.0).abs() < 1e-6, "{}: {volume}", row[0]);
    }
}

#[test]
fn the_content_outweighs_the_extension() {
    let scratch = tempfile("content.stl");
    std::fs::copy(folder().join("gmsh_41_binary.msh"), &scratch).unwrap();
    assert_eq!(
        read_mesh(&scratch)
            .unwrap()
            .elements_of(ElementKind::Tetrahedron4),
        48
    );
    let unknown = tempfile("content.xyz");
    std::fs::write(&unknown, "1 2 3\n").unwrap();
    let error = read_mesh(&unknown).unwrap_err();
    assert!(
        matches!(error, MeshReadError::UnknownFormat { .. }),
        "{error}"
    );
    assert!(
        error.to_string().contains(".msh, .vtk, .vtu, .node, .ele"),
        "{error}"
    );
    std::fs::remove_file(scratch).unwrap();
    std::fs::remove_file(unknown).unwrap();
}

fn tempfile(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    folder.join(format!("{}_{name}", std::process::id()))
}

#[test]
fn a_pair_of_files_needs_both() {
    let lonely = tempfile("lonely.node");
    std::fs::copy(folder().join("tetgen_one.1.node"), &lonely).unwrap();
    let error = read_mesh(&lonely).unwrap_err().to_string();
    assert!(error.contains("needs both"), "{error}");
    std::fs::remove_file(lonely).unwrap();
    let error = parse_mesh(b"", MeshFormat::TetGen).unwrap_err().to_string();
    assert!(error.contains("needs both"), "{error}");
}

#[test]
fn comments_and_markers_of_tetgen_are_passed_over() {
    let node = b"# made by hand\n4 3 1 1 # nodes\n\n0 0 0 0 2.5 1\n1 1 0 0 2.5 1\n# between\n\
        2 0 1 0 2.5 0\n3 0 0 1 2.5 -1\n";
    let ele = b"1 4 1\n0 0 1 2 3 4 # the only one\n";
    let mesh = parse_tetgen(node, ele).unwrap();
    assert_eq!(mesh.blocks[0].nodes, [0, 1, 2, 3]);
    assert_eq!(mesh.blocks[0].regions, [4]);
    let error = parse_tetgen(node, b"1 4 0\n\n0 0 1 2 4\n")
        .unwrap_err()
        .to_string();
    let start = "TetGen .ele, line 3: expected the number of a node, found 4, which no node has";
    assert!(error.starts_with(start), "{error}");
    let error = parse_tetgen(node, b"1 10 0\n").unwrap_err().to_string();
    assert!(error.contains("a tetrahedron of 10 nodes"), "{error}");
}

#[test]
fn included_files_stay_in_their_folder() {
    for name in ["../secret.veg", "/etc/hostname", ""] {
        let path = tempfile("include.veg");
        std::fs::write(&path, format!("*VERTICES\n*INCLUDE {name}\n")).unwrap();
        let error = read_mesh(&path).unwrap_err().to_string();
        assert!(error.contains("no name within the same folder"), "{error}");
        std::fs::remove_file(path).unwrap();
    }
}

#[test]
fn errors_say_where_and_what() {
    let message = |text: &str, format| {
        let error = parse_mesh(text.as_bytes(), format).unwrap_err();
        error.to_string()
    };
    let gmsh = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n1\n1 0 zero 0\n";
    assert_eq!(
        message(gmsh, MeshFormat::Gmsh),
        "Gmsh, line 6: expected a coordinate of a node, found 'zero'"
    );
    let old = message("$MeshFormat\n4 0 8\n$EndMeshFormat\n", MeshFormat::Gmsh);
    assert!(old.contains("version '4' of the Gmsh format"), "{old}");
    assert!(old.contains("4.1 or 2.2"), "{old}");
    let hostile = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n1000000000000000000\n";
    let hostile = message(hostile, MeshFormat::Gmsh);
    assert!(
        hostile.contains("line 5: expected as many nodes as the file has room for"),
        "{hostile}"
    );
    let poly = message("<VTKFile type=\"PolyData\"/>", MeshFormat::Vtu);
    assert!(poly.contains("PolyData"), "{poly}");
    let empty = message("", MeshFormat::Stl);
    assert!(empty.starts_with("STL, byte 0: expected"), "{empty}");
    let empty = message("", MeshFormat::Obj);
    assert_eq!(empty, "Wavefront OBJ: the mesh has no elements");
}
