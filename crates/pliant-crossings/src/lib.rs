//! Counts edges that cross triangles, with exact predicates.
