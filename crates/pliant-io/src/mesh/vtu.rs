//! VTK XML unstructured grids, `.vtu`: text, base64, appended and compressed data.
//!
//! Regions are read from the data of the cells if they have one of the usual names. The pieces of a
//! file follow one another in one mesh.

use super::cursor::{Cursor, Encoding, Scalar, shown};
use super::elements::Elements;
use super::error::{Fault, Place};
use super::vtk_cells;
use super::vtu_data::{Storage, decode};
use crate::xml_guard::check_xml;
use glam::DVec3;
use pliant::mesh::ElementMesh;
use roxmltree::{Document, Node};
use std::borrow::Cow;

const APPENDED: &[u8] = b"<AppendedData";

pub(super) fn read(bytes: &[u8]) -> Result<ElementMesh, Fault> {
    let mut positions = Vec::new();
    let mut elements = Elements::default();
    each_piece(bytes, |file, piece| {
        file.read_piece(piece, &mut positions, &mut elements)
    })?;
    elements.finish(positions)
}

/// Where the points lie on an image; empty if the file does not say for all of them.
pub(super) fn image_places(bytes: &[u8]) -> Result<Vec<[f64; 2]>, Fault> {
    let mut places = Some(Vec::new());
    each_piece(bytes, |file, piece| {
        match (&mut places, file.image_places(piece)?) {
            (Some(places), Some(more)) => places.extend(more),
            (places, None) => *places = None,
            (None, Some(_)) => {}
        }
        Ok(())
    })?;
    Ok(places.unwrap_or_default())
}

/// Visits the pieces of a file.
fn each_piece(
    bytes: &[u8],
    mut visit: impl FnMut(&File, Node) -> Result<(), Fault>,
) -> Result<(), Fault> {
    // Raw appended data are not XML, so the document is closed before them.
    let end = bytes.windows(APPENDED.len()).position(|w| w == APPENDED);
    let (head, tail) = bytes.split_at(end.unwrap_or(bytes.len()));
    let mut text = match std::str::from_utf8(head) {
        Ok(text) => text.to_string(),
        Err(error) => {
            let cursor = Cursor::new(bytes, Encoding::Text);
            let found = "bytes that are no text";
            return Err(cursor.fault(error.valid_up_to(), "XML text in UTF-8", found));
        }
    };
    if end.is_some() {
        text.push_str("</VTKFile>");
    }
    check_xml(&text).map_err(|excess| {
        let cursor = Cursor::new(bytes, Encoding::Text);
        cursor.fault(excess.offset, "XML that is a mesh", excess.to_string())
    })?;
    let document = Document::parse(&text).map_err(|error| Fault::Malformed {
        place: Place::Line(error.pos().row as usize),
        expected: "well-formed XML".to_string(),
        found: error.to_string(),
        hint: "the file may be cut off",
    })?;
    let root = document.root_element();
    let kind = root.attribute("type").unwrap_or_default();
    if !root.has_tag_name("VTKFile") || kind != "UnstructuredGrid" {
        return Err(Fault::Unsupported {
            place: place(&root),
            what: format!("<{} type=\"{kind}\">", root.tag_name().name()),
            hint: "save the mesh as an unstructured grid (.vtu)",
        });
    }
    let file = File {
        storage: storage(&root, tail, bytes.len())?,
    };
    let grids = children(root, "UnstructuredGrid");
    for piece in grids.flat_map(|grid| children(grid, "Piece")) {
        visit(&file, piece)?;
    }
    Ok(())
}

