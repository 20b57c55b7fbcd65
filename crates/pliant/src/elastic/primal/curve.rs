//! Terms of curves: length, curvature, torsion.

use super::{Builder, Groups};
use crate::elastic::curve_measures::{CurvaturePart, CurveCurvature, EdgeLength};
use crate::elastic::reversal::PlaneReversal;
use crate::elastic::terms::TermGroup;
use crate::elastic::volume::SignedVolume;
use glam::DVec3;

impl Builder<'_> {
    pub(super) fn curve(&self) -> Groups {
        let [torsions, reversals] = self.torsions();
        vec![self.lengths(), self.curvatures(), torsions, reversals]
    }

    fn lengths(&self) -> Option<Box<dyn TermGroup>> {
        let h = self.grid.spacing(0);
        let mut terms = Vec::new();
        for coordinates in self.grid.nodes() {
            let Some(end) = self.grid.neighbour(coordinates, [1, 0, 0]) else {
                continue;
            };
            let nodes = [self.grid.index(coordinates), end];
            let tension = self.mean(nodes, |n| self.weights.tension(n, 0, 0));
            terms.push(self.term(
                nodes,
                [self.edge(coordinates, 0, 1)],
                EdgeLength { scale: 1.0 / h },
                tension,
            ));
        }
        self.list(terms)
    }

    fn curvatures(&self) -> Option<Box<dyn TermGroup>> {
        let mut terms = Vec::new();
        for coordinates in self.grid.nodes() {
            let around = [-1, 1].map(|sign| self.grid.neighbour(coordinates, [sign, 0, 0]));
            let [Some(before), Some(after)] = around else {
                continue;
            };
            let centre = self.grid.index(coordinates);
            let nodes = [before, centre, after];
            let (e, f) = (
                self.rest[centre] - self.rest[before],
                self.rest[after] - self.rest[centre],
            );
            let straight = e.cross(f).length() <= 1e-9 * e.length() * f.length();
            let parts = if straight {
                vec![
                    CurvaturePart::Component(0),
                    CurvaturePart::Component(1),
                    CurvaturePart::Component(2),
                ]
            } else {
                vec![CurvaturePart::Length]
            };
            let scale = 2.0 / (e.length() + f.length());
            for part in parts {
                let mut term = self.term(
                    nodes,
                    [self.edge(coordinates, 0, -1), self.edge(coordinates, 0, 1)],
                    CurveCurvature {
                        scale,
                        part,
                        edge_scales: [1.0 / e.length(), 1.0 / f.length()],
                    },
                    self.weights.rigidity(centre, 0, 0),
                );
                if straight {
                    term.rest = 0.0;
                }
                terms.push(term);
            }
        }
        self.list(terms)
    }

    /// Sine and cosine of the torsion, so that no half turn is at rest.
    fn torsions(&self) -> [Option<Box<dyn TermGroup>>; 2] {
        let (mut terms, mut reversals) = (Vec::new(), Vec::new());
        for coordinates in self.grid.nodes() {
            let next = [1, 2, 3].map(|distance| self.grid.neighbour(coordinates, [distance, 0, 0]));
            let [Some(b), Some(c), Some(d)] = next else {
                continue;
            };
            let nodes = [self.grid.index(coordinates), b, c, d];
            let x = nodes.map(|node| self.rest[node]);
            let edges = [x[1] - x[0], x[2] - x[1], x[3] - x[2]];
            let planes = edges[0].cross(edges[1]).length() * edges[1].cross(edges[2]).length();
            let length = edges.map(DVec3::length).iter().sum::<f64>() / 3.0;
            // A straight rest shape has no torsion to keep.
            if planes <= 1e-12 * length.powi(4) {
                continue;
            }
            // sin of the angle between osculating planes, by the length of an edge.
            let scale = edges[1].length() / (planes * length);
            let twist = self.mean(nodes, |n| self.weights.twist(n));
            let edges = [self.edge(coordinates, 0, 1), (3 * b) as u32, (3 * c) as u32];
            let torsion = SignedVolume { scale, chain: true };
            terms.push(self.term(nodes, edges, torsion, twist));
            let reversal = PlaneReversal::new(1.0 / (planes * length), &x);
            reversals.push(self.term(nodes, edges, reversal, twist));
        }
        [self.list(terms), self.list(reversals)]
    }
}
