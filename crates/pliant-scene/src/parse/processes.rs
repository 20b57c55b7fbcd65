//! The processes of a body.

use super::attributes::Values;
use super::elements::{check_children, own_attributes, read_element};
use super::forces::read_span;
use crate::diagnostics::{Problem, Reporter};
use crate::language::{BRANCH, PROCESS};
use crate::scene::{Branch, Breaks, Energy, Fluid, Heat, Process, ProcessKind, Yield};
use crate::xml::Node;

pub(super) fn read_processes(
    reporter: &mut Reporter,
    body: &Node,
    label: &str,
    energy: Option<Energy>,
) -> Vec<Process> {
    body.all(PROCESS.name)
        .filter_map(|node| {
            let label = format!("{label}<{}>", PROCESS.name);
            check_children(reporter, node, &label, &PROCESS);
            let values = own_attributes(reporter, node, label, &PROCESS);
            if energy.is_some_and(|energy| energy != Energy::Exact) {
                let problem = Problem::new("only bodies with energy=\"Exact\" can have processes")
                    .with_hint("leave out `energy`, or write energy=\"Exact\"");
                values.wrong(reporter, "type", problem);
            }
            let (from, until) = read_span(reporter, &values);
            Some(Process {
                kind: read_kind(reporter, node, &values)?,
                from,
                until,
            })
        })
        .collect()
}

fn read_kind(reporter: &mut Reporter, node: &Node, values: &Values<'_>) -> Option<ProcessKind> {
    let kind = values.word("type")?;
    let branches = read_branches(reporter, node, kind, values);
    let time = values.optional_number("time").unwrap_or(1.0);
    if time == 0.0 || (kind == "Voigt" && time < 0.0) {
        let message = format!("expected a time greater than 0, found {time}");
        values.wrong(reporter, "time", Problem::new(message));
    }
    let field = values.rule("field").cloned();
    Some(match kind {
        "Maxwell" => ProcessKind::Maxwell {
            time,
            field,
            rate: values.optional_number("rate").unwrap_or(f64::INFINITY),
            power: values.number("power"),
            swell: values.number("swell"),
        },
        "Voigt" => ProcessKind::Voigt { time, field },
        "FourUnit" => ProcessKind::FourUnit {
            relaxation: values.number("relaxation"),
            retardation: values.number("retardation"),
            stiffness: values.number("stiffness"),
        },
        "Prony" => ProcessKind::Prony { branches },
        "Plastic" => ProcessKind::Plastic {
            criterion: match values.word("yield") {
                Some("VonMises") => Yield::VonMises,
                Some("Tresca") => Yield::Tresca,
                _ => Yield::Deformation,
            },
            limit: values.number("limit"),
            hardening: values.number("hardening"),
            delay: values.number("delay"),
        },
        "Heat" => ProcessKind::Heat(Box::new(read_heat(values))),
        "Fluid" => ProcessKind::Fluid(Fluid {
            spacing: values.number("spacing"),
            repulsion: values.number("repulsion"),
            attraction: values.number("attraction"),
            viscosity: values.number("viscosity"),
            warms: values.number("warms"),
            molten: values.boolean("molten"),
        }),
        _ => ProcessKind::Fracture {
            criterion: match values.word("breaks") {
                Some("Stress") => Breaks::Stress,
                _ => Breaks::Elongation,
            },
            limit: values.number("limit"),
            spread: values.number("spread"),
            seed: values.count("seed"),
            count: values.count("count"),
            order: values.count("order"),
        },
    })
}

/// The units of a Prony series; none for other processes.
fn read_branches(
    reporter: &mut Reporter,
    process: &Node,
    kind: &str,
    values: &Values<'_>,
) -> Vec<Branch> {
    let label = &values.label;
    let branches = process.all(BRANCH.name).map(|node| {
        let values = read_element(reporter, node, label, &BRANCH);
        Branch {
            share: values.optional_number("share").unwrap_or(0.5),
            time: values.optional_number("time").unwrap_or(1.0),
        }
    });
    let branches: Vec<Branch> = branches.collect();
    let wrong = match (kind == "Prony", branches.is_empty()) {
        (true, true) => Some((
            "a Prony series has at least one branch",
            "add <Branch share=\"0.5\" time=\"1\" />",
        )),
        (false, false) => Some(("only a Prony series has branches", "write type=\"Prony\"")),
        _ => None,
    };
    if let Some((message, hint)) = wrong {
        let problem = Problem::new(message).with_hint(hint);
        reporter.error(process.offset, label, None, problem);
    }
    branches
}

fn read_heat(values: &Values<'_>) -> Heat {
    Heat {
        temperature: values.number("temperature"),
        warmth: values.rule("warmth").cloned(),
        conductivity: values.number("conductivity"),
        conducts: values.rule("conducts").cloned(),
        capacity: values.number("capacity"),
        exchange: values.number("exchange"),
        near: values.number("near"),
        air: values.number("air"),
        ambient: values.number("ambient"),
        softens: values.optional_number("softens").unwrap_or(f64::INFINITY),
        soft: values.number("soft"),
        melts: values.optional_number("melts").unwrap_or(f64::INFINITY),
        solidifies: values.boolean("solidifies"),
    }
}