/// How the data of the whole file are stored.
fn storage<'a>(root: &Node, tail: &'a [u8], file_length: usize) -> Result<Storage<'a>, Fault> {
    let attribute = |name, standard| root.attribute(name).unwrap_or(standard);
    let encoding = match attribute("byte_order", "LittleEndian") {
        "LittleEndian" => Encoding::Little,
        "BigEndian" => Encoding::Big,
        other => {
            return Err(unexpected(
                root,
                "byte_order LittleEndian or BigEndian",
                other,
            ));
        }
    };
    let header = match attribute("header_type", "UInt32") {
        "UInt32" => Scalar::U32,
        "UInt64" => Scalar::U64,
        other => return Err(unexpected(root, "header_type UInt32 or UInt64", other)),
    };
    let compressed = match attribute("compressor", "") {
        "" => false,
        "vtkZLibDataCompressor" => true,
        other => {
            return Err(Fault::Unsupported {
                place: place(root),
                what: format!("the compressor {}", shown(other.as_bytes())),
                hint: "save the mesh without compression or with zlib",
            });
        }
    };
    let open = tail.iter().position(|&byte| byte == b'>');
    let tag = &tail[..open.unwrap_or(tail.len())];
    let appended_base64 = tag.windows(6).any(|word| word == b"base64");
    let after_tag = tail.get(tag.len()..).unwrap_or_default();
    let mark = after_tag.iter().position(|&byte| byte == b'_');
    let appended = mark.and_then(|mark| after_tag.get(mark + 1..));
    Ok(Storage::new(
        encoding,
        header,
        compressed,
        appended.unwrap_or_default(),
        appended_base64,
        file_length,
    ))
}

struct File<'a> {
    storage: Storage<'a>,
}

/// The numbers of an array, read one after another.
struct Array<'d, 'i> {
    data: Cow<'d, [u8]>,
    encoding: Encoding,
    scalar: Scalar,
    element: Node<'d, 'i>,
}

impl Array<'_, '_> {
    /// Reads all of so many numbers.
    fn read<T>(
        &self,
        count: i64,
        what: &str,
        mut number: impl FnMut(&mut Cursor, Scalar) -> Result<T, Fault>,
    ) -> Result<Vec<T>, Fault> {
        let mut cursor = Cursor::new(&self.data, self.encoding);
        let mut values = Vec::new();
        let mut read = || {
            let count = cursor.count(count, cursor.least_size(self.scalar), what)?;
            values.reserve_exact(count);
            for _ in 0..count {
                values.push(number(&mut cursor, self.scalar)?);
            }
            Ok(())
        };
        read().map_err(|fault: Fault| fault.at(place(&self.element)))?;
        Ok(values)
    }

    fn integers(&self, count: i64, what: &str) -> Result<Vec<i64>, Fault> {
        self.read(count, what, |cursor, scalar| cursor.integer(scalar, what))
    }

    fn reals(&self, count: i64, what: &str) -> Result<Vec<f64>, Fault> {
        self.read(count, what, |cursor, scalar| cursor.real(scalar, what))
    }
}

