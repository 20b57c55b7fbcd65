//! VegaFEM `.veg`: tetrahedra, with regions and other files included.
//!
//! Elements and vertices are numbered from 1, or from 0 if the first vertex has the number 0. The
//! regions of the file are numbered from 1 as they stand in it; without any, the sets of elements
//! are. An element in several counts for the last; an element in none has region 0.

use super::cursor::{Cursor, Encoding, Scalar, shown};
use super::elements::{Elements, NodeNumbers};
use super::error::{Fault, MeshReadError};
use glam::DVec3;
use pliant::mesh::{ElementKind, ElementMesh};
use std::collections::HashMap;

/// Files that may be included, all in all: more is a circle.
const MOST_FILES: usize = 64;

/// Gives the content of a file that another includes, by the name that it has there.
pub(super) type Include<'a> = &'a mut dyn FnMut(&str) -> Result<Vec<u8>, MeshReadError>;

#[derive(Clone, Copy, PartialEq)]
enum Section {
    None,
    Vertices,
    Elements,
    Set,
    Region,
    /// One that says nothing about the shape.
    Other,
}

struct Veg<'i> {
    include: Include<'i>,
    files: usize,
    section: Section,
    /// Whether the first line of the vertices or elements, which says how many, was read.
    counted: bool,
    /// How many vertices and elements the file claims to have.
    claimed: [i64; 2],
    numbers: Vec<i64>,
    positions: Vec<DVec3>,
    /// The node numbers of each tetrahedron.
    tetrahedra: Vec<[i64; 4]>,
    /// The number of each tetrahedron.
    element_numbers: Vec<i64>,
    /// Names and members of the sets.
    sets: Vec<(String, Vec<i64>)>,
    /// The sets of the regions.
    regions: Vec<String>,
}

pub(super) fn read(
    bytes: &[u8],
    file: &str,
    include: Include<'_>,
) -> Result<ElementMesh, MeshReadError> {
    let mut veg = Veg {
        include,
        files: 0,
        section: Section::None,
        counted: false,
        claimed: [0; 2],
        numbers: Vec::new(),
        positions: Vec::new(),
        tetrahedra: Vec::new(),
        element_numbers: Vec::new(),
        sets: Vec::new(),
        regions: Vec::new(),
    };
    veg.read(bytes, file)?;
    let end = Cursor::new(bytes, Encoding::Text);
    veg.finish(&end).map_err(|fault| fault.in_file(file))
}

