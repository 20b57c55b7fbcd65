//! The properties of deformable bodies.

use super::{Attribute, Kind, Range};
use crate::value::Value;
use glam::DVec3;
use pliant::chainmail::LinkLimits;
use pliant::contact::ContactMethod;
use pliant::formulation::MeshSettings;
use pliant::hybrid::DeformationEnergy;
use pliant::linear::SolverKind;
use pliant::{EnergyVariant, IntegratorKind, formulation};

/// What bodies of every type have.
pub(super) const COMMON: &[Attribute] = &[
    Attribute::required(
        "timestep",
        Kind::Number(Range::POSITIVE),
        "The length of a step, in seconds.",
    )
    .sets(|value, body| body.time_step = value.number())
    .published(),
    Attribute::or(
        "integrator",
        Kind::Named(IntegratorKind::WORDS),
        IntegratorKind::Automatic.name(),
        "How a step is made.",
    )
    .sets(|value, body| {
        body.integrator = IntegratorKind::from_name(value.word()).unwrap_or_default();
    }),
    Attribute::or(
        "solver",
        Kind::Named(SolverKind::WORDS),
        SolverKind::Automatic.name(),
        "How the linear systems are solved.",
    )
    .sets(|value, body| {
        body.solver.kind = SolverKind::from_name(value.word()).unwrap_or_default();
    }),
    Attribute::or(
        "tolerance",
        Kind::Number(Range::POSITIVE),
        "1e-6",
        "The relative residual at which an iterative solver stops.",
    )
    .sets(|value, body| body.solver.tolerance = value.number()),
    Attribute::optional(
        "iterations",
        Kind::Count {
            least: 1,
            most: 1_000_000,
        },
        "The most iterations of an iterative solver, where so many and no more are wanted: what a linear solve \
         has found by then is used as it is, and the run warns of solves that had not come to their end. If \
         it is not given, as many as it takes on grids by the published scheme; up to 200 for each iteration of \
         Newton's method, which goes on from what was found, and over meshes. Sweeps (SOR), lines (ADI) and cycles (Multigrid) that do not come to their end in \
         1000 give way to conjugate gradients.",
    )
    .sets(|value, body| body.solver.max_iterations = Some(value.count())),
    Attribute::or(
        "relaxation",
        Kind::Number(Range::between(0.0, 2.0)),
        "1.5",
        "The relaxation factor of SOR.",
    )
    .sets(|value, body| body.solver.relaxation = value.number()),
    Attribute::or(
        "newton",
        Kind::Count {
            least: 1,
            most: 10_000,
        },
        "50",
        "The most Newton iterations of an implicit step.",
    )
    .sets(|value, body| body.newton_iterations = value.count()),
    Attribute::or(
        "adaptive",
        Kind::Boolean,
        "No",
        "Whether the step length follows the motion.",
    )
    .sets(|value, body| body.adaptive = value.is_yes()),
    Attribute::or(
        "shortest",
        Kind::Number(Range::FRACTION),
        "0.0009765625",
        "The shortest step that is tried, as a fraction of the timestep.",
    )
    .sets(|value, body| body.shortest_step = value.number()),
    Attribute::or(
        "contact",
        Kind::Choice(&["Projection", "Exponential", "Quadratic"]),
        "Projection",
        "How collisions are resolved: by projection onto the surface, or by a penalty force. The scalar matrix of \
         `SemiImplicit` on grids lets a strong penalty hold particles back along the surface as well: they stick \
         where friction would let them slide; take another integrator there, or `Projection`.",
    )
    .sets(|value, body| {
        body.contact.method = match value.word() {
            "Exponential" => ContactMethod::Exponential,
            "Quadratic" => ContactMethod::Quadratic,
            _ => ContactMethod::Projection,
        };
    }),
    Attribute::or(
        "threshold",
        Kind::Number(Range::NOT_NEGATIVE),
        "0",
        "The depth up to which the quadratic penalty spares a particle that is already leaving.",
    )
    .sets(|value, body| body.contact.threshold = value.number()),
    Attribute::or(
        "thickness",
        Kind::Number(Range::NOT_NEGATIVE),
        "0",
        "The distance that particles keep from objects, so that what lies between them keeps clear too.",
    )
    .sets(|value, body| body.contact.thickness = value.number()),
    Attribute::or(
        "strength",
        Kind::Number(Range::POSITIVE),
        "1",
        "The strength c of the penalty.",
    )
    .sets(|value, body| body.contact.strength = value.number()),
    Attribute::or(
        "friction",
        Kind::Number(Range::NOT_NEGATIVE),
        "0",
        "Coulomb's coefficient of friction; between a body and an object the larger of both \
         values counts.",
    )
    .sets(|value, body| body.contact.friction = value.number()),
    Attribute::or(
        "restitution",
        Kind::Number(Range::UNIT),
        "0",
        "The share of the normal speed that is kept in a rebound, with contact `Projection`; the \
         larger of both values counts. A free solid rebounds as a whole: an impact that steps resolve \
         is as elastic as the body, and what a step loses of the speed is given back up to this \
         share. So it is the least rebound, not the only one: a stiff solid with 0 stays where it lands if \
         steps are longer than its impact takes, and rebounds by itself if they resolve it; damping takes that \
         away. Particles of curves and surfaces rebound one by one. A penalty rebounds by its own \
         elasticity. `Sticks`, `ChainMail` and `Modal` bodies do not heed it, as a warning says.",
    )
    .sets(|value, body| body.contact.restitution = value.number()),
    Attribute::or(
        "velocity",
        Kind::Vector,
        "[0, 0, 0]",
        "The velocity of the whole body at the start, in m/s.",
    ),
    Attribute::or(
        "spin",
        Kind::Vector,
        "[0, 0, 0]",
        "The angular velocity of the whole body about its centre of mass at the start, in rad/s.",
    ),
];