impl File<'_> {
    fn read_piece(
        &self,
        piece: Node,
        positions: &mut Vec<DVec3>,
        elements: &mut Elements,
    ) -> Result<(), Fault> {
        let point_count = count_attribute(&piece, "NumberOfPoints")?;
        let cell_count = count_attribute(&piece, "NumberOfCells")?;
        let points = self.array(child(piece, "Points")?, None)?;
        let coordinates = points.reals(point_count.saturating_mul(3), "coordinates of points")?;
        let first_node = positions.len() as i64;
        positions.extend(coordinates.chunks_exact(3).map(DVec3::from_slice));
        if cell_count == 0 {
            return Ok(());
        }
        let cells = child(piece, "Cells")?;
        let types = self.array(cells, Some("types"))?;
        let types = types.integers(cell_count, "types of cells")?;
        let offsets = self.array(cells, Some("offsets"))?;
        let offsets = offsets.integers(cell_count, "offsets of cells")?;
        let connectivity = self.array(cells, Some("connectivity"))?;
        let size = offsets.last().copied().unwrap_or(0);
        let connectivity = connectivity.integers(size, "node indices of cells")?;
        let regions = self.regions(piece, cell_count)?;
        let fault =
            |expected: &str, found: String| Fault::malformed(place(&cells), expected, found);
        let mut start = 0;
        let mut nodes = Vec::new();
        for (cell, (&cell_type, &end)) in types.iter().zip(&offsets).enumerate() {
            let end = usize::try_from(end).unwrap_or(usize::MAX);
            let numbers = connectivity.get(start..end).ok_or_else(|| {
                let expected = "offsets of cells that grow up to the number of indices";
                fault(expected, end.to_string())
            })?;
            nodes.clear();
            for &number in numbers {
                if !(0..point_count).contains(&number) {
                    let expected = format!("the index of one of {point_count} points, from 0");
                    return Err(fault(&expected, number.to_string()));
                }
                let node = u32::try_from(first_node + number);
                let too_many = |_| fault("fewer than 2^32 points", "more".to_string());
                nodes.push(node.map_err(too_many)?);
            }
            let region = regions.as_ref().map_or(0, |regions| regions[cell]);
            let place = || place(&cells);
            vtk_cells::push(elements, cell_type, &nodes, region, place)?;
            start = end;
        }
        Ok(())
    }

    /// Where the points of a piece lie on an image, if it says so: the array that is named as texture
    /// coordinates, or one with a usual name.
    fn image_places(&self, piece: Node) -> Result<Option<Vec<[f64; 2]>>, Fault> {
        let point_count = count_attribute(&piece, "NumberOfPoints")?;
        let Some(data) = children(piece, "PointData").next() else {
            return Ok(None);
        };
        let named = data.attribute("TCoords").unwrap_or("TCoords");
        let is_wanted = |array: &Node| array.attribute("Name") == Some(named);
        let Some(array) = children(data, "DataArray").find(is_wanted) else {
            return Ok(None);
        };
        let components = match array.attribute("NumberOfComponents") {
            Some("2") => 2,
            Some("3") => 3,
            _ => return Ok(None),
        };
        let count = point_count.saturating_mul(components);
        let numbers = self.open(array)?.reals(count, "places on an image")?;
        let places = numbers.chunks_exact(components as usize);
        Ok(Some(places.map(|place| [place[0], place[1]]).collect()))
    }

    /// The regions of the cells of a piece, if it has them.
    fn regions(&self, piece: Node, cell_count: i64) -> Result<Option<Vec<i32>>, Fault> {
        let arrays = children(piece, "CellData").flat_map(|data| children(data, "DataArray"));
        let ranked = arrays.filter_map(|array| {
            let components = array.attribute("NumberOfComponents").unwrap_or("1");
            let rank = vtk_cells::region_rank(array.attribute("Name")?)?;
            matches!(components, "" | "0" | "1").then_some((rank, array))
        });
        let Some((_, array)) = ranked.min_by_key(|(rank, _)| *rank) else {
            return Ok(None);
        };
        let values = self.open(array)?.reals(cell_count, "regions of cells")?;
        let region = |value: f64| value.round() as i32;
        Ok(Some(values.into_iter().map(region).collect()))
    }

    /// The array of a name within an element, or the first.
    fn array<'d, 'i>(
        &self,
        parent: Node<'d, 'i>,
        name: Option<&str>,
    ) -> Result<Array<'d, 'i>, Fault> {
        let mut arrays = children(parent, "DataArray");
        let array = arrays.find(|array| name.is_none() || array.attribute("Name") == name);
        let array = array.ok_or_else(|| {
            let expected = format!("<DataArray Name=\"{}\">", name.unwrap_or("Points"));
            unexpected(&parent, &expected, "none")
        })?;
        self.open(array)
    }

    fn open<'d, 'i>(&self, array: Node<'d, 'i>) -> Result<Array<'d, 'i>, Fault> {
        let scalar = match array.attribute("type").unwrap_or_default() {
            "Int8" => Scalar::I8,
            "UInt8" => Scalar::U8,
            "Int16" => Scalar::I16,
            "UInt16" => Scalar::U16,
            "Int32" => Scalar::I32,
            "UInt32" => Scalar::U32,
            "Int64" => Scalar::I64,
            "UInt64" => Scalar::U64,
            "Float32" => Scalar::F32,
            "Float64" => Scalar::F64,
            other => return Err(unexpected(&array, "a type such as Float64", other)),
        };
        let text = array.text().unwrap_or_default().as_bytes();
        let format = array.attribute("format").unwrap_or("ascii");
        let data = match format {
            "ascii" => {
                let (data, encoding) = (text.into(), Encoding::Text);
                return Ok(Array {
                    data,
                    encoding,
                    scalar,
                    element: array,
                });
            }
            "binary" => decode(&self.storage, text, true, scalar),
            "appended" => {
                let offset = count_attribute(&array, "offset")?;
                let appended = usize::try_from(offset).ok();
                let appended = appended.and_then(|offset| self.storage.appended.get(offset..));
                let appended = appended.ok_or_else(|| {
                    unexpected(&array, "an offset within the appended data", offset)
                })?;
                decode(
                    &self.storage,
                    appended,
                    self.storage.appended_base64,
                    scalar,
                )
            }
            other => {
                return Err(unexpected(
                    &array,
                    "format ascii, binary or appended",
                    other,
                ));
            }
        };
        Ok(Array {
            data: data.map_err(|fault| fault.at(place(&array)))?.into(),
            encoding: self.storage.encoding,
            scalar,
            element: array,
        })
    }
}

