//! Distances and free motions, against exact arithmetic and public queries.

mod closest_points;
mod exact;
mod free_motions;
mod generated_queries;
mod public_queries;
