//! Distances and free motions, against exact arithmetic and public queries.

mod closest_points;
mod exact;
mod generated_queries;
mod public_queries;