/// What bodies over a grid of particles have beside.
pub(super) const GRID: &[Attribute] = &[
    Attribute::or(
        "formulation",
        Kind::Choice(formulation::CHOICES_ON_GRIDS),
        "Primal",
        "How the body is described. `Primal`: by the positions of its particles, with an energy of \
         metric and curvature; a curve knows no material frame, so that a curved wire is several times too \
         stiff out of its plane (a quarter of a circle with a load at its tip 2.7 times, a shorter arc more): take \
         `Rod` for it. `Hybrid`: by a rigid shape that moves and a deformation relative to \
         it, with a quadratic energy (see `deformation`); for bodies that are nearly rigid or have a \
         complex shape. Its elastic force is always implicit: with the spline energy the integrators \
         other than `Midpoint` and `Static` are the same for it. `Sticks`: by particles whose distances \
         are restored after each step of Verlet's rule (Jakobsen's method); tension and rigidity play no \
         part, the integrator neither. `ChainMail`: by particles on a straight grid that follow each \
         other within `limits`, very fast and without forces; springs bound to particles tell them where \
         to be, and objects push them out. `Snake`: a curve without a rest shape that shrinks by its \
         tension α, in N, and straightens by its rigidity β, in N m², both per metre of its natural shape \
         (½ ∫ α |v_s|² + β |v_ss|² ds); forces of type `Image` draw it to what they show, and a particle \
         without rigidity is where it may turn a corner. `Film`: a surface of constant tension, that of its \
         particles in N/m, which minimises its area, as a film of soap between fixed rims; only mass and \
         damping hold particles within the surface. `Rod`: a curve with a material frame along it, which resists \
         bending by its rigidity and twisting by its twist, however it bends in space; an edge between two \
         fixed particles is clamped, and a pattern on the tube that is drawn shows the twist. It needs rigidity and \
         twist above zero at every particle, which `Elastic` gives it, and an implicit integrator. `Superquadric`: a surface of type \
         `EllipsoidPatch` or `SuperquadricPatch` that data points draw to themselves: first its place, axes and \
         squareness, then displacements of its particles; it begins as an ellipsoid and has neither forces nor \
         contact. \
         `DynamicNurbs`: a B-spline or NURBS curve or patch that \
         moves by its control points and, unless `weights` stay, by their weights; its particles are \
         samples, which carry masses, forces and constraints. It has no rest shape: its energy is that of \
         a thin plate under tension, with tension α and rigidity β as for `Snake`, on a patch in N/m and \
         N m. With the integrator `Static` it is the shape of least energy; `Implicit` is the other one it has, and \
         what `Automatic` is for it. Its particles may have a `normal` and a prescribed `placex`, `placey`, \
         `placez`.",
    )
    .sets(|value, body| {
        body.reformulate(value.word());
    }),
    Attribute::or(
        "weights",
        Kind::Choice(&["Free", "Fixed"]),
        "Free",
        "Formulation `DynamicNurbs`: whether the weights of control points move with them or stay.",
    )
    .sets(|value, body| {
        body.change_dynamic_nurbs(|nurbs| nurbs.fixed_weights = value.word() == "Fixed");
    }),
    Attribute::or(
        "across",
        Kind::Number(Range::POSITIVE),
        "1",
        "Formulation `Rod`: the stiffness against bending towards the second director by that towards the \
         first; 1 for a round section.",
    )
    .sets(|value, body| body.change_rod(|rod| rod.across = value.number())),
    Attribute::optional(
        "director",
        Kind::Vector,
        "Formulation `Rod`: where the first director of the first edge points at rest, as far as it is \
         across the edge; any direction if it is not given.",
    )
    .sets(|value, body| {
        if let Value::Vector(director) = value {
            body.change_rod(|rod| rod.director = Some(*director));
        }
    }),
    Attribute::or(
        "turn",
        Kind::Number(Range::ANY),
        "0",
        "Formulation `Rod`: the speed, in rad/s, at which the last edge is turned about its own direction at \
         rest. If this or `approach` is not 0, the first and the last edge are clamped.",
    )
    .sets(|value, body| body.change_rod(|rod| rod.turn = value.number())),
    Attribute::or(
        "approach",
        Kind::Number(Range::ANY),
        "0",
        "Formulation `Rod`: the speed, in m/s, at which the last edge is moved back along its own direction \
         at rest.",
    )
    .sets(|value, body| body.change_rod(|rod| rod.approach = value.number())),
    Attribute::optional(
        "turntime",
        Kind::Number(Range::NOT_NEGATIVE),
        "Formulation `Rod`: when turning and approaching end, in seconds; they go on if it is not given.",
    )
    .sets(|value, body| body.change_rod(|rod| rod.turn_time = value.number())),
    Attribute::or(
        "relaxations",
        Kind::Count {
            least: 1,
            most: 10_000,
        },
        "10",
        "Formulation `Sticks`: how often all sticks are gone over in a step.",
    )
    .sets(|value, body| body.change_sticks(|sticks| sticks.iterations = value.count())),
    Attribute::or(
        "reach",
        Kind::Count { least: 1, most: 1000 },
        "2",
        "Formulation `Sticks`: how many particles away the longest sticks end, along the directions of \
         the grid and its diagonals.",
    )
    .sets(|value, body| body.change_sticks(|sticks| sticks.reach = value.count())),
    Attribute::or(
        "limits",
        Kind::Extent,
        "[0.7, 1.3, 0.4]",
        "Formulation `ChainMail`: the least and the largest length of links and their largest shear, by \
         their length at rest, for particles of tension 1; k times the tension makes them k times as \
         narrow.",
    )
    .sets(|value, body| {
        if let Value::Vector(limits) = value {
            body.change_chain_mail(|mail| {
                mail.limits = LinkLimits {
                    least: limits.x,
                    most: limits.y,
                    shear: limits.z,
                };
            });
        }
    }),
    Attribute::or(
        "rounds",
        Kind::Count {
            least: 0,
            most: 10_000,
        },
        "2",
        "Formulation `ChainMail`: rounds of relaxation towards rest in a step.",
    )
    .sets(|value, body| body.change_chain_mail(|mail| mail.rounds = value.count())),
    Attribute::or(
        "relax",
        Kind::Number(Range::UNIT),
        "0.5",
        "Formulation `ChainMail`: the share of its way to rest that a particle goes in a round.",
    )
    .sets(|value, body| body.change_chain_mail(|mail| mail.relaxation = value.number())),
    Attribute::optional(
        "cut",
        Kind::Corners,
        "Formulation `ChainMail`: links whose middle lies in this box at rest are cut.",
    )
    .sets(|value, body| {
        if let Value::Matrix(rows) = value {
            let corner = |row: &[f64]| DVec3::new(row[0], row[1], row[2]);
            let corners = [corner(&rows[0]), corner(&rows[1])];
            body.change_chain_mail(|mail| mail.cut = Some(corners));
        }
    }),
    Attribute::or(
        "cuttime",
        Kind::Number(Range::NOT_NEGATIVE),
        "0",
        "Formulation `ChainMail`: when they are cut, in seconds.",
    )
    .sets(|value, body| body.change_chain_mail(|mail| mail.cut_time = value.number())),
    Attribute::or(
        "deformation",
        Kind::Named(DeformationEnergy::WORDS),
        "Spline",
        "Formulation `Hybrid`: the energy of the deformation.",
    )
    .sets(|value, body| {
        if let Some(deformation) = DeformationEnergy::from_name(value.word()) {
            body.change_hybrid(|hybrid| hybrid.deformation = deformation);
        }
    }),
    Attribute::or(
        "centrifugal",
        Kind::Boolean,
        "Yes",
        "Formulation `Hybrid`: whether the centrifugal force acts on the deformation.",
    )
    .sets(|value, body| {
        body.change_hybrid(|hybrid| hybrid.inertial_terms.centrifugal = value.is_yes());
    }),
    Attribute::or(
        "coriolis",
        Kind::Boolean,
        "Yes",
        "Formulation `Hybrid`: whether the Coriolis force acts on the deformation.",
    )
    .sets(|value, body| {
        body.change_hybrid(|hybrid| hybrid.inertial_terms.coriolis = value.is_yes());
    }),
    Attribute::or(
        "transverse",
        Kind::Boolean,
        "Yes",
        "Formulation `Hybrid`: whether the force of angular acceleration acts on the deformation.",
    )
    .sets(|value, body| {
        body.change_hybrid(|hybrid| hybrid.inertial_terms.transverse = value.is_yes());
    }),
    Attribute::or(
        "energy",
        Kind::Choice(&["Exact", "Published", "AsPrinted"]),
        "Exact",
        "The elastic force. `Exact`: the true gradient of the discrete energy. `Published`: the \
         published stencils, with negative tension left out of the implicit matrix. `AsPrinted`: \
         the published stencils to the letter, which can explode.",
    )
    .sets(|value, body| {
        let energy = match value.word() {
            "Published" => EnergyVariant::Published,
            "AsPrinted" => EnergyVariant::AsPrinted,
            _ => EnergyVariant::Exact,
        };
        body.change_grid(|on_grid| on_grid.energy = energy);
        let is_surface = body.formulation.dimension(body) == 2;
        body.contact.along_body_normal = energy != EnergyVariant::Exact && is_surface;
    }),
];

