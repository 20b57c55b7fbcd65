//! An isotropic elastic material.
//!
//! ```text
//! λ = E ν / ((1 + ν) (1 - 2 ν))        μ = E / (2 (1 + ν))
//! plane stress:  λ' = E ν / (1 - ν²)   μ' = μ
//! ```
//!
//! E Young's modulus (Pa), ν Poisson's ratio, λ and μ the constants of Lamé (Pa). With the primed
//! constants, σ = λ' tr(ε) I + 2 μ' ε holds for the in-plane strain ε of a sheet that is free of
//! stress across its thickness.

use super::FemError;

/// What a body is made of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ElasticMaterial {
    /// Young's modulus E, in pascals.
    pub young: f64,
    /// Poisson's ratio ν, between -1 and 0.5.
    pub poisson: f64,
    /// Mass per volume, in kilograms per cubic metre.
    pub density: f64,
}

impl ElasticMaterial {
    /// A material, if its constants make sense.
    pub fn new(young: f64, poisson: f64, density: f64) -> Result<Self, FemError> {
        let material = Self {
            young,
            poisson,
            density,
        };
        material.check()?;
        Ok(material)
    }

    /// Whether the constants make sense: E > 0, -1 < ν < 0.5, density > 0.
    pub fn check(&self) -> Result<(), FemError> {
        positive("Young's modulus", self.young)?;
        positive("density", self.density)?;
        poisson_below(self.poisson, 0.5, "above -1 and below 0.5")
    }

    /// The constants of Lamé (λ, μ), in pascals.
    pub fn lame(&self) -> (f64, f64) {
        let nu = self.poisson;
        let lambda = self.young * nu / ((1.0 + nu) * (1.0 - 2.0 * nu));
        (lambda, self.shear())
    }

    /// The constants (λ', μ') of plane stress, in pascals.
    pub fn plane_stress(&self) -> (f64, f64) {
        let lambda = self.young * self.poisson / (1.0 - self.poisson * self.poisson);
        (lambda, self.shear())
    }

    /// The shear modulus μ, in pascals.
    pub fn shear(&self) -> f64 {
        self.young / (2.0 * (1.0 + self.poisson))
    }

    /// The bulk modulus λ + 2 μ / 3, in pascals.
    pub fn bulk(&self) -> f64 {
        self.young / (3.0 * (1.0 - 2.0 * self.poisson))
    }

    /// The flexural rigidity E h³ / (12 (1 - ν²)) of a plate, in newton metres.
    ///
    /// - `thickness`: h, in metres.
    pub fn flexural_rigidity(&self, thickness: f64) -> f64 {
        self.young * thickness.powi(3) / (12.0 * (1.0 - self.poisson * self.poisson))
    }
}

/// What the regions of a mesh are made of.
#[derive(Clone, Debug, PartialEq)]
pub struct RegionMaterials {
    /// Where nothing else is said.
    pub everywhere: ElasticMaterial,
    /// Regions with a material of their own.
    pub regions: Vec<(i32, ElasticMaterial)>,
}

impl RegionMaterials {
    /// One material everywhere.
    pub fn uniform(material: ElasticMaterial) -> Self {
        Self {
            everywhere: material,
            regions: Vec::new(),
        }
    }

    /// The material of a region.
    pub fn of(&self, region: i32) -> ElasticMaterial {
        let found = self.regions.iter().find(|(number, _)| *number == region);
        found.map_or(self.everywhere, |(_, material)| *material)
    }

    /// The same materials, stiffer by a factor.
    pub fn stiffened(&self, factor: f64) -> Self {
        let mut stiffened = self.clone();
        stiffened.everywhere.young *= factor;
        for (_, material) in &mut stiffened.regions {
            material.young *= factor;
        }
        stiffened
    }

    /// Whether all constants make sense.
    pub fn check(&self) -> Result<(), FemError> {
        self.everywhere.check()?;
        self.regions.iter().try_for_each(|(_, m)| m.check())
    }
}

/// Fails unless a parameter is zero or a positive number.
pub(super) fn positive_or_zero(parameter: &'static str, value: f64) -> Result<(), FemError> {
    if value.is_finite() && value >= 0.0 {
        return Ok(());
    }
    Err(FemError::Parameter {
        parameter,
        expected: "zero or a positive number",
        value,
    })
}

/// Fails unless a parameter is a positive number.
pub(super) fn positive(parameter: &'static str, value: f64) -> Result<(), FemError> {
    if value.is_finite() && value > 0.0 {
        return Ok(());
    }
    Err(FemError::Parameter {
        parameter,
        expected: "a positive number",
        value,
    })
}

/// Fails unless Poisson's ratio is above -1 and below a limit.
pub(super) fn poisson_below(
    value: f64,
    limit: f64,
    expected: &'static str,
) -> Result<(), FemError> {
    if value > -1.0 && value < limit {
        return Ok(());
    }
    Err(FemError::Parameter {
        parameter: "Poisson's ratio",
        expected,
        value,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_agree_with_uniaxial_tension() {
        let steel = ElasticMaterial::new(210e9, 0.3, 7850.0).unwrap();
        let (lambda, mu) = steel.lame();
        // σ_xx = E, σ_yy = σ_zz = 0 for ε = (1, -ν, -ν).
        let trace = 1.0 - 2.0 * 0.3;
        assert!((lambda * trace + 2.0 * mu - 210e9).abs() < 1.0);
        assert!((lambda * trace - 2.0 * mu * 0.3).abs() < 1.0);
        let (lambda, mu) = steel.plane_stress();
        assert!((lambda * (1.0 - 0.3) + 2.0 * mu - 210e9).abs() < 1.0);
        assert!((lambda * (1.0 - 0.3) - 2.0 * mu * 0.3).abs() < 1.0);
        let (lambda, mu) = steel.lame();
        assert!((steel.bulk() - lambda - 2.0 * mu / 3.0).abs() < 1.0);
    }

    #[test]
    fn impossible_constants_are_refused() {
        for (young, poisson, density) in [
            (0.0, 0.3, 1.0),
            (-1.0, 0.3, 1.0),
            (f64::NAN, 0.3, 1.0),
            (f64::INFINITY, 0.3, 1.0),
            (1.0, 0.5, 1.0),
            (1.0, -1.0, 1.0),
            (1.0, f64::NAN, 1.0),
            (1.0, 0.3, 0.0),
        ] {
            assert!(ElasticMaterial::new(young, poisson, density).is_err());
        }
        assert!(ElasticMaterial::new(1.0, -0.5, 1.0).is_ok());
    }
}
