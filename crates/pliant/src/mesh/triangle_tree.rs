//! A tree of boxes over triangles: the nearest point of a surface, and the triangles near a box.

use glam::DVec3;

/// Triangles in a leaf.
const LEAF: usize = 4;

/// A box with its lowest and highest corner.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    pub lowest: DVec3,
    pub highest: DVec3,
}

impl Bounds {
    const NONE: Self = Self {
        lowest: DVec3::INFINITY,
        highest: DVec3::NEG_INFINITY,
    };

    pub fn of(corners: &[DVec3]) -> Self {
        corners.iter().fold(Self::NONE, |bounds, &x| Self {
            lowest: bounds.lowest.min(x),
            highest: bounds.highest.max(x),
        })
    }

    fn and(self, other: Self) -> Self {
        Self {
            lowest: self.lowest.min(other.lowest),
            highest: self.highest.max(other.highest),
        }
    }

    pub fn holds(&self, p: DVec3) -> bool {
        p.cmpge(self.lowest).all() && p.cmple(self.highest).all()
    }

    fn overlaps(&self, other: &Self) -> bool {
        self.lowest.cmple(other.highest).all() && other.lowest.cmple(self.highest).all()
    }

    fn distance_squared(&self, p: DVec3) -> f64 {
        p.distance_squared(p.clamp(self.lowest, self.highest))
    }
}

struct Branch {
    bounds: Bounds,
    /// Of a leaf, its first place in `order`; of a branch, its second child. The first child
    /// follows at once.
    start: u32,
    /// Triangles of a leaf; 0 for a branch.
    count: u32,
}

/// Where on a triangle a nearest point lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Feature {
    Face,
    /// The edge from this corner to the next.
    Edge(usize),
    Corner(usize),
}

/// The point of a surface nearest to another point.
#[derive(Clone, Copy, Debug)]
pub(super) struct Nearest {
    pub distance_squared: f64,
    pub point: DVec3,
    pub triangle: usize,
    pub feature: Feature,
}

pub(super) struct TriangleTree {
    branches: Vec<Branch>,
    /// Triangles in the order of the leaves.
    order: Vec<u32>,
    /// Corners in the order of the leaves, so that a leaf reads memory in a row.
    corners: Vec<[DVec3; 3]>,
}

impl TriangleTree {
    pub fn new(triangles: &[[DVec3; 3]]) -> Self {
        let mut order: Vec<u32> = (0..triangles.len() as u32).collect();
        let mut branches = Vec::new();
        if !order.is_empty() {
            let bounds: Vec<Bounds> = triangles.iter().map(|t| Bounds::of(t)).collect();
            build(&bounds, &mut order, 0, &mut branches);
        }
        let corners = order.iter().map(|&t| triangles[t as usize]).collect();
        Self {
            branches,
            order,
            corners,
        }
    }

    /// The nearest point of the surface; none without triangles.
    pub fn nearest(&self, p: DVec3) -> Option<Nearest> {
        let mut best: Option<Nearest> = None;
        let mut bound = f64::INFINITY;
        let mut stack = [(0u32, 0.0f64); 64];
        let mut depth = usize::from(!self.branches.is_empty());
        while depth > 0 {
            depth -= 1;
            let (index, near) = stack[depth];
            if near >= bound {
                continue;
            }
            let branch = &self.branches[index as usize];
            if branch.count > 0 {
                let start = branch.start as usize;
                for place in start..start + branch.count as usize {
                    let (point, feature) = nearest_on_triangle(p, self.corners[place]);
                    let distance_squared = p.distance_squared(point);
                    if distance_squared < bound {
                        bound = distance_squared;
                        best = Some(Nearest {
                            distance_squared,
                            point,
                            triangle: self.order[place] as usize,
                            feature,
                        });
                    }
                }
                continue;
            }
            let children = [index + 1, branch.start];
            let near =
                children.map(|child| self.branches[child as usize].bounds.distance_squared(p));
            let nearer = usize::from(near[1] < near[0]);
            for child in [1 - nearer, nearer] {
                stack[depth] = (children[child], near[child]);
                depth += 1;
            }
        }
        best
    }

    /// Calls `visit` with the triangles whose boxes overlap `bounds`, until it returns false.
    pub fn overlapping(&self, bounds: &Bounds, mut visit: impl FnMut(usize) -> bool) {
        let mut stack = vec![0u32];
        if self.branches.is_empty() {
            return;
        }
        while let Some(index) = stack.pop() {
            let branch = &self.branches[index as usize];
            if !branch.bounds.overlaps(bounds) {
                continue;
            }
            if branch.count == 0 {
                stack.extend([branch.start, index + 1]);
                continue;
            }
            let start = branch.start as usize;
            for place in start..start + branch.count as usize {
                let near = Bounds::of(&self.corners[place]).overlaps(bounds);
                if near && !visit(self.order[place] as usize) {
                    return;
                }
            }
        }
    }
}

