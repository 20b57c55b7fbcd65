//! Damaged meshes are read or refused: no panic, no hang, no memory beyond what their length can
//! account for, and none that was cut off passes for whole.
//!
//! Every sample of `meshes/` is cut off at many lengths and damaged in thousands of ways, the same
//! in every run.

use pliant::mesh::ElementMesh;
use pliant_io::mesh::{MeshFormat, MeshReadError, parse_mesh, parse_tetgen};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::path::Path;

/// Counts the memory that each thread holds, and the most that it held.
struct Counting;

thread_local! {
    static HELD: Cell<isize> = const { Cell::new(0) };
    static MOST: Cell<isize> = const { Cell::new(0) };
}

// SAFETY: everything is passed on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // A thread that ends has no counters any more, and needs none.
        let _ = HELD.try_with(|held| {
            held.set(held.get() + layout.size() as isize);
            let _ = MOST.try_with(|most| most.set(most.get().max(held.get())));
        });
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        let _ = HELD.try_with(|held| held.set(held.get() - layout.size() as isize));
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The bytes that reading may hold for each byte of a file: the largest is a scattered node of a
/// text file, and XML.
const BYTES_A_BYTE: usize = 100;
/// The bytes that reading may hold for any file: tables of the decompressor, messages.
const BYTES_ANYWAY: usize = 1 << 18;

/// A small generator of numbers (splitmix64).
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }
}

/// A file of the samples and how to read it after it was damaged.
struct Sample {
    name: String,
    format: MeshFormat,
    bytes: Vec<u8>,
    /// The other file of the pair of TetGen.
    sibling: Vec<u8>,
}

impl Sample {
    fn read(&self, bytes: &[u8]) -> Result<ElementMesh, MeshReadError> {
        let before = HELD.get();
        MOST.set(before);
        let mesh = if self.format != MeshFormat::TetGen {
            parse_mesh(bytes, self.format)
        } else if self.name.ends_with(".node") {
            parse_tetgen(bytes, &self.sibling)
        } else {
            parse_tetgen(&self.sibling, bytes)
        };
        let held = (MOST.get() - before) as usize;
        let length = bytes.len() + self.sibling.len();
        assert!(
            held <= BYTES_A_BYTE * length + BYTES_ANYWAY,
            "{}: {held} bytes held for {length} bytes of file",
            self.name
        );
        if let Err(error) = &mesh {
            assert!(error.to_string().len() < 1000, "{}: {error}", self.name);
        }
        mesh
    }
}

fn samples() -> Vec<Sample> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/meshes");
    let mut samples = Vec::new();
    for file in std::fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        let extension = path.extension().unwrap_or_default();
        let extension = extension.to_str().unwrap().to_string();
        let Some(format) = MeshFormat::from_extension(&extension) else {
            continue;
        };
        let sibling = match extension.as_str() {
            "node" => std::fs::read(path.with_extension("ele")).unwrap(),
            "ele" => std::fs::read(path.with_extension("node")).unwrap(),
            _ => Vec::new(),
        };
        samples.push(Sample {
            name: path.file_name().unwrap().to_str().unwrap().to_string(),
            format,
            bytes: std::fs::read(&path).unwrap(),
            sibling,
        });
    }
    samples.sort_by(|a, b| a.name.cmp(&b.name));
    assert!(samples.len() > 70);
    samples
}

fn sizes(mesh: &ElementMesh) -> (usize, Vec<usize>) {
    let blocks = mesh.blocks.iter().map(|block| block.len());
    (mesh.positions.len(), blocks.collect())
}

#[test]
fn files_that_were_cut_off_do_not_pass_for_whole() {
    for sample in samples() {
        let whole = sample.read(&sample.bytes).ok().map(|mesh| sizes(&mesh));
        let step = (sample.bytes.len() / 2000).max(1);
        for length in (0..sample.bytes.len()).step_by(step) {
            let Ok(mesh) = sample.read(&sample.bytes[..length]) else {
                continue;
            };
            // OBJ does not say how much there should be, and white space or data that are not read
            // may be missing from others.
            let name = &sample.name;
            if sample.format != MeshFormat::Obj {
                assert_eq!(Some(sizes(&mesh)), whole, "{name} cut off at {length}");
            }
        }
    }
}

/// Words that do harm where a number is expected.
const HARMFUL: [&[u8]; 12] = [
    b"-1",
    b"0",
    b"4294967295",
    b"4294967296",
    b"1000000000000000000",
    b"9223372036854775807",
    b"-9223372036854775808",
    b"18446744073709551616",
    b"nan",
    b"1e999",
    b"$",
    b"\xff\xfe",
];

fn damage(bytes: &[u8], chance: &mut Chance) -> Vec<u8> {
    let mut damaged = bytes.to_vec();
    for _ in 0..1 + chance.below(3) {
        let at = chance.below(damaged.len());
        let end = (at + 1 + chance.below(24)).min(damaged.len());
        match chance.below(7) {
            0 if at < damaged.len() => damaged[at] ^= 1 << chance.below(8),
            1 if at < damaged.len() => damaged[at] = chance.next() as u8,
            2 => drop(damaged.drain(at..end)),
            3 => {
                let again = damaged[at..end].to_vec();
                damaged.splice(at..at, again);
            }
            // A whole word of text becomes another.
            4 => {
                let space = |byte: &u8| byte.is_ascii_whitespace();
                let start = damaged[..at].iter().rposition(space).map_or(0, |p| p + 1);
                let length = damaged[start..].iter().position(space);
                let end = start + length.unwrap_or(damaged.len() - start);
                let word = HARMFUL[chance.below(HARMFUL.len())];
                damaged.splice(start..end, word.iter().copied());
            }
            // Some bytes become all zeros or all ones: the least and the largest binary numbers.
            5 => damaged[at..end].fill(0),
            _ => damaged[at..end].fill(0xff),
        }
    }
    damaged
}

