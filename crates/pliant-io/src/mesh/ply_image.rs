//! Stanford PLY: where an image lies on the faces.
//!
//! Vertices may have a place each (the properties `u` and `v`, `s` and `t` or `texture_u` and
//! `texture_v`), and faces may have a list `texcoord` with two numbers for each of their corners, which
//! counts more.

use super::cursor::{Cursor, Encoding};
use super::error::Fault;
use super::ply::{Property, Table, pass_over, read_header};
use pliant::frame::ImageCorners;

/// Names of the two coordinates of a vertex on an image.
const NAMES: [[&str; 2]; 4] = [
    ["u", "v"],
    ["s", "t"],
    ["texture_u", "texture_v"],
    ["texture_s", "texture_t"],
];

/// Where an image lies on the triangles of a file that has been read as a mesh; none if it does not say.
pub(super) fn read(bytes: &[u8]) -> Result<ImageCorners, Fault> {
    let mut cursor = Cursor::new(bytes, Encoding::Text);
    let cursor = &mut cursor;
    let (encoding, tables) = read_header(cursor)?;
    cursor.encoding = encoding;
    let mut places = Vec::new();
    let mut faces = Vec::new();
    for table in &tables {
        let sizes = table.properties.iter().map(|property| {
            let scalar = property.list.unwrap_or(property.scalar);
            cursor.least_size(scalar)
        });
        let least = sizes.sum();
        if least == 0 {
            continue;
        }
        for _ in 0..cursor.count(table.claimed, least, "lines of an element")? {
            match table.name.as_str() {
                "vertex" => places.extend(read_vertex(cursor, table)?),
                "face" => read_face(cursor, table, &mut faces)?,
                _ => {
                    for property in &table.properties {
                        pass_over(cursor, property)?;
                    }
                }
            }
        }
    }
    let mut corners = ImageCorners::at_nodes(places);
    for (triangle, places) in faces {
        corners.insert(triangle, places);
    }
    Ok(corners)
}

/// The place of a vertex, if it has one.
fn read_vertex(cursor: &mut Cursor, table: &Table) -> Result<Option<[f64; 2]>, Fault> {
    let has = |name: &str| {
        let mut properties = table.properties.iter();
        properties.any(|property| property.name == name && property.list.is_none())
    };
    let names = NAMES
        .into_iter()
        .find(|names| names.iter().all(|name| has(name)));
    let mut place = [0.0; 2];
    for property in &table.properties {
        let part = names.and_then(|names| names.iter().position(|name| *name == property.name));
        match part {
            Some(part) => place[part] = cursor.real(property.scalar, "a place on an image")?,
            None => pass_over(cursor, property)?,
        }
    }
    Ok(names.map(|_| place))
}

/// A triangle and where its corners lie.
type Placed = ([u32; 3], [[f64; 2]; 3]);

/// Reads a face, whose triangles lie around its first corner.
fn read_face(cursor: &mut Cursor, table: &Table, faces: &mut Vec<Placed>) -> Result<(), Fault> {
    let mut nodes = Vec::new();
    let mut numbers = Vec::new();
    for property in &table.properties {
        match (property.list, property.name.as_str()) {
            (Some(_), "vertex_indices" | "vertex_index") => nodes = read_list(cursor, property)?,
            (Some(_), "texcoord") => numbers = read_list(cursor, property)?,
            _ => pass_over(cursor, property)?,
        }
    }
    if numbers.len() != 2 * nodes.len() {
        return Ok(());
    }
    let corner = |index: usize| {
        let place = [numbers[2 * index], numbers[2 * index + 1]];
        (nodes[index] as u32, place)
    };
    for last in 2..nodes.len() {
        let three = [0, last - 1, last].map(corner);
        faces.push((three.map(|corner| corner.0), three.map(|corner| corner.1)));
    }
    Ok(())
}

fn read_list(cursor: &mut Cursor, property: &Property) -> Result<Vec<f64>, Fault> {
    let Some(length) = property.list else {
        return Ok(Vec::new());
    };
    let claimed = cursor.integer(length, "the length of a list")?;
    let count = cursor.count(
        claimed,
        cursor.least_size(property.scalar),
        "numbers in a list",
    )?;
    (0..count)
        .map(|_| cursor.real(property.scalar, "a number of a list"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vertices_have_places() {
        for names in NAMES {
            let text = format!(
                "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\n\
                 property float z\nproperty float {}\nproperty float {}\nelement face 1\n\
                 property list uchar int vertex_indices\nend_header\n\
                 0 0 0 0 0\n1 0 0 1 0\n1 1 0 1 1\n0 1 0 0 1\n4 0 1 2 3\n",
                names[0], names[1]
            );
            let corners = read(text.as_bytes()).unwrap();
            assert_eq!(
                corners.of([1, 2, 3]),
                Some([[1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
            );
        }
    }

    #[test]
    fn corners_of_faces_have_places_of_their_own() {
        let text = "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\n\
            property float z\nelement face 2\nproperty list uchar int vertex_indices\n\
            property list uchar float texcoord\nproperty int texnumber\nend_header\n\
            0 0 0\n1 0 0\n1 1 0\n0 1 0\n\
            3 0 1 2 6 0 0 1 0 1 1 0\n3 0 2 3 6 0.5 0.5 0.25 0 0 1 0\n";
        let corners = read(text.as_bytes()).unwrap();
        assert_eq!(
            corners.of([0, 1, 2]),
            Some([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]])
        );
        assert_eq!(
            corners.of([0, 2, 3]),
            Some([[0.5, 0.5], [0.25, 0.0], [0.0, 1.0]])
        );
        assert_eq!(corners.of([0, 1, 3]), None);
    }

    #[test]
    fn a_file_that_does_not_say_gives_none() {
        let text = "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\n\
            property float z\nproperty float u\nend_header\n0 0 0 5\n";
        assert!(read(text.as_bytes()).unwrap().is_empty());
        assert!(
            read(b"ply\nformat ascii 1.0\nelement vertex 9\nproperty float u\nend_header\n")
                .is_err()
        );
    }
}