/// Halves the triangles at the median of the longest side of their middles: the depth is then at
/// most the logarithm of their number, and the fixed stack of a search cannot overflow.
fn build(bounds: &[Bounds], order: &mut [u32], first: usize, branches: &mut Vec<Branch>) {
    let all = order.iter().map(|&t| bounds[t as usize]);
    let whole = all.fold(Bounds::NONE, Bounds::and);
    let index = branches.len();
    let leaf = order.len() <= LEAF;
    branches.push(Branch {
        bounds: whole,
        start: first as u32,
        count: if leaf { order.len() as u32 } else { 0 },
    });
    if leaf {
        return;
    }
    let middle = |t: u32| bounds[t as usize].lowest + bounds[t as usize].highest;
    let middles: Vec<DVec3> = order.iter().map(|&t| middle(t)).collect();
    let spread = Bounds::of(&middles);
    let extent = spread.highest - spread.lowest;
    let axis = (0..3).max_by(|&a, &b| extent[a].total_cmp(&extent[b]));
    let axis = axis.unwrap_or(0);
    let half = order.len() / 2;
    order.select_nth_unstable_by(half, |&a, &b| {
        let (x, y) = (middle(a)[axis], middle(b)[axis]);
        x.total_cmp(&y).then(a.cmp(&b))
    });
    let (left, right) = order.split_at_mut(half);
    build(bounds, left, first, branches);
    branches[index].start = branches.len() as u32;
    build(bounds, right, first + half, branches);
}

/// The point of a triangle nearest to `p`, by the region of the plane that `p` projects to.
pub(super) fn nearest_on_triangle(p: DVec3, [a, b, c]: [DVec3; 3]) -> (DVec3, Feature) {
    let (ab, ac, ap) = (b - a, c - a, p - a);
    let (d1, d2) = (ab.dot(ap), ac.dot(ap));
    if d1 <= 0.0 && d2 <= 0.0 {
        return (a, Feature::Corner(0));
    }
    let bp = p - b;
    let (d3, d4) = (ab.dot(bp), ac.dot(bp));
    if d3 >= 0.0 && d4 <= d3 {
        return (b, Feature::Corner(1));
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        return (a + ab * (d1 / (d1 - d3)), Feature::Edge(0));
    }
    let cp = p - c;
    let (d5, d6) = (ab.dot(cp), ac.dot(cp));
    if d6 >= 0.0 && d5 <= d6 {
        return (c, Feature::Corner(2));
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        return (a + ac * (d2 / (d2 - d6)), Feature::Edge(2));
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0 {
        let t = (d4 - d3) / ((d4 - d3) + (d5 - d6));
        return (b + (c - b) * t, Feature::Edge(1));
    }
    let sum = va + vb + vc;
    if sum == 0.0 {
        return (a, Feature::Corner(0));
    }
    (a + ab * (vb / sum) + ac * (vc / sum), Feature::Face)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn soup(count: usize) -> Vec<[DVec3; 3]> {
        let mut n = 0.0;
        let mut next = || {
            n += 1.0;
            (n * DVec3::new(0.819_172_513_4, 0.671_043_606_7, 0.549_700_477_9)).fract()
        };
        (0..count)
            .map(|_| {
                let a = next();
                [a, a + 0.2 * next(), a + 0.2 * next()]
            })
            .collect()
    }

    #[test]
    fn nearest_agrees_with_trying_all() {
        let triangles = soup(300);
        let tree = TriangleTree::new(&triangles);
        for n in 0..200 {
            let p = 1.5 * DVec3::new(0.37, 0.73, 0.11).map(|x| (x * f64::from(n)).fract()) - 0.2;
            let found = tree.nearest(p).unwrap();
            let all = triangles
                .iter()
                .map(|&t| p.distance(nearest_on_triangle(p, t).0));
            let least = all.fold(f64::INFINITY, f64::min);
            assert!((found.distance_squared.sqrt() - least).abs() < 1e-12);
        }
        assert!(TriangleTree::new(&[]).nearest(DVec3::ZERO).is_none());
    }

    /// No point of a fine net over a triangle is nearer than the nearest point.
    #[test]
    fn nearest_point_of_a_triangle() {
        for triangle in soup(20) {
            let [a, b, c] = triangle;
            for p in soup(30).into_iter().flatten() {
                let (point, _) = nearest_on_triangle(p, triangle);
                let mut least = f64::INFINITY;
                for i in 0..=40 {
                    for j in 0..=40 - i {
                        let (u, v) = (f64::from(i) / 40.0, f64::from(j) / 40.0);
                        least = least.min(p.distance(a + u * (b - a) + v * (c - a)));
                    }
                }
                let distance = p.distance(point);
                assert!(distance <= least + 1e-12 && distance > least - 0.02);
            }
        }
    }

    #[test]
    fn overlapping_agrees_with_trying_all() {
        let triangles = soup(300);
        let tree = TriangleTree::new(&triangles);
        for bounds in triangles.iter().map(|t| Bounds::of(t)) {
            let mut found = Vec::new();
            tree.overlapping(&bounds, |triangle| {
                found.push(triangle);
                true
            });
            found.sort_unstable();
            let all = 0..triangles.len();
            let expected: Vec<usize> = all
                .filter(|&t| Bounds::of(&triangles[t]).overlaps(&bounds))
                .collect();
            assert_eq!(found, expected);
        }
    }
}