/// What bodies over meshes have beside.
pub(super) const OVER_MESH: &[Attribute] = &[
    Attribute::or(
        "formulation",
        Kind::Choice(formulation::CHOICES_ON_MESHES),
        MeshSettings::NAME,
        "How the body moves. `Mesh`: node by node, by the energies of its elements. `Modal`: as a sum of \
         its `modes` lowest vibrations about rest, each moved exactly, in a frame that moves and turns with \
         it; fast, linear, and with contact that loses what rebounds (`restitution` plays no part). Springs \
         of single nodes are softer in it, the fewer modes there are. `Condensed`: in balance, as a sum of \
         the shapes that forces on single nodes give it, which are computed once; it is linear, needs \
         `Fixed` nodes and integrator=\"Static\", and follows what pulls and touches it at rates at which \
         hands feel. `Global`: by a polynomial map of `degree` 1 or 2 of its rest \
         shape, which has up to 12 or 30 unknown numbers (fewer for a flat sheet, or where nodes cannot tell them \
         apart) and the energy of its elements; fixed nodes and objects hold it by Lagrange multipliers, with \
         friction; it moves by the integrators TwoStage (also called Automatic) and Implicit. These three have no `Core`, no `Process`, no single coordinates that are fixed, and touch \
         objects that stay, but not other bodies.",
    )
    .sets(|value, body| {
        body.reformulate_mesh(value.word());
    }),
    Attribute::or(
        "modes",
        Kind::Count {
            least: 1,
            most: 3000,
        },
        "20",
        "Formulation `Modal`: how many vibrations, beside the motions of a rigid body.",
    )
    .sets(|value, body| body.change_modes(value.count())),
    Attribute::or(
        "degree",
        Kind::Count { least: 1, most: 2 },
        "2",
        "Formulation `Global`: the degree of the map.",
    )
    .sets(|value, body| body.change_degree(value.count())),
    Attribute::or(
        "precompute",
        Kind::Boolean,
        "No",
        "Formulation `Condensed`: whether the shapes of forces on all nodes of the surface are computed at \
         the start; else when a node is first touched.",
    )
    .sets(|value, body| body.change_precompute(value.is_yes())),
];
