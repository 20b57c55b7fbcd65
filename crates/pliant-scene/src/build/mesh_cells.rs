//! Simple shapes divided into regular cells.

use super::mesh_source::Fault;
use glam::{DQuat, DVec3};
use pliant::mesh::{
    Division, ElementMesh, Solid, ball, block, brick20_block, orient_tetrahedra, ring, tube,
};

const FIVE: Division = Division::FiveTetrahedra;

/// A simple shape divided into tetrahedra, five per cell, or into bricks of twenty nodes.
pub(super) fn cells(solid: &Solid, counts: &[usize], bricks: bool) -> Result<ElementMesh, Fault> {
    let mesh = match solid {
        Solid::Transform {
            solid,
            scale,
            rotation,
            translation,
        } => {
            let mesh = cells(solid, counts, bricks)?;
            return Ok(placed(mesh, |p| *rotation * (p * *scale) + *translation));
        }
        &Solid::Cuboid {
            centre,
            size,
            rounding,
        } => {
            if rounding > 0.0 {
                let message = "a box with rounded edges cannot be divided into cells";
                return Err(Fault::new(message).with_hint("write resolution=\"…\" instead"));
            }
            let counts = counted(counts, "a box", "[12, 3, 3]")?;
            let mesh = block_cells(counts, size, bricks)?;
            return Ok(placed(mesh, |p| p - 0.5 * size + centre));
        }
        &Solid::Bar {
            from,
            to,
            width,
            height,
        } => {
            let counts = counted(counts, "a bar", "[12, 3, 3]")?;
            let size = DVec3::new(from.distance(to), width, height);
            let mesh = block_cells(counts, size, bricks)?;
            let [along, side, up] = bar_directions(from, to, bricks);
            return Ok(placed(mesh, |p| {
                from + p.x * along + (p.y - 0.5 * width) * side + (p.z - 0.5 * height) * up
            }));
        }
        &Solid::Sphere { centre, radius } => {
            let [count] = counted(counts, "a ball", "[6]")?;
            placed(ball(count, radius, FIVE)?, |p| p + centre)
        }
        &Solid::Ellipsoid { centre, semi_axes } => {
            let [count] = counted(counts, "an ellipsoid", "[6]")?;
            placed(ball(count, 1.0, FIVE)?, |p| p * semi_axes + centre)
        }
        &Solid::Tube {
            from,
            to,
            outer_radius,
            inner_radius,
        } => {
            let counts = counted(counts, "a tube", "[12, 1, 20]")?;
            let mesh = tube(counts, inner_radius, outer_radius, from.distance(to), FIVE)?;
            let turn = DQuat::from_rotation_arc(DVec3::Z, (to - from).normalize());
            placed(mesh, |p| from + turn * p)
        }
        &Solid::Torus {
            centre,
            axis,
            major_radius,
            minor_radius,
        } => {
            let counts = counted(counts, "a ring", "[16, 3]")?;
            let mesh = ring(counts, major_radius, minor_radius, FIVE)?;
            let turn = DQuat::from_rotation_arc(DVec3::Z, axis.normalize());
            placed(mesh, |p| centre + turn * p)
        }
        _ => {
            let message = "only a Box, Bar, Tube, Sphere, Ellipsoid or Torus is divided into cells";
            return Err(Fault::new(message).with_hint("write resolution=\"…\" instead"));
        }
    };
    if bricks {
        let message = "only a Box or a Bar is divided into bricks of twenty nodes";
        return Err(Fault::new(message));
    }
    Ok(mesh)
}

/// Along a bar, across and up: the same directions as those of the shape itself. They are left-handed:
/// tetrahedra are turned afterwards, bricks are not and have the other side.
fn bar_directions(from: DVec3, to: DVec3, bricks: bool) -> [DVec3; 3] {
    let along = (to - from).normalize();
    let upright = along.z.abs() >= 0.999;
    let side = along.cross(if upright { DVec3::Y } else { DVec3::Z });
    let side = side.normalize_or_zero();
    let up = side.cross(along);
    [along, if bricks { -side } else { side }, up]
}

fn block_cells(counts: [usize; 3], size: DVec3, bricks: bool) -> Result<ElementMesh, Fault> {
    Ok(if bricks {
        brick20_block(counts, size)?
    } else {
        block(counts, size, FIVE)?
    })
}

/// As many numbers as the shape has directions.
fn counted<const N: usize>(
    counts: &[usize],
    what: &str,
    example: &str,
) -> Result<[usize; N], Fault> {
    counts.try_into().map_err(|_| {
        Fault::new(format!(
            "{what} has cells such as \"{example}\", not \"{counts:?}\""
        ))
    })
}

fn placed(mut mesh: ElementMesh, place: impl Fn(DVec3) -> DVec3) -> ElementMesh {
    for position in &mut mesh.positions {
        *position = place(*position);
    }
    // A mirror image turns elements inside out.
    orient_tetrahedra(&mut mesh);
    mesh
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant::mesh::{ImplicitShape, tetrahedron_volumes};

    fn volume(solid: &Solid, counts: &[usize]) -> f64 {
        let mesh = cells(solid, counts, false).unwrap();
        for position in &mesh.positions {
            let outside = solid.value(*position);
            assert!(
                outside < 1e-9,
                "{position} lies {outside} outside {solid:?}"
            );
        }
        tetrahedron_volumes(&mesh).iter().sum()
    }

    #[test]
    fn cells_lie_in_their_shape_and_fill_it() {
        let (from, to) = (DVec3::new(1.0, 0.0, 0.5), DVec3::new(2.0, 2.0, 2.5));
        let bar = Solid::Bar {
            from,
            to,
            width: 0.5,
            height: 0.2,
        };
        assert!((volume(&bar, &[6, 2, 1]) - 0.3).abs() < 1e-12);
        let tube = Solid::Tube {
            from,
            to,
            outer_radius: 0.4,
            inner_radius: 0.3,
        };
        let exact = std::f64::consts::PI * 0.07 * 3.0;
        assert!((volume(&tube, &[32, 1, 4]) / exact - 1.0).abs() < 0.01);
        let turned = Solid::Transform {
            solid: Box::new(Solid::Cuboid {
                centre: DVec3::X,
                size: DVec3::new(1.0, 2.0, 3.0),
                rounding: 0.0,
            }),
            scale: DVec3::new(-1.0, 1.0, 2.0),
            rotation: DQuat::from_rotation_x(0.3),
            translation: DVec3::Z,
        };
        assert!((volume(&turned, &[2, 2, 2]) - 12.0).abs() < 1e-12);
    }

    #[test]
    fn counts_and_shapes_that_do_not_fit_are_refused() {
        let ball = Solid::Sphere {
            centre: DVec3::ZERO,
            radius: 1.0,
        };
        assert!(cells(&ball, &[2, 2], false).is_err());
        assert!(cells(&ball, &[2], true).is_err());
        assert!(cells(&Solid::Union(vec![ball]), &[2], false).is_err());
    }
}