fn children<'d, 'i>(node: Node<'d, 'i>, name: &str) -> impl Iterator<Item = Node<'d, 'i>> {
    node.children()
        .filter(move |child| child.has_tag_name(name))
}

fn child<'d, 'i>(node: Node<'d, 'i>, name: &str) -> Result<Node<'d, 'i>, Fault> {
    let mut found = children(node, name);
    found
        .next()
        .ok_or_else(|| unexpected(&node, &format!("<{name}>"), "none"))
}

fn place(node: &Node) -> Place {
    let position = node.document().text_pos_at(node.range().start);
    Place::Line(position.row as usize)
}

fn unexpected(node: &Node, expected: &str, found: impl ToString) -> Fault {
    Fault::malformed(place(node), expected, shown(found.to_string().as_bytes()))
}

fn count_attribute(node: &Node, name: &str) -> Result<i64, Fault> {
    let value = node.attribute(name).unwrap_or_default();
    let count = value.trim().parse().ok().filter(|count| *count >= 0);
    count.ok_or_else(|| unexpected(node, &format!("a number as {name}"), value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_have_places_on_an_image() {
        let text = r#"<VTKFile type="UnstructuredGrid"><UnstructuredGrid>
            <Piece NumberOfPoints="3" NumberOfCells="1">
            <PointData TCoords="uv"><DataArray type="Float32" Name="uv" NumberOfComponents="2">
            0 0 1 0 0.5 1</DataArray></PointData>
            <Points><DataArray type="Float32" NumberOfComponents="3">0 0 0 1 0 0 0 1 0</DataArray></Points>
            <Cells><DataArray type="Int32" Name="connectivity">0 1 2</DataArray>
            <DataArray type="Int32" Name="offsets">3</DataArray>
            <DataArray type="UInt8" Name="types">5</DataArray></Cells>
            </Piece></UnstructuredGrid></VTKFile>"#;
        let places = image_places(text.as_bytes()).unwrap();
        assert_eq!(places, [[0.0, 0.0], [1.0, 0.0], [0.5, 1.0]]);
        assert_eq!(read(text.as_bytes()).unwrap().positions.len(), 3);
        let without = text.replace("Name=\"uv\"", "Name=\"wind\"");
        assert!(image_places(without.as_bytes()).unwrap().is_empty());
    }
}
