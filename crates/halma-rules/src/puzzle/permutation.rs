//! placeholder
use super::TableFault;
use halma_record::job::puzzle_tables::PermutationTable;
/// placeholder
#[derive(Clone, Debug)]
pub struct Permutations;
/// placeholder
pub fn compile(_: &PermutationTable) -> Result<Permutations, TableFault> { Err(TableFault::of("board", "not yet")) }
