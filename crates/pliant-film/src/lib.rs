//! Pictures in a row become a film.
