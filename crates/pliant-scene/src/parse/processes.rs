//! The processes of a body.

use super::attributes::Values;
use super::elements::{check_children, own_attributes, read_element};
use crate::diagnostics::{Problem, Reporter};
use crate::language::time_span::read_span;
use crate::language::{BRANCH, PROCESS, PROCESSES};
use crate::scene::Process;
use crate::xml::Node;
use pliant::process::PronyBranch;

pub(super) fn read_processes(
    reporter: &mut Reporter,
    body: &Node,
    label: &str,
    energy: Option<&str>,
) -> Vec<Process> {
    body.all(PROCESS.name)
        .filter_map(|node| {
            let label = format!("{label}<{}>", PROCESS.name);
            check_children(reporter, node, &label, &PROCESS);
            let values = own_attributes(reporter, node, label, &PROCESS);
            if energy.is_some_and(|energy| energy != "Exact") {
                let problem = Problem::new("only bodies with energy=\"Exact\" can have processes")
                    .with_hint("leave out `energy`, or write energy=\"Exact\"");
                values.wrong(reporter, "type", problem);
            }
            let (from, until) = read_span(reporter, &values);
            let kind = PROCESSES
                .iter()
                .find(|kind| Some(kind.word.name) == values.word("type"))?;
            let branches = read_branches(reporter, node, kind.word.name, &values);
            (kind.check)(reporter, &values);
            Some(Process {
                kind,
                settings: values.settings,
                branches,
                from,
                until,
            })
        })
        .collect()
}

/// The units of a Prony series; none for other processes.
fn read_branches(
    reporter: &mut Reporter,
    process: &Node,
    kind: &str,
    values: &Values<'_>,
) -> Vec<PronyBranch> {
    let label = &values.label;
    let branches = process.all(BRANCH.name).map(|node| {
        let values = read_element(reporter, node, label, &BRANCH);
        PronyBranch {
            share: values.optional_number("share").unwrap_or(0.5),
            time: values.optional_number("time").unwrap_or(1.0),
        }
    });
    let branches: Vec<PronyBranch> = branches.collect();
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
