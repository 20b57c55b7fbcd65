//! Data at the points and cells of an old VTK file: passed over, but for the regions of the cells and the
//! places of the points on an image.

use super::cursor::{Cursor, Scalar, shown};
use super::error::Fault;
use super::vtk_cells::region_rank;
use super::vtk_legacy::begin_data;

/// What has been learnt from the data of a file.
#[derive(Default)]
pub(super) struct Attributes {
    /// Whether the data that follow belong to the cells.
    of_cells: bool,
    /// How many points or cells the data that follow belong to.
    count: i64,
    /// The best regions so far, with their rank.
    regions: Option<(usize, Vec<i32>)>,
    /// Whether it is asked where the points lie on an image; else that is passed over.
    pub(super) wants_image_places: bool,
    /// Where the points lie on an image.
    pub(super) image_places: Vec<[f64; 2]>,
}

impl Attributes {
    /// The regions of so many cells, if the file has them.
    pub(super) fn regions(&self, count: usize) -> Option<&[i32]> {
        let (_, regions) = self.regions.as_ref()?;
        (regions.len() == count).then_some(regions)
    }

    /// Reads what follows a keyword; gives whether the keyword is one of data.
    pub(super) fn read(&mut self, cursor: &mut Cursor, keyword: &[u8]) -> Result<bool, Fault> {
        match keyword {
            b"POINT_DATA" | b"CELL_DATA" => {
                self.of_cells = keyword == b"CELL_DATA";
                self.count = cursor.integer_word("a number of points or cells")?;
            }
            b"METADATA" => {
                cursor.line();
                while cursor
                    .line()
                    .is_some_and(|line| !line.trim_ascii().is_empty())
                {}
            }
            b"SCALARS" => return self.read_scalars(cursor),
            b"LOOKUP_TABLE" => {
                cursor.word("the name of a table")?;
                let count = cursor.integer_word("the size of a table")?;
                self.pass_over(cursor, count, 4, Scalar::U8)?;
            }
            b"COLOR_SCALARS" => {
                cursor.word("the name of data")?;
                let components = cursor.integer_word("the number of components")?;
                self.pass_over(cursor, self.count, components, Scalar::U8)?;
            }
            b"TEXTURE_COORDINATES" => {
                cursor.word("the name of data")?;
                let components = cursor.integer_word("the number of components")?;
                let Some(scalar) = scalar_of(cursor.word("the type of numbers")?) else {
                    return Ok(false);
                };
                match components {
                    2 | 3 if self.wants_image_places && !self.of_cells => {
                        self.read_places(cursor, components, scalar)?;
                    }
                    _ => self.pass_over(cursor, self.count, components, scalar)?,
                }
            }
            b"VECTORS" | b"NORMALS" | b"TENSORS" | b"TENSORS6" | b"GLOBAL_IDS"
            | b"PEDIGREE_IDS" | b"EDGE_FLAGS" => {
                let components = match keyword {
                    b"VECTORS" | b"NORMALS" => 3,
                    b"TENSORS" => 9,
                    b"TENSORS6" => 6,
                    _ => 1,
                };
                cursor.word("the name of data")?;
                let Some(scalar) = scalar_of(cursor.word("the type of numbers")?) else {
                    return Ok(false);
                };
                self.pass_over(cursor, self.count, components, scalar)?;
            }
            b"FIELD" => return self.read_field(cursor),
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn read_scalars(&mut self, cursor: &mut Cursor) -> Result<bool, Fault> {
        let name = cursor.text("the name of data")?;
        let Some(scalar) = scalar_of(cursor.word("the type of numbers")?) else {
            return Ok(false);
        };
        let rest = cursor.line().unwrap_or_default().trim_ascii();
        let components = match rest {
            b"" => 1,
            _ => std::str::from_utf8(rest)
                .ok()
                .and_then(|text| text.parse().ok())
                .ok_or_else(|| {
                    cursor.fault(cursor.offset(), "the number of components", shown(rest))
                })?,
        };
        let word = cursor.word("LOOKUP_TABLE")?;
        if !word.eq_ignore_ascii_case(b"LOOKUP_TABLE") {
            return Err(cursor.fault(cursor.offset(), "LOOKUP_TABLE", shown(word)));
        }
        cursor.word("the name of a table")?;
        self.read_data(cursor, name, self.count, components, scalar)?;
        Ok(true)
    }

    fn read_field(&mut self, cursor: &mut Cursor) -> Result<bool, Fault> {
        cursor.word("the name of a field")?;
        let claimed = cursor.integer_word("the number of arrays of a field")?;
        for _ in 0..cursor.count(claimed, 8, "arrays")? {
            let mut name = cursor.text("the name of an array")?;
            while name == "METADATA" {
                cursor.line();
                while cursor
                    .line()
                    .is_some_and(|line| !line.trim_ascii().is_empty())
                {}
                name = cursor.text("the name of an array")?;
            }
            let components = cursor.integer_word("the number of components")?;
            let count = cursor.integer_word("the number of values")?;
            let Some(scalar) = scalar_of(cursor.word("the type of numbers")?) else {
                return Ok(false);
            };
            self.read_data(cursor, name, count, components, scalar)?;
        }
        Ok(true)
    }

    /// Reads data, and keeps them if they are regions.
    fn read_data(
        &mut self,
        cursor: &mut Cursor,
        name: &str,
        count: i64,
        components: i64,
        scalar: Scalar,
    ) -> Result<(), Fault> {
        let rank = region_rank(name).filter(|_| self.of_cells && components == 1);
        let best = self.regions.as_ref().map(|(rank, _)| *rank);
        let Some(rank) = rank.filter(|rank| best.is_none_or(|best| *rank < best)) else {
            return self.pass_over(cursor, count, components, scalar);
        };
        begin_data(cursor);
        let count = cursor.count(count, cursor.least_size(scalar), "values")?;
        let mut regions = Vec::with_capacity(count);
        for _ in 0..count {
            regions.push(cursor.real(scalar, "the region of a cell")?.round() as i32);
        }
        self.regions = Some((rank, regions));
        Ok(())
    }

    /// Reads where the points lie on an image; a third coordinate is passed over.
    fn read_places(
        &mut self,
        cursor: &mut Cursor,
        components: i64,
        scalar: Scalar,
    ) -> Result<(), Fault> {
        begin_data(cursor);
        let least = components as usize * cursor.least_size(scalar);
        let count = cursor.count(self.count, least, "values")?;
        let mut places = Vec::with_capacity(count);
        for _ in 0..count {
            let mut place = [0.0; 3];
            for part in &mut place[..components as usize] {
                *part = cursor.real(scalar, "a place on an image")?;
            }
            places.push([place[0], place[1]]);
        }
        self.image_places = places;
        Ok(())
    }

    fn pass_over(
        &self,
        cursor: &mut Cursor,
        count: i64,
        components: i64,
        scalar: Scalar,
    ) -> Result<(), Fault> {
        begin_data(cursor);
        let numbers = count.saturating_mul(components);
        let numbers = cursor.count(numbers, cursor.least_size(scalar), "values")?;
        cursor.skip_numbers(numbers, scalar, "a value of some data")
    }
}

/// The numbers that a file calls by this name.
pub(super) fn scalar_of(name: &[u8]) -> Option<Scalar> {
    Some(match name.to_ascii_lowercase().as_slice() {
        b"char" | b"signed_char" | b"vtktypeint8" => Scalar::I8,
        b"unsigned_char" | b"vtktypeuint8" => Scalar::U8,
        b"short" | b"vtktypeint16" => Scalar::I16,
        b"unsigned_short" | b"vtktypeuint16" => Scalar::U16,
        b"int" | b"vtktypeint32" | b"vtkidtype" => Scalar::I32,
        b"unsigned_int" | b"vtktypeuint32" => Scalar::U32,
        b"long" | b"vtktypeint64" => Scalar::I64,
        b"unsigned_long" | b"vtktypeuint64" => Scalar::U64,
        b"float" => Scalar::F32,
        b"double" => Scalar::F64,
        _ => return None,
    })
}
