//! placeholder
use super::{Ground, TableFault};
use halma_record::job::puzzle_tables::BlocksTable;
/// placeholder
pub fn compile(_: &BlocksTable) -> Result<Ground, TableFault> { Err(TableFault::of("board", "not yet")) }
