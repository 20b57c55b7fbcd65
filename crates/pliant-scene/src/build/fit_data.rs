//! The points that a superquadric is fitted to: vertices of a file, or formulas.

use super::mesh_surface::load;
use crate::scene::Body;
use glam::DVec3;
use pliant::superquadric::PointSequence;
use pliant_io::Assets;

/// Most points of a body, over all its moments.
const MOST_POINTS: f64 = 5e6;

/// The data of a body, or what is wrong with them.
pub(super) fn data_of(body: &Body, assets: &dyn Assets) -> Result<PointSequence, String> {
    let properties = &body.properties;
    let rules = ["datax", "datay", "dataz"].map(|name| properties.rule(name));
    match (properties.text("points"), rules) {
        (Some(path), [None, None, None]) => {
            let mesh = load(assets, path).map_err(|fault| fault.message)?;
            Ok(PointSequence::still(mesh.positions))
        }
        (None, [Some(x), Some(y), Some(z)]) => {
            let counts = match properties.indices("data") {
                Some(&[along, across]) if along > 0 && across > 0 => [along, across],
                _ => return Err("`data` must be two counts, such as \"[30, 20]\"".to_owned()),
            };
            let (until, rate) = (properties.number("datauntil"), properties.number("datarate"));
            let moments = 1.0 + (until * rate).floor();
            let total = f64::from(counts[0]) * f64::from(counts[1]) * moments;
            if total > MOST_POINTS {
                return Err(format!("{total} data points are more than {MOST_POINTS}"));
            }
            let mut noise = Noise(1, properties.number("datanoise"));
            let lists = (0..moments as usize).map(|moment| {
                let time = moment as f64 / rate;
                let mut points = Vec::with_capacity((counts[0] * counts[1]) as usize);
                for j in 0..counts[1] {
                    for i in 0..counts[0] {
                        let place = |k: u32, count: u32| (f64::from(k) + 0.5) / f64::from(count);
                        let at = [place(i, counts[0]), place(j, counts[1]), time];
                        let point = DVec3::new(x.evaluate(at), y.evaluate(at), z.evaluate(at));
                        points.push(point + noise.vector());
                    }
                }
                points
            });
            Ok(PointSequence::moving(rate, lists.collect()))
        }
        _ => Err(
            "formulation \"Superquadric\" needs data: either `points` or all of `datax`, `datay` and \
             `dataz`"
                .to_owned(),
        ),
    }
}

/// Normal noise of a standard deviation, the same in every run.
struct Noise(u64, f64);

impl Noise {
    /// Evenly between 0 and 1.
    fn even(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^= bits >> 31;
        ((bits >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
    }

    fn number(&mut self) -> f64 {
        let radius = (-2.0 * self.even().ln()).sqrt();
        self.1 * radius * (std::f64::consts::TAU * self.even()).cos()
    }

    fn vector(&mut self) -> DVec3 {
        DVec3::new(self.number(), self.number(), self.number())
    }
}