#[test]
fn damaged_files_are_read_or_refused() {
    let mut chance = Chance(1988);
    let (mut read, mut refused) = (0, 0);
    for sample in samples() {
        for _ in 0..1000 {
            let damaged = damage(&sample.bytes, &mut chance);
            match sample.read(&damaged) {
                Ok(mesh) => {
                    assert_eq!(mesh.check(), Ok(()), "{}", sample.name);
                    read += 1;
                }
                Err(_) => refused += 1,
            }
        }
    }
    // Both happen often, or the damage is too gentle or too coarse to tell anything.
    assert!(
        read > 5_000 && refused > 20_000,
        "{read} read, {refused} refused"
    );
}

#[test]
fn every_format_meets_every_file() {
    for sample in samples() {
        for format in MeshFormat::ALL {
            let stranger = Sample {
                name: sample.name.clone(),
                format,
                bytes: sample.bytes.clone(),
                sibling: Vec::new(),
            };
            let _ = stranger.read(&stranger.bytes);
        }
    }
}

#[test]
fn headers_that_claim_too_much_are_refused_at_once() {
    let huge = 1_000_000_000_000_000_000_u64;
    let big = |word: &str, count: u64| format!("{word} {count}");
    let files = [
        (
            MeshFormat::Gmsh,
            format!("$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 {huge} 1 {huge}\n"),
        ),
        (
            MeshFormat::Gmsh,
            format!("$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Entities\n{huge} 0 0 0\n"),
        ),
        (
            MeshFormat::Vtk,
            format!(
                "# vtk DataFile Version 3.0\na\nBINARY\nDATASET POLYDATA\n{} float\n",
                big("POINTS", huge)
            ),
        ),
        (
            MeshFormat::Vtk,
            format!(
                "# vtk DataFile Version 5.1\na\nASCII\nDATASET UNSTRUCTURED_GRID\n\
                 POINTS 1 float\n0 0 0\nCELLS {huge} {huge}\nOFFSETS vtktypeint64\n0 {huge}\n"
            ),
        ),
        (
            MeshFormat::Vtu,
            format!(
                "<VTKFile type=\"UnstructuredGrid\"><UnstructuredGrid><Piece \
                 NumberOfPoints=\"{huge}\" NumberOfCells=\"{huge}\"><Points><DataArray \
                 type=\"Float64\" format=\"ascii\">0 0 0</DataArray></Points></Piece>\
                 </UnstructuredGrid></VTKFile>"
            ),
        ),
        (
            MeshFormat::Ply,
            format!(
                "ply\nformat binary_little_endian 1.0\nelement vertex {huge}\nproperty float x\n\
                 property float y\nproperty float z\nend_header\n"
            ),
        ),
        (
            MeshFormat::Veg,
            format!("*VERTICES\n{huge} 3 0 0\n*ELEMENTS\nTET\n{huge} 4 0\n"),
        ),
        (
            MeshFormat::Stl,
            format!("{}\u{7f}\u{7f}\u{7f}\u{7f}", " ".repeat(80)),
        ),
    ];
    for (format, text) in files {
        let sample = Sample {
            name: format!("{format:?}"),
            format,
            bytes: text.into_bytes(),
            sibling: Vec::new(),
        };
        sample.read(&sample.bytes).unwrap_err();
    }
}

/// Files whose reading would take the square of their length if places of faults, or data used
/// twice, were not thought of.
#[test]
fn long_files_do_not_take_long() {
    let piece = "<Piece NumberOfPoints=\"0\" NumberOfCells=\"0\"><Points><DataArray \
        type=\"Float64\" format=\"ascii\">\n</DataArray></Points></Piece>\n";
    let pieces = piece.repeat(20_000);
    let vtu = format!(
        "<VTKFile type=\"UnstructuredGrid\"><UnstructuredGrid>{pieces}</UnstructuredGrid></VTKFile>"
    );
    let blocks = "3 1 5 0\n".repeat(200_000);
    let gmsh = format!(
        "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n0 0 0 0\n$EndNodes\n$Elements\n200000 0 0 \
         0\n{blocks}$EndElements\n"
    );
    let elements = "1 5 0 1 1 1 1 1 1 1 1\n".repeat(100_000);
    let gmsh_2 = format!(
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n1\n1 0 0 0\n$EndNodes\n$Elements\n100000\n\
         {elements}$EndElements\n"
    );
    let started = std::time::Instant::now();
    parse_mesh(vtu.as_bytes(), MeshFormat::Vtu).unwrap_err();
    parse_mesh(gmsh.as_bytes(), MeshFormat::Gmsh).unwrap_err();
    parse_mesh(gmsh_2.as_bytes(), MeshFormat::Gmsh).unwrap_err();
    let taken = started.elapsed().as_secs_f64();
    assert!(taken < 10.0, "{taken} s");
}

#[test]
fn a_tag_with_hundreds_of_thousands_of_attributes_is_refused_at_once() {
    let attributes: String = (0..300_000).map(|i| format!(" a{i}=\"1\"")).collect();
    let text = format!("<VTKFile type=\"UnstructuredGrid\"{attributes}/>");
    let start = std::time::Instant::now();
    let error = parse_mesh(text.as_bytes(), MeshFormat::Vtu).unwrap_err();
    assert!(
        error.to_string().contains("more than 256 attributes"),
        "{error}"
    );
    assert!(start.elapsed().as_secs() < 5, "{:?}", start.elapsed());
    let deep = "<a>".repeat(100_000);
    assert!(parse_mesh(deep.as_bytes(), MeshFormat::Vtu).is_err());
}
