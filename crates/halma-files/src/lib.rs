//! What all other crates need: files in folders that may come from strangers ([`folder`]), text that may come from
//! strangers ([`plain`]), numbers that JSON cannot hold ([`number`]), and how level files are named ([`kept_file`]).

pub mod folder;
pub mod kept_file;
pub mod number;
pub mod plain;

/// The name of a record in its run's folder.
pub const RECORD_FILE: &str = "result.json";
