//! Published numbers, records made by plain search, and what becomes of forged ones.

mod forged;
mod kept;
mod made;
mod projections;
mod published;
mod rejected;
