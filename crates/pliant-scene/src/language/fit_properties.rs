//! The properties of superquadrics that are fitted to points.

use super::{Attribute, Kind, MESH_FILES, Range};

const WEIGHT: Range = Range::NOT_NEGATIVE;

/// What bodies of formulation `Superquadric` have.
pub(super) const FIT: &[Attribute] = &[
    Attribute::optional(
        "points",
        Kind::File(MESH_FILES),
        "Formulation `Superquadric`: a mesh file whose vertices are the data.",
    ),
    Attribute::optional(
        "datax",
        Kind::Rule,
        "Formulation `Superquadric`: the x coordinate of the data instead of `points`, by u and v, from 0 to \
         1, and w, the time in seconds.",
    ),
    Attribute::optional("datay", Kind::Rule, "The same for y."),
    Attribute::optional("dataz", Kind::Rule, "The same for z."),
    Attribute::or(
        "data",
        Kind::Grid,
        "[30, 20]",
        "Formulation `Superquadric`: how many data points there are along u and v.",
    ),
    Attribute::or(
        "datanoise",
        Kind::Number(Range::NOT_NEGATIVE),
        "0",
        "Formulation `Superquadric`: the standard deviation of the noise that is added to each coordinate of \
         data by formulas, in metres.",
    ),
    Attribute::or(
        "datauntil",
        Kind::Number(Range::NOT_NEGATIVE),
        "0",
        "Formulation `Superquadric`: how long data by formulas change, in seconds; 0 if they do not.",
    ),
    Attribute::or(
        "datarate",
        Kind::Number(Range::POSITIVE),
        "25",
        "Formulation `Superquadric`: how many times per second data by formulas are taken while they change.",
    ),
    Attribute::or(
        "noise",
        Kind::Number(Range::POSITIVE),
        "0.01",
        "Formulation `Superquadric`: the error of the data that the fit reckons with, in metres.",
    )
    .sets(|value, body| body.change_superquadric(|fitted| fitted.noise = value.number())),
    Attribute::or(
        "pace",
        Kind::Number(Range::POSITIVE),
        "0.5",
        "Formulation `Superquadric`: the time in which a fit to data at rest goes most of its way, in seconds.",
    )
    .sets(|value, body| body.change_superquadric(|fitted| fitted.pace = value.number())),
    Attribute::or(
        "tracking",
        Kind::Boolean,
        "No",
        "Formulation `Superquadric`: whether the data move and a Kalman filter follows them.",
    )
    .sets(|value, body| body.change_superquadric(|fitted| fitted.tracks = value.is_yes())),
    Attribute::or(
        "agility",
        Kind::Number(Range::POSITIVE),
        "1",
        "Formulation `Superquadric`: how fast the motion of data that are tracked may change: by the size of \
         the surface and in radians, per second and root of a second.",
    )
    .sets(|value, body| body.change_superquadric(|fitted| fitted.agility = value.number())),
    Attribute::optional(
        "localtime",
        Kind::Number(Range::NOT_NEGATIVE),
        "Formulation `Superquadric`: when local displacements begin, in seconds; never if it is not given.",
    )
    .sets(|value, body| body.change_superquadric(|fitted| fitted.local_time = value.number())),
    Attribute::or(
        "localhold",
        Kind::Number(Range::POSITIVE),
        "0.01",
        "Formulation `Superquadric`: the weight against local displacements, beside 1 for each data point.",
    )
    .sets(|value, body| body.change_superquadric(|fitted| fitted.weights.hold = value.number())),
    Attribute::or(
        "localtension",
        Kind::Number(WEIGHT),
        "0.05",
        "Formulation `Superquadric`: the weight of their differences: a membrane.",
    )
    .sets(|value, body| body.change_superquadric(|fitted| fitted.weights.tension = value.number())),
    Attribute::or(
        "localrigidity",
        Kind::Number(WEIGHT),
        "0.05",
        "Formulation `Superquadric`: the weight of their second differences: a thin plate.",
    )
    .sets(|value, body| body.change_superquadric(|fitted| fitted.weights.rigidity = value.number())),
];