impl Veg<'_> {
    fn read(&mut self, bytes: &[u8], file: &str) -> Result<(), MeshReadError> {
        let mut cursor = Cursor::new(bytes, Encoding::Text);
        loop {
            let start = cursor.offset();
            let Some(line) = cursor.line() else {
                return Ok(());
            };
            let line = line.trim_ascii();
            if line.is_empty() || line.starts_with(b"#") {
                continue;
            }
            if let Some(keyword) = line.strip_prefix(b"*") {
                let keyword = String::from_utf8_lossy(keyword);
                let (keyword, value) = keyword
                    .split_once(|c: char| c.is_ascii_whitespace())
                    .unwrap_or((&keyword, ""));
                if keyword.eq_ignore_ascii_case("include") {
                    self.files += 1;
                    if self.files > MOST_FILES {
                        let expected = format!("at most {MOST_FILES} included files");
                        let fault = cursor.fault(start, &expected, "more");
                        return Err(fault
                            .or_hint("perhaps a file includes itself")
                            .in_file(file));
                    }
                    let name = value.trim();
                    let included = (self.include)(name)?;
                    self.read(&included, name)?;
                } else {
                    self.begin(&keyword.to_ascii_lowercase(), value.trim());
                }
                continue;
            }
            self.data(&cursor, start, line)
                .map_err(|fault| fault.in_file(file))?;
        }
    }

    fn begin(&mut self, keyword: &str, value: &str) {
        self.counted = false;
        self.section = match keyword {
            "vertices" => Section::Vertices,
            "elements" => Section::Elements,
            "region" => Section::Region,
            "set" => {
                self.sets.push((value.to_string(), Vec::new()));
                Section::Set
            }
            _ => Section::Other,
        };
    }

    /// A line within a section.
    fn data(&mut self, file: &Cursor, start: usize, line: &[u8]) -> Result<(), Fault> {
        // Numbers may be parted by commas too. The fault of a word is that of its line.
        let spaced: Vec<u8> = line
            .iter()
            .map(|&byte| if byte == b',' { b' ' } else { byte })
            .collect();
        let mut words = Cursor::new(&spaced, Encoding::Text);
        self.values(&mut words, line)
            .map_err(|fault| fault.at(file.place(start)))
    }

    fn values(&mut self, words: &mut Cursor, line: &[u8]) -> Result<(), Fault> {
        match self.section {
            Section::None => Err(words.fault(0, "a section such as *VERTICES", shown(line))),
            Section::Other => Ok(()),
            Section::Vertices if !self.counted => {
                self.claimed[0] = words.integer_word("the number of vertices")?;
                self.counted = true;
                Ok(())
            }
            Section::Vertices => {
                let number = words.integer_word("the number of a vertex")?;
                let mut position = [0.0; 3];
                for coordinate in &mut position {
                    *coordinate = words.real(Scalar::F64, "a coordinate of a vertex")?;
                }
                self.numbers.push(number);
                self.positions.push(position.into());
                Ok(())
            }
            Section::Elements if !self.counted => self.element_header(words),
            Section::Elements => {
                self.element_numbers
                    .push(words.integer_word("the number of an element")?);
                let mut corners = [0; 4];
                for corner in &mut corners {
                    *corner = words.integer_word("the number of a vertex")?;
                }
                self.tetrahedra.push(corners);
                Ok(())
            }
            Section::Set => {
                let Some((_, members)) = self.sets.last_mut() else {
                    return Ok(());
                };
                words.skip_space();
                while !words.rest().is_empty() {
                    members.push(words.integer_word("the number of an element")?);
                    words.skip_space();
                }
                Ok(())
            }
            Section::Region => {
                self.regions
                    .push(words.text("the name of a set")?.to_string());
                Ok(())
            }
        }
    }

    /// The kind of the elements, and then their number and the number of their corners.
    fn element_header(&mut self, words: &mut Cursor) -> Result<(), Fault> {
        let first = words.text("TET")?;
        match first.to_ascii_uppercase().as_str() {
            "TET" | "TETS" => Ok(()),
            "CUBIC" | "CUBE" | "CUBES" => Err(Fault::Unsupported {
                place: words.here(),
                what: "a cube of 8 vertices".to_string(),
                hint: "use tetrahedra",
            }),
            _ => {
                let count = first.parse().map_err(|_| {
                    let found = shown(first.as_bytes());
                    words.fault(0, "TET, or the number of elements", found)
                })?;
                self.claimed[1] = count;
                let corners = words.integer_word("4 vertices a tetrahedron")?;
                self.counted = true;
                if corners == 4 {
                    Ok(())
                } else {
                    let found = corners.to_string();
                    Err(words.fault(0, "4 vertices a tetrahedron", found))
                }
            }
        }
    }

    fn finish(self, cursor: &Cursor) -> Result<ElementMesh, Fault> {
        let counts = [self.positions.len(), self.tetrahedra.len()];
        for ((claimed, count), what) in self
            .claimed
            .into_iter()
            .zip(counts)
            .zip(["vertices", "elements"])
        {
            if claimed != count as i64 {
                let expected = format!("{claimed} {what}, as the file says");
                return Err(cursor.fault(cursor.rest().len(), &expected, count.to_string()));
            }
        }
        let numbers = NodeNumbers::new(&self.numbers).map_err(|number| {
            let found = format!("{number} a second time");
            cursor.fault(0, "a number of its own for each vertex", found)
        })?;
        let regions = self.region_of_elements(cursor)?;
        let mut elements = Elements::default();
        for (corners, number) in self.tetrahedra.iter().zip(&self.element_numbers) {
            let mut nodes = [0; 4];
            for (node, &corner) in nodes.iter_mut().zip(corners) {
                *node = numbers.index(corner).ok_or_else(|| {
                    let expected = format!("vertices that exist in element {number}");
                    cursor.fault(cursor.offset(), &expected, corner.to_string())
                })?;
            }
            let region = regions.get(number).copied().unwrap_or(0);
            elements.push(ElementKind::Tetrahedron4, &nodes, region);
        }
        elements.finish(self.positions)
    }

    /// The region of each element that is in one, by the number of the element.
    fn region_of_elements(&self, cursor: &Cursor) -> Result<HashMap<i64, i32>, Fault> {
        let all_sets = self.sets.iter().map(|(name, _)| name.clone());
        let names: Vec<String> = if self.regions.is_empty() {
            all_sets.collect()
        } else {
            self.regions.clone()
        };
        let members: HashMap<&str, &[i64]> = self
            .sets
            .iter()
            .map(|(name, members)| (name.as_str(), members.as_slice()))
            .collect();
        let mut last_region: HashMap<&str, i32> = HashMap::new();
        for (region, name) in (1..).zip(&names) {
            let known = members.contains_key(name.as_str()) || name == "allElements";
            if !known {
                let expected = "a region that names a set of the file";
                return Err(cursor.fault(cursor.offset(), expected, shown(name.as_bytes())));
            }
            last_region.insert(name, region);
        }
        let mut in_order: Vec<(i32, &str)> = last_region.iter().map(|(n, r)| (*r, *n)).collect();
        in_order.sort_unstable();
        let mut regions = HashMap::new();
        for (region, name) in in_order {
            let everything = self.element_numbers.as_slice();
            for &element in members.get(name).copied().unwrap_or(everything) {
                regions.insert(element, region);
            }
        }
        Ok(regions)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# two tetrahedra\n*VERTICES\n5 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n\
        5 1 1 1\n*ELEMENTS\nTET\n2 4 0\n1 1 2 3 4\n2 2 3 4 5\n*MATERIAL soft\nENU, 1000, 1e5, 0.4\n\
        *SET far\n2\n*REGION\nallElements, soft\n*REGION\nfar, soft\n";

    fn refuse(name: &str) -> Result<Vec<u8>, MeshReadError> {
        Err(MeshReadError::Incomplete {
            file: name.to_string(),
            reason: "not here".to_string(),
        })
    }

    #[test]
    fn regions_are_numbered_as_they_stand() {
        let mesh = read(TEXT.as_bytes(), "a.veg", &mut refuse).unwrap();
        assert_eq!(mesh.blocks[0].nodes, [0, 1, 2, 3, 1, 2, 3, 4]);
        assert_eq!(mesh.blocks[0].regions, [1, 2]);
        let bad = TEXT.replace("*REGION\nfar", "*REGION\nfarther");
        assert!(read(bad.as_bytes(), "a.veg", &mut refuse).is_err());
    }

    #[test]
    fn a_file_that_includes_itself_is_refused() {
        let text = b"*INCLUDE a.veg\n";
        let mut include = |_: &str| Ok(text.to_vec());
        let error = read(text, "a.veg", &mut include).unwrap_err();
        assert!(error.to_string().contains("includes itself"), "{error}");
    }

    #[test]
    fn faults_name_their_line() {
        let bad = TEXT.replace("3 0 1 0", "3 0 one 0");
        let error = read(bad.as_bytes(), "a.veg", &mut refuse).unwrap_err();
        let start = "a.veg, line 6: expected a coordinate of a vertex, found 'one'";
        assert!(error.to_string().starts_with(start), "{error}");
    }
}
