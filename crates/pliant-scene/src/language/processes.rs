//! `Process`: what makes a body more than elastic.

use super::{Attribute, Child, Element, Kind, Occurs, Range};

/// The kinds of process.
pub const PROCESSES: &[&str] = &[
    "Maxwell", "Voigt", "FourUnit", "Prony", "Plastic", "Fracture", "Heat", "Fluid",
];

const MAXWELL: &[&str] = &["Maxwell"];
const DASHPOT: &[&str] = &["Maxwell", "Voigt"];
const FOUR_UNIT: &[&str] = &["FourUnit"];
const PLASTIC: &[&str] = &["Plastic"];
const FRACTURE: &[&str] = &["Fracture"];
const HEAT: &[&str] = &["Heat"];
const FLUID: &[&str] = &["Fluid"];
const LIMITED: &[&str] = &["Plastic", "Fracture"];

/// A process of a body.
pub static PROCESS: Element = Element {
    name: "Process",
    doc: "What makes a body more than elastic; several work one after the other. They act on \
          strains, which are ratios: relative elongation, half the angle of shear, and for bending \
          curvature times half the spacing of the grid. `Maxwell` flows as long as it is strained, \
          `Voigt` resists the rate of strain, `FourUnit` is both in series, `Prony` relaxes in \
          several times, `Plastic` yields \
          beyond a limit and hardens, `Fracture` breaks links, `Heat` conducts, softens and \
          melts, `Fluid` says how molten particles attract and repel. Bodies with processes need \
          energy=\"Exact\". Solids of tetrahedra can have `Maxwell`, `FourUnit`, `Prony`, \
          `Plastic`, `Heat` without melting, and `Fracture`, which parts them along the faces of \
          elements; their stresses are in pascals.",
    attributes: &[
        Attribute::required("type", Kind::Choice(PROCESSES), "What happens."),
        Attribute::or(
            "from",
            Kind::Number(Range::NOT_NEGATIVE),
            "0",
            "When it begins, in seconds.",
        ),
        Attribute::optional(
            "until",
            Kind::Number(Range::POSITIVE),
            "When it ends, in seconds: a thermoplastic that has cooled. Never, if left out.",
        ),
        Attribute::required(
            "time",
            Kind::Number(Range::ANY),
            "Viscosity by stiffness, in seconds: the time in which strain relaxes (`Maxwell`) or \
             comes about (`Voigt`). Of `Maxwell` it may be negative: the body then swells.",
        )
        .when("type", DASHPOT),
        Attribute::optional(
            "field",
            Kind::Rule,
            "A factor on `time` that varies over the body, as a formula in u, v and w.",
        )
        .when("type", DASHPOT),
        Attribute::optional(
            "rate",
            Kind::Number(Range::POSITIVE),
            "The rate of strain, in 1/s, about which the viscosity begins to change.",
        )
        .when("type", MAXWELL),
        Attribute::or(
            "power",
            Kind::Number(Range::ANY),
            "0",
            "The viscosity is multiplied by (1 + rate of strain / `rate`) to this power: below 0 \
             fast strain flows more easily, above 0 it is resisted, as by putty.",
        )
        .when("type", MAXWELL),
        Attribute::or(
            "swell",
            Kind::Number(Range::POSITIVE),
            "0.5",
            "The largest strain a body swells to if `time` is negative.",
        )
        .when("type", MAXWELL),
        Attribute::required(
            "relaxation",
            Kind::Number(Range::POSITIVE),
            "The time of the dashpot in series, in seconds.",
        )
        .when("type", FOUR_UNIT),
        Attribute::required(
            "retardation",
            Kind::Number(Range::POSITIVE),
            "The time of the dashpot beside the second spring, in seconds.",
        )
        .when("type", FOUR_UNIT),
        Attribute::or(
            "stiffness",
            Kind::Number(Range::POSITIVE),
            "1",
            "Stiffness of the second spring by that of the body.",
        )
        .when("type", FOUR_UNIT),
        Attribute::or(
            "yield",
            Kind::Choice(&["Deformation", "VonMises", "Tresca"]),
            "Deformation",
            "What decides whether the body yields: the size of the strain, von Mises' or Tresca's \
             stress.",
        )
        .when("type", PLASTIC),
        Attribute::or(
            "breaks",
            Kind::Choice(&["Elongation", "Stress"]),
            "Elongation",
            "What decides whether a link breaks: its elongation (a ratio) or its stress.",
        )
        .when("type", FRACTURE),
        Attribute::required(
            "limit",
            Kind::Number(Range::POSITIVE),
            "Where yielding or breaking begins: a ratio of lengths, or a stress in newtons (over a \
             mesh in pascals).",
        )
        .when("type", LIMITED),
        Attribute::or(
            "hardening",
            Kind::Number(Range::NOT_NEGATIVE),
            "0",
            "Stiffness of the spring that hardens the body by that of the body; 0 yields without \
             end.",
        )
        .when("type", PLASTIC),
        Attribute::or(
            "delay",
            Kind::Number(Range::NOT_NEGATIVE),
            "0",
            "The time, in seconds, in which the body yields; 0 yields at once.",
        )
        .when("type", PLASTIC),
        Attribute::or(
            "spread",
            Kind::Number(Range::UNIT),
            "0",
            "How far the limits of the links differ from their mean at random, as a share of it.",
        )
        .when("type", FRACTURE),
        Attribute::or(
            "seed",
            Kind::Count {
                least: 0,
                most: u32::MAX,
            },
            "1",
            "Where the random limits are drawn from; the same seed tears alike on every machine.",
        )
        .when("type", FRACTURE),
        Attribute::or(
            "count",
            Kind::Count {
                least: 1,
                most: 1_000_000,
            },
            "1",
            "The most links that break in a step: the worst first.",
        )
        .when("type", FRACTURE),
        Attribute::or(
            "order",
            Kind::Count { least: 0, most: 1 },
            "0",
            "0 tears links, 1 makes creases: the body then bends freely where it was bent too far.",
        )
        .when("type", FRACTURE),
        Attribute::or(
            "temperature",
            Kind::Number(Range::NOT_NEGATIVE),
            "293",
            "The temperature at the beginning, in kelvin.",
        )
        .when("type", HEAT),
        Attribute::optional(
            "warmth",
            Kind::Rule,
            "Kelvin above `temperature` at the beginning, as a formula in u, v and w.",
        )
        .when("type", HEAT),
        Attribute::required(
            "conductivity",
            Kind::Number(Range::NOT_NEGATIVE),
            "In W/(m K) for a solid; times thickness for a surface, times cross-section for a curve.",
        )
        .when("type", HEAT),
        Attribute::optional(
            "conducts",
            Kind::Rule,
            "A factor on `conductivity` that varies over the body, as a formula in u, v and w.",
        )
        .when("type", HEAT),
        Attribute::or(
            "capacity",
            Kind::Number(Range::POSITIVE),
            "1000",
            "The specific heat capacity, in J/(kg K).",
        )
        .when("type", HEAT),
        Attribute::or(
            "exchange",
            Kind::Number(Range::NOT_NEGATIVE),
            "0",
            "Exchange of heat with objects that have a `temperature`, in W/(m² K).",
        )
        .when("type", HEAT),
        Attribute::or(
            "near",
            Kind::Number(Range::NOT_NEGATIVE),
            "0.01",
            "How near an object must be to exchange heat, in metres.",
        )
        .when("type", HEAT),
        Attribute::or(
            "air",
            Kind::Number(Range::NOT_NEGATIVE),
            "0",
            "Exchange of heat with the air, in W/(m² K).",
        )
        .when("type", HEAT),
        Attribute::or(
            "ambient",
            Kind::Number(Range::NOT_NEGATIVE),
            "293",
            "The temperature of the air, in kelvin.",
        )
        .when("type", HEAT),
        Attribute::optional(
            "softens",
            Kind::Number(Range::POSITIVE),
            "The temperature, in kelvin, from which on the body is softer; if left out, not before it melts.",
        )
        .when("type", HEAT),
        Attribute::or(
            "soft",
            Kind::Number(Range::UNIT),
            "0.1",
            "The share of its stiffness that is left at the melting point.",
        )
        .when("type", HEAT),
        Attribute::optional(
            "melts",
            Kind::Number(Range::POSITIVE),
            "The melting point, in kelvin; none, if left out.",
        )
        .when("type", HEAT),
        Attribute::or(
            "solidifies",
            Kind::Boolean,
            "No",
            "Whether what has melted becomes whole again when it cools.",
        )
        .when("type", HEAT),
        Attribute::required(
            "spacing",
            Kind::Number(Range::POSITIVE),
            "The distance at which two particles rest, in metres; they see each other up to twice \
             as far.",
        )
        .when("type", FLUID),
        Attribute::required(
            "repulsion",
            Kind::Number(Range::NOT_NEGATIVE),
            "The force between particles that coincide, in N.",
        )
        .when("type", FLUID),
        Attribute::or(
            "attraction",
            Kind::Number(Range::NOT_NEGATIVE),
            "0",
            "The largest force of attraction, in N; at most a 33rd of `repulsion`.",
        )
        .when("type", FLUID),
        Attribute::or(
            "viscosity",
            Kind::Number(Range::NOT_NEGATIVE),
            "0",
            "Resistance to approach and parting of two particles, in N s/m.",
        )
        .when("type", FLUID),
        Attribute::or(
            "warms",
            Kind::Number(Range::NOT_NEGATIVE),
            "0",
            "Heat that flows between two particles that touch, in W/K.",
        )
        .when("type", FLUID),
        Attribute::or(
            "molten",
            Kind::Boolean,
            "No",
            "Whether the body is fluid from the start.",
        )
        .when("type", FLUID),
    ],
    children: &[Child::new(&BRANCH, Occurs::Many)],
    example: r#"<Process type="Fracture" limit="0.3" spread="0.2" seed="7" />"#,
    ..Element::NEW
};

/// A unit of a Prony series.
pub static BRANCH: Element = Element {
    name: "Branch",
    doc: "A unit of a `Process` of type `Prony`: a spring and a dashpot in series, beside the \
          others. The shares sum to 1 at most; what is left of 1 lasts.",
    attributes: &[
        Attribute::required(
            "share",
            Kind::Number(Range::UNIT),
            "The share of the stiffness that relaxes.",
        ),
        Attribute::required(
            "time",
            Kind::Number(Range::POSITIVE),
            "The time in which it relaxes, in seconds.",
        ),
    ],
    example: r#"<Branch share="0.4" time="0.5" />"#,
    ..Element::NEW
};
