//! The texts of new jobs, with a word about each key.

pub(super) const RULES_BOARD: &str = "\
# The start: a letter a cell, '.' an empty one, '#' no cell at all.
";
pub(super) const RULES: &str = "\
# LEFT -> RIGHT, as many letters on each side, in a row of cells in any direction. '*' is any letter but '.': here a
# tile beside the empty cell goes there. Peg solitaire: \"P P . -> . . P\"; Sokoban: \"@ $ . -> . @ $\" and \"@ . -> . @\".
rules = [\"* . -> . *\"]
# 4 where not given: rows and columns; 6 or 8 with diagonals, or names as in [\"right\", \"down\"].
# directions = 4
# \"blocked\": a rule goes on in its direction until it cannot, as robots on ice do; \"any\": each end on the way counts.
# until = \"once\"
# Whether the same man may go on within one move, as in a chain of jumps.
# chain = false
# What ends the puzzle: a letter on a cell, here; also { count = { P = 1 } }, or a map with '?' for anything.
";

pub(super) const BLOCKS_BOARD: &str = "\
# The start: each letter is one block, '.' is empty, '#' no cell. Or 36 characters: a board of Rush Hour, row by row.
";
pub(super) const BLOCKS: &str = "\
# What counts as one move: \"step\" one cell, \"slide\" any distance in one direction, \"move\" one block by any path.
metric = \"move\"
# Whether blocks move along their longer side alone, as cars do.
# axis = false
# Blocks that are told apart from others of their shape, beside those that the goal names.
# distinct = [\"C\"]
# '?' anything, a letter: that block is there. As many rows and columns as the board has.
";

pub(super) const PERMUTATION: &str = "\
# In twsearch's notation; or file = \"cube.tws\", beside this one. Here three pancakes, of which the upper ones are turned.
definition = \"\"\"
Name Pancakes
Set STACK 3 1
Solved
STACK
1 2 3
End
Move F2
STACK
2 1 3
End
Move F3
STACK
3 2 1
End
\"\"\"
# Moves that lead from the solved state to the start.
scramble = \"F2 F3\"
# Whether powers of a move count as more than one move.
# quarter = false
";

pub(super) const BOUND: &str = "
[search]
# Distances in puzzles with fewer letters, blocks or pieces as a bound; none where not given.
# pruning = \"projection\"
# max-length = 40
";

pub(super) const TRANSFER: &str = "
[search]
# What keeps levels small: none, theorem-1, pattern, leading, ...; the best one known where not given.
# pruning = \"leading\"
# max-length = 40
";

pub(super) const GAME: &str = "
[search]
# What keeps levels small: none, theorem-1, all, all+rungs, beam(80000,0), ...; `all` or `all+rungs` where not given.
# pruning = \"all\"
# max-length = 40
";

pub(super) const REST: &str = "
[limits]
# Where not given: all threads, three quarters of the free memory, no end.
# threads = 2
# memory = \"4 GiB\"
# time = \"2 h\"

[output]
# With a folder a run that is stopped can go on, and its record can be checked.
# dir = ";
