#!/usr/bin/env python3
"""Checks halma's solutions, games and records with rules of its own (referee_rules.py).

  replay FILE...                     plays written solutions, games and the solutions of records move by move
  derive RECORD                      re-derives a small record: lengths, counts, unpruned levels; says what it leaves out
  levels BOARD MOVES ARMY DEPTH      level sets as a table: the fixtures tests/levels/*.levels
  shortest BOARD MOVES ARMY TARGET   shortest length, number of shortest solutions
  cases                              seeded small transfers with their shortest lengths: tests/shortest.txt
  selftest                           published values and two ways to the same answer

BOARD is a name, WIDTHxHEIGHT or a map with rows split by /; ARMY and TARGET are a name or a comma list of cells.
Exit status: 0 all claims hold but those that a line "not derived" names, 1 a claim is wrong, 2 the command or a file is
wrong, 3 too large, not derived.
"""
import argparse
import json
import random
import shlex
import sys
import tempfile
import tomllib
from pathlib import Path

from referee_rules import (DIGEST_KEYS, RULES, Board, Game, Invalid, TooLarge, Transfer, Wrong, bits, digest, rank,
                           replay, written_moves)

ROOT = Path(__file__).resolve().parent.parent
COUNTS = "sequences", "up_to_symmetry", "up_to_reversal", "palindromic", "palindromic_up_to_symmetry"
GAME_COUNTS = "sequences", "up_to_symmetry", "final_positions", "final_up_to_symmetry"
DIGEST_KEY = "".join(f"{half:016x}" for half in DIGEST_KEYS)
# The digits of pi go on.
DIGESTS = {"digest": DIGEST_KEY, "second_digest": "a4093822299f31d0082efa98ec4e6c89"}
# Verdicts, and the questions that they answer.
QUESTIONS = {"optimal": ["solve"], "none": ["solve", "prove", "count"], "solution": ["solve", "prove", "count"],
             "counted": ["count"], "levels": ["levels"], "incomplete": ["solve", "prove", "count", "levels"]}
VERDICTS = tuple(QUESTIONS)
SIDES = "forward", "backward", "leading", "following", "trailing"
# Fields of a record that claim nothing (docs/guide/record.md), and those that `derive` always looks at.
REMARKS = set("title program source machine finished reason seconds cpu_seconds peak_memory_bytes disk_bytes_written "
              "threads bytes".split())
DERIVED = {"": set("format problem lattice symmetries question verdict refuted_up_to exhausted lower_bound impossible "
                   "solution known_solution more_solutions runs digest_key second_digest_key".split()),
           "problem.": set("kind board map moves army men jumps_only start target".split()),
           "runs.": set("length verdict generated largest_level self_consistent levels".split()),
           "runs.levels.": set("depth side states generated pruned duplicates old digest second_digest".split()),
           "lattice.": {"cells", "directions"}, "symmetries.": {"fixing", "mirror"}}
# How many cases of each kind tests/shortest.txt holds: (jumps only, solvable, and what sets them apart).
CASES = {(False, True, "K of order 1"): 20, (False, True, "K"): 5, (False, False, ""): 5,
         (True, True, "types agree"): 7, (True, False, "types agree"): 4, (True, False, "types differ"): 2}


def read(path):
    """The document in a TOML job, solution or game file, or in a result.json, and what its problem is."""
    try:
        with open(path, "rb") as file:
            document = json.load(file) if str(path).endswith(".json") else tomllib.load(file)
        stated = document["problem"]
        if stated["kind"] not in ("transfer", "game"):
            raise Invalid(f"kind {stated['kind']}: the referee knows transfers and games")
        board = Board(stated.get("map") or stated["board"], stated["moves"])
        marked = {mark: [board.names[board.index[place]] for place in board.marks.get(mark, [])] for mark in "ST"}
        start = board.army(stated.get("start") or stated.get("army") or marked["S"])
        target = stated.get("target") or marked["T"]
        target = board.army(target) if target else board.mirrored(start)
        if stated["kind"] == "game":
            return document, Game(board, start, target)
        return document, Transfer(board, start, target, stated.get("jumps_only", stated.get("jumps-only", False)))
    except (Invalid, OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        what = error if isinstance(error, (Invalid, OSError, ValueError)) else f"{type(error).__name__} {error}"
        raise Invalid(f"{path}: {what}") from error


def check_solution(path):
    """Replays one file; says what it found."""
    document, problem = read(path)
    solution, stated = document.get("solution"), document.get("length")
    if solution is None:
        # A search that was stopped may have known one.
        solution = document.get("known_solution")
    if solution is None:
        if document.get("verdict") in (None, "optimal", "solution", "counted"):
            raise Wrong(f"verdict {document.get('verdict')} without a solution")
        return f"verdict {document['verdict']}, no solution to replay"
    if isinstance(solution, dict):
        stated, moves = solution.get("length"), written_moves(problem, solution.get("moves", ""))
    else:
        moves = [move.split("-") for move in solution]
    replay(problem, moves)
    if stated is not None and stated != len(moves):
        raise Wrong(f"length {stated} claimed, {len(moves)} moves played")
    winner = f", {('red', 'blue')[len(moves) % 2]} wins" if isinstance(problem, Game) else ""
    return f"legal, {len(moves)} moves{winner}"


def derive(path, max_states):
    """Re-derives what a record claims; returns what was confirmed, and what was left out."""
    document, problem = read(path)
    verdict, length, refuted = (document.get(key) for key in ("verdict", "length", "refuted_up_to"))
    if verdict not in VERDICTS:
        raise Invalid(f"{path}: verdict {verdict}: there are {', '.join(VERDICTS)}")
    if verdict in ("optimal", "solution", "counted") and length is None:
        raise Wrong(f"verdict {verdict} without a length")
    pruning, runs, said = document.get("pruning"), document.get("runs") or [], []
    if document.get("palindromic") or "palindrom" in json.dumps(pruning):
        raise TooLarge("a search for palindromes says nothing of other solutions")

    def claim(holds, text):
        if not holds:
            raise Wrong(text)
        said.append(text)

    check_statement(document, problem, claim)
    fixing = check_symmetries(document, problem, claim)
    asked = document.get("question")
    if asked is not None and asked not in QUESTIONS[verdict]:
        raise Wrong(f"verdict {verdict} to the question {asked}")
    known = document.get("known_solution")
    if document.get("solution") is not None or known is not None or verdict in ("optimal", "solution", "counted"):
        claim(True, "solution " + check_solution(path))
    if known is not None:
        claim(verdict == "incomplete" and length is None, f"{len(known)} moves known to a search that was stopped")
        claim(refuted is None or len(known) > refuted, f"{len(known)} moves known, refuted up to {refuted}")
    if document.get("more_solutions"):
        every = [[move.split("-") for move in moves] for moves in (document["solution"], *document["more_solutions"])]
        for moves in every:
            replay(problem, moves)
        claim({len(moves) for moves in every} == {length}, f"{len(every) - 1} more solutions of {length} moves, legal")
        claim(len({tuple((move[0], move[-1]) for move in moves) for moves in every}) == len(every), "all different")
    if verdict == "counted" and document.get("counts") is None:
        raise Wrong("verdict counted without counts")
    # Of levels `exhausted` says nothing of solutions.
    searched = "levels" not in (verdict, asked) or refuted is not None or document.get("lower_bound")
    if searched:
        found, *numbers = check_shortest(document, problem, max_states, claim, said)
        check_counts(document, problem, found, numbers, max_states, claim, said)
    if impossible := document.get("impossible"):
        claim(is_impossible(problem, impossible), f"impossible: no move leads out of {','.join(impossible['cells'])}")
    if "levels" in (verdict, asked):
        check_depth(document, runs, problem, max_states, claim)
    rows, left_out = check_all_levels(path, document, problem, fixing, max_states, claim)
    said.extend(f"{len(others)} {side} levels under {of}: not derived" for (side, of), others in left_out.items())
    if names := not_derived(document, rows, fields_done(document, searched, left_out)):
        said.append(f"not derived: {', '.join(names)}")
    return said


def check_shortest(document, problem, max_states, claim, said):
    """Derives the shortest length; the claims about lengths must agree. Returns it, and how many such solutions there are."""
    verdict, asked, length, refuted = (document.get(key) for key in ("verdict", "question", "length", "refuted_up_to"))
    bound, exhausted = document.get("lower_bound"), document.get("exhausted")
    tested = [run for run in document.get("runs") or [] if run.get("self_consistent", True)]
    none, solved = ([run["length"] for run in tested if run.get("verdict") == v] for v in ("none", "solution"))
    tried = [n for n in [length, refuted, document.get("max_length"), *none, *solved] if n is not None]
    # Below a bound there is no solution, either.
    tried += [bound - 1] if bound else []
    # "none" without a length up to which it holds: none of any length.
    unbounded = exhausted and asked != "levels" or verdict == "none" and document.get("max_length") is None
    limit = None if unbounded else max(tried, default=0)
    found, sequences, classes = problem.shortest(limit, max_states)
    within = "" if limit is None else f" of at most {limit} moves"
    shown = f"derived none{within}" if found is None else f"derived {found}"
    if verdict in ("optimal", "solution", "counted") and length is not None:
        claim(found is not None and found <= length, f"solvable in {length}, {shown}")
        claim(verdict == "solution" or found == length, f"shortest {length}, {shown}")
    if verdict == "none":
        claim(found is None, f"verdict none, {shown}")
    if refuted is not None:
        claim(found is None or found > refuted, f"refuted up to {refuted}, {shown}")
    if bound:
        claim(found is None or found >= bound, f"lower bound {bound}, {shown}")
    if exhausted and asked != "levels":
        claim(found is None, f"exhausted, {shown}")
    if solved:
        # A search that proves tries no length beyond the shortest; what a beam search finds may be longer.
        proved = verdict in ("optimal", "counted")
        right = found is not None and (set(solved) == {found} if proved else found <= min(solved))
        claim(right, f"solutions of {sorted(set(solved))} moves, {shown}")
        if longer := sorted(n for n in set(solved) if n > found):
            said.append(f"solutions of exactly {longer} moves: not derived, the shortest is shorter")
    if none:
        within = [n for n in none if found is None or n <= found]
        wrong = sorted({found, length} & set(none))
        if within or wrong:
            claim(not wrong, f"no solution of exactly {wrong or within} moves, {shown}")
        if longer := sorted(set(none) - set(within)):
            said.append(f"no solution of exactly {longer} moves: not derived, the shortest is shorter")
    if document.get("counts") is not None:
        claim(found is not None, f"counts of solutions, {shown}")
    return found, sequences, classes


def check_counts(document, problem, found, numbers, max_states, claim, said):
    """Compares the counts, if there are any, with `numbers` of solutions of `found` moves, and with others."""
    if document.get("counts") is None:
        return
    sequences, classes = numbers
    if isinstance(problem, Transfer):
        derived = zip(COUNTS, (sequences, classes, *(problem.reversals(found, classes, max_states) or ())))
    else:
        derived = zip(GAME_COUNTS, problem.counts(found, max_states))
    counts = {key: value for key, value in document["counts"].items() if value is not None}
    for key, value in derived:
        if key in counts:
            stated = counts.pop(key)
            claim(number(stated) == value, f"counts.{key} {stated}, derived {value}")
        else:
            said.append(f"counts.{key} absent, derived {value}")
    if counts:
        raise Wrong(f"counts.{', counts.'.join(counts)}: there is no such number here")


def check_all_levels(path, document, problem, fixing, max_states, claim):
    """Derives the levels without a pruning; returns them, and the others by side and pruning."""
    verdict, runs = document.get("verdict"), document.get("runs") or []
    for run in runs:
        check_sums(run)
        if run.get("verdict", verdict) not in VERDICTS:
            raise Invalid(f"{path}: verdict {run['verdict']}: there are {', '.join(VERDICTS)}")
    sides = ("forward", "backward") if isinstance(problem, Transfer) else ("forward",)
    wanted, left_out = {}, {}
    for of, row in ((run.get("pruning") or document.get("pruning"), row) for run in runs for row in run["levels"]):
        if row["side"] not in SIDES:
            raise Invalid(f"{path}: side {row['side']}: there are {', '.join(SIDES)}")
        derived = of == "none" and row["side"] in sides
        (wanted if derived else left_out).setdefault((row["side"], of), []).append(row)
    keys = {name: halves(document.get(name + "_key") or usual) for name, usual in DIGESTS.items()}
    for (side, _), rows in wanted.items():
        derive_levels(problem, side, rows, fixing, max_states, claim, keys, document.get("centroid"))
    return [row for rows in wanted.values() for row in rows], left_out


def fields_done(document, searched, left_out):
    """The fields that were derived beside those of DERIVED."""
    verdict = document.get("verdict")
    done = {"pruning"} if not left_out and document.get("pruning") == "none" else set()
    done |= {"runs.pruning"} if not left_out else set()
    done |= {"length"} if verdict in ("optimal", "solution", "counted") else set()
    done |= {"max_length"} if verdict == "none" and not document.get("exhausted") else set()
    done |= {"depth"} if verdict == "levels" else set()
    done |= {"counts"} if searched else set()
    done |= {"runs.levels.centroid_max"} if document.get("centroid") else set()
    return done


def number(stated):
    """A whole number, which a record may write as a string of digits."""
    if type(stated) is int or isinstance(stated, str) and stated.isdecimal():
        return int(stated)
    raise Wrong(f"{stated!r}: not a whole number")


def halves(key):
    """The two halves of a digest's key."""
    if len(key) != 32 or set(key) - set("0123456789abcdef"):
        raise Invalid(f"{key!r}: not a key of 32 hex digits")
    return int(key[:16], 16), int(key[16:], 16)


def check_statement(document, problem, claim):
    """What a record says twice of its problem: the army, the map and the cells agree with start and target."""
    stated, board, lattice = document["problem"], problem.board, document.get("lattice")
    if document.get("format", 1) != 1:
        raise Wrong(f"format {document['format']}: 1 expected")
    marked = {mark: sum(1 << board.index[place] for place in places) for mark, places in board.marks.items()}
    if stated.get("army") is not None:
        claim(board.army(stated["army"]) == problem.start, "army and start agree")
    if stated.get("men") is not None:
        claim(stated["men"] == problem.start.bit_count(), f"{stated['men']} men at the start")
    if stated.get("map") is not None:
        agree = marked["S"] in (0, problem.start) and marked["T"] in (0, problem.target)
        claim(agree and stated["board"] == "map", "map, start and target agree")
    if isinstance(problem, Game) and (stated.get("jumps_only") or stated.get("jumps-only")):
        raise Wrong("jumps only, in a game")
    if lattice is not None:
        directions = list(map(tuple, lattice["directions"]))
        pairs = all((-x, -y) == back for (x, y), back in zip(directions[::2], directions[1::2]))
        claim(lattice["cells"] == board.names, f"{len(board.names)} cells of the lattice")
        claim(pairs and sorted(directions) == sorted(RULES[board.moves]), f"{len(directions)} directions of the lattice")


def check_symmetries(document, problem, claim):
    """The symmetries under which the record's levels are: K, or of a search without symmetry the identity alone."""
    symmetries, centroid = document.get("symmetries"), document.get("centroid")
    cells, fixing = len(problem.board.places), problem.fixing
    if symmetries is not None:
        stated = symmetries["fixing"]
        if stated == [list(range(cells))]:
            fixing = stated
        claim(sorted(stated) == sorted(fixing), f"K of order {len(stated)}, derived {len(problem.fixing)}")
        mirror = symmetries.get("mirror")
        derived = f"derived {len(problem.mirrors)} to choose from"
        claim(mirror in (problem.mirrors or [None]), f"{'no mirror' if mirror is None else 'a mirror'}, {derived}")
        problem.mirror = mirror
    if centroid is not None:
        same = all(centroid[k[cell]] == centroid[cell] for k in problem.fixing for cell in range(cells))
        turned = problem.mirror is None or all(centroid[problem.mirror[cell]] == -centroid[cell] for cell in range(cells))
        claim(len(centroid) == cells and same and turned, "the centroid: K leaves it alone, a mirror negates it")
    return fixing


def check_depth(document, runs, problem, max_states, claim):
    """A record of levels has them all, to the depth asked for or to the end."""
    rows = [row for run in runs for row in run["levels"]]
    depths, asked = [row["depth"] for row in rows if row["side"] == "forward"], document.get("depth")
    claim(len(depths) == len(rows) and depths == list(range(len(depths))), f"{len(depths)} levels, none left out")
    if document["verdict"] == "levels":
        ended = rows and number(rows[-1]["states"]) == 0
        claim(rows and (asked in (None, depths[-1]) or ended and depths[-1] < asked), f"to level {asked} or to the end")
        claim(all(run["length"] == depths[-1] for run in runs), f"the run is of {depths[-1]} moves")
    if document.get("exhausted"):
        ahead = (problem.start, None, None, max_states) if isinstance(problem, Transfer) else (None, None, max_states)
        last = sum(1 for _ in problem.levels(*ahead)) - 1
        deepest = max((row["depth"] for row in rows if number(row["states"])), default=None)
        claim(deepest == last, f"exhausted, level {last} leads to no other state")


def check_sums(run):
    """A level accounts for its successors, a run for its levels."""
    rows = run["levels"]
    for row in (row for row in rows if "pruned" in row):
        parts = [number(row[part]) for part in ("pruned", "duplicates", "old", "states")]
        if row["depth"] and sum(parts) != number(row["generated"]):
            raise Wrong(f"{row['side']} level {row['depth']}: {row['generated']} generated, {parts} accounted for")
    totals = {"generated": lambda: sum(number(row["generated"]) for row in rows),
              "largest_level": lambda: max((number(row["states"]) for row in rows), default=0)}
    for name, total in totals.items():
        if name in run and number(run[name]) != total():
            raise Wrong(f"length {run['length']}: {name} {run[name]}, its levels have {total()}")


def not_derived(document, rows, done):
    """The names of the fields that claim something and were not derived; rows: the levels that were."""
    runs = document.get("runs") or []
    parts = {"": [document], "problem.": [document["problem"]], "runs.": runs, "runs.levels.": rows,
             "lattice.": [document.get("lattice") or {}], "symmetries.": [document.get("symmetries") or {}]}
    names = {part + name for part, entries in parts.items() for entry in entries for name, value in entry.items()
             if value is not None and value is not False and value != []
             and name not in REMARKS and name not in DERIVED[part]}
    if not all(run.get("self_consistent", True) for run in runs):
        names.add("runs.self_consistent")
    return sorted(names - done)


def is_impossible(problem, stated):
    """Whether no move leads out of these cells, of which the start has as many as is said, and the target other ones."""
    board, cells = problem.board, problem.board.army(stated["cells"])
    for cell in bits(cells):
        near = 0 if problem.jumps_only else board.near[cell]
        if (near | sum({land for _, land, _ in board.jumps[cell]})) & ~cells:
            return False
    said = stated["at_start"], stated["in_target"]
    return said == tuple((end & cells).bit_count() for end in (problem.start, problem.target)) and said[0] != said[1]


def derive_levels(problem, side, rows, fixing, max_states, claim, keys, centroid):
    """A level's `generated` counts the successors from which it was made: those of the level before."""
    deepest, generated, classes = max(row["depth"] for row in rows), 0, 1
    if isinstance(problem, Transfer):
        key = lambda state, at: rank(state)
        levels = problem.levels(problem.start if side == "forward" else problem.target, deepest, fixing, max_states)
    else:
        key, levels = problem.key, problem.levels(deepest, fixing, max_states)
    table = []
    for at, (level, following, distinct, *_) in enumerate(levels):
        digests = {name: digest((key(state, at) for state in level), under) for name, under in keys.items()}
        farthest = max(sum(centroid[cell] for cell in bits(state)) for state in level) if centroid else None
        table.append((len(level), generated, classes, digests, farthest))
        generated, classes = following, distinct
    # The first empty level is made from the successors of the last one, which are all old.
    nothing = {name: digest([]) for name in keys}
    table.append((0, generated, classes, nothing, None))
    for row in rows:
        at = f"{side} level {row['depth']}"
        size, count, classes, digests, farthest = (*table, (0, 0, 0, nothing, None))[min(row["depth"], len(table))]
        claim(number(row["states"]) == size, f"{at}: {row['states']} states, derived {size}")
        claim("generated" not in row or number(row["generated"]) == count, f"{at}: {count} generated")
        # A level has a state of each class among these successors that is on no earlier one.
        parts = {"pruned": 0, "duplicates": count - classes if row["depth"] else 0, "old": classes - size}
        stated = {name: number(row[name]) for name in parts if name in row}
        if stated:
            told, found = (", ".join(f"{name} {numbers[name]}" for name in stated) for numbers in (stated, parts))
            claim(told == found, f"{at}: {told}, derived {found}")
        for name, value in digests.items():
            if name in row or name == "digest":
                claim(row[name] == value, f"{at}: {name} {value}")
        if centroid and "centroid_max" in row:
            claim(row["centroid_max"] == farthest, f"{at}: centroid_max {farthest}")


def transfer(arguments):
    board = Board(arguments.board, arguments.moves)
    start = board.army(arguments.army)
    target = board.army(arguments.target) if arguments.target else board.mirrored(start)
    return Transfer(board, start, target, arguments.jumps_only)


def print_levels(arguments):
    problem, board = transfer(arguments), arguments.board.replace("\n", "/")
    print("# python3 scripts/referee.py", shlex.join(sys.argv[1:]))
    print(f"# board: {board}\n# moves: {arguments.moves}\n# jumps-only: {str(arguments.jumps_only).lower()}")
    print(f"# start: {problem.board.words(problem.start)}\n# target: {problem.board.words(problem.target)}")
    fixing = problem.fixing[:1] if arguments.no_symmetry else problem.fixing
    print(f"# symmetry: {'off' if arguments.no_symmetry else 'K'}, order {len(fixing)}")
    print("# generated counts the successors of the level's own states: what the next level is made from")
    print("# a table shorter than the depth asked for ends where the component of the start is exhausted")
    print("# depth states generated digest")
    levels = problem.levels(problem.start, arguments.depth, fixing, arguments.max_states)
    for depth, (level, generated, _) in enumerate(levels):
        print(depth, len(level), generated, digest(map(rank, level)), flush=True)


def random_case(source):
    """A board of 3x3 to 5x5, perhaps with holes, 2 to 4 men, a target: mirrored, shifted or anywhere."""
    width, moves = source.randint(3, 5), source.choice([4, 6, 8])
    height = source.choice([width, width, 3, 4, 5])
    holes = source.choice([0, 0, 1, 2, 3, 4])
    drawn = ["."] * (width * height - holes) + ["#"] * holes
    source.shuffle(drawn)
    if source.random() < 0.5:  # a half turn is a symmetry of the board
        drawn[len(drawn) - len(drawn) // 2:] = reversed(drawn[:len(drawn) // 2])
    text = "/".join("".join(drawn[row * width:(row + 1) * width]) for row in range(height))
    board = Board(text, moves)
    cells = list(range(len(board.places)))
    men = min(source.randint(2, 4), len(cells) - 1)
    if source.random() < 0.5:  # a corner's worth of men: often symmetric
        cells.sort(key=lambda cell: sum(board.places[cell]))
        start = sum(1 << cell for cell in cells[:men])
    else:
        start = sum(1 << cell for cell in source.sample(cells, men))
    target = sum(1 << cell for cell in source.sample(cells, men))
    if source.random() < 0.6:
        try:
            target = board.mirrored(start)
        except Invalid:
            target = sum(1 << cell for cell in sorted(cells, key=lambda cell: sum(board.places[cell]))[-men:])
    return text, Transfer(board, start, target, source.random() < 0.25)


def print_cases(arguments):
    print("# python3 scripts/referee.py", shlex.join(sys.argv[1:]))
    print("# none: the whole component of the start was exhausted. sequences: shortest solutions as move sequences;")
    print("# then those up to K, up to K and the mirrored reversal, palindromic ones, these up to K; - without a mirror")
    print("# map moves start target jumps-only length sequences classes reversal palindromic classes")
    source, wanted = random.Random(arguments.seed), dict(CASES)
    while any(wanted.values()):
        text, problem = random_case(source)
        length, sequences, classes = problem.shortest()
        detail = "types agree" if same_types(problem) else "types differ"
        if not problem.jumps_only:
            detail = "" if length is None else "K of order 1" if len(problem.fixing) == 1 else "K"
        kind = problem.jumps_only, length is not None, detail
        if not wanted.get(kind) or (length is not None and length < 3):
            continue
        wanted[kind] -= 1
        start, target = (problem.board.words(state).replace(" ", ",") for state in (problem.start, problem.target))
        only = str(problem.jumps_only).lower()
        reversals = length and problem.reversals(length, classes) or "---"
        print(text, problem.board.moves, start, target, only, "none" if length is None else length, sequences, classes,
              *reversals)


def same_types(problem):
    """Whether jumps alone could do it as far as the parities of columns and rows go."""
    start, target = (sorted((x % 2, y % 2) for x, y in (problem.board.places[c] for c in bits(state)))
                     for state in (problem.start, problem.target))
    return start == target


def selftest():
    """Published values, and small cases settled in two ways: the number of checks, or Wrong at the first that fails."""
    passed = 0

    def same(name, found, expected):
        nonlocal passed
        passed += 1
        if found != expected:
            raise Wrong(f"selftest: {name}: found {found}, expected {expected}")

    def named(board, moves, army, kind=Transfer):
        lattice = Board(board, moves)
        start = lattice.army(army)
        return kind(lattice, start, lattice.mirrored(start))

    triangle = named("9x9", 6, "triangle-4")
    sizes = [len(level) for level, *_ in triangle.levels(triangle.start, 5)]
    same("problem 2, 6-move, first levels", sizes, [1, 7, 85, 749, 5699, 37114])
    game = named("9x9", 6, "triangle-4", Game)
    same("game, first levels", [len(level) for level, *_ in game.levels(3)], [1, 7, 98, 1253])
    # a1-b1 and c1-a1 over it: red wins; with a place more a1-b1, d1-c1 and b1-d1 over it: blue wins.
    same("games in a row", [named(board, 4, "a1", Game).shortest()[0] for board in ("3x1", "4x1")], [2, 3])
    same("their numbers and last positions", named("4x1", 4, "a1", Game).counts(3), (1, 1, 1, 1))
    # As halma counts them.
    corners = Board("3x3", 8)
    games = Game(corners, corners.army("a1,b1,a2"), corners.army("c2,b3,c3"))
    same("games of K of order 2", (len(games.fixing), games.shortest()[0], games.counts(6)), (2, 6, (54, 27, 5, 3)))
    for moves, length in (4, 15), (6, 15), (8, 12):
        same(f"problem 5, {moves}-move", named("9x9", moves, "square-2").shortest()[0], length)
    same("K of square-3", len(named("9x9", 8, "square-3").fixing), 2)
    checkers, star = named("checkers-32", 4, "checkers-12"), named("star-121", 6, "point-1")
    same("K of checkers-12", (len(checkers.fixing), checkers.mirror is not None), (1, True))
    same("cells of the star", (len(star.board.places), len(star.fixing)), (121, 2))
    same("men", [named(b, 8, a).start.bit_count() for b, a in (("16x16", "halma-19"), ("checkers-32", "checkers-12"))],
         [19, 12])
    three = [sum(1 << c for c in (a, b, d)) for d in range(7) for b in range(d) for a in range(b)]
    same("ranks", [rank(state) for state in sorted(three)], list(range(35)))
    source = random.Random(5)
    for number in range(60):
        _, problem = random_case(source)
        length, sequences, classes = problem.shortest()
        goal = min(sum(1 << k[c] for c in range(len(k)) if problem.target >> c & 1) for k in problem.fixing)
        depths = [at for at, (level, *_) in enumerate(problem.levels(problem.start)) if goal in level]
        same(f"case {number}, one search against two", depths, [] if length is None else [length])
        back = Transfer(problem.board, problem.target, problem.start, problem.jumps_only)
        same(f"case {number}, backward", back.shortest(), (length, sequences, classes))
        if length is not None:
            same(f"case {number}, reversed", back.reversals(length, classes), problem.reversals(length, classes))
        same(f"case {number}, classes", sequences <= classes * len(problem.fixing), True)
    files = sorted([*ROOT.glob("tests/games/*.toml"), *ROOT.glob("tests/solutions/*.toml")])
    same("the two games of the paper", sum("games" in str(path) for path in files) >= 2, True)
    for path in files:
        check_solution(path)
        passed += 1
    for moves, fault in (["d1-d2"], "not reached after 1"), (["d1-d2", "b1-d1-d4"], "d1-d4 is neither"), \
            (["c1-d1"], "c1-d1 is neither"), (["d1-f1"], "d1-f1 is neither"), (["e1-e2"], "no man of the mover"), \
            (["d1-e1-f1"], "d1-e1 is neither"), (["c1-e1-c1"], "goes nowhere"), (["a1-c1"], "a1-c1 is neither"), \
            (["d1-d2", "d2-c1"], "d2-c1 is neither"), (["d1"], "not a chain"), (["d1-z9"], "not a chain"):
        refusal = refuses(replay, triangle, [move.split("-") for move in moves])
        same(f"{moves} refused as {fault}", fault in str(refusal), True)
    jumps = Transfer(triangle.board, triangle.start, triangle.target, True)
    same("a step among jumps", "d1-d2 is neither" in str(refuses(replay, jumps, [["d1", "d2"]])), True)
    # b-d, then blue to c and red back to e or over c: the start, met again, is old.
    same("levels of a row", [len(level) for level, *_ in named("5x1", 4, "a1", Game).levels(4)], [1, 1, 1, 2, 3])
    for name in "holes-6x6-6move", "holes-6x6-6move-plain", "triangle-4-6move-jumps", "halma-19-8move":
        lines = ROOT.joinpath(f"tests/levels/{name}.levels").read_text().splitlines()
        said = dict(line[2:].split(": ", 1) for line in lines if line.startswith("#") and ": " in line)
        board = Board(said["board"], int(said["moves"]))
        ends = (board.army(said[end].split()) for end in ("start", "target"))
        problem = Transfer(board, *ends, said["jumps-only"] == "true")
        fixing = problem.fixing[:1 if said["symmetry"].startswith("off") else None]
        rows = [f"{at} {len(level)} {generated} {digest(map(rank, level))}"
                for at, (level, generated, _) in enumerate(problem.levels(problem.start, 2, fixing))]
        same(f"fixture {name}", rows, [line for line in lines if line[0].isdigit()][:3])
    altered_records(same)
    return passed


def refuses(check, *arguments):
    """The fault that a check finds, or None."""
    try:
        check(*arguments)
    except Wrong as wrong:
        return wrong
    return None


def altered_records(same):
    """A true record is confirmed; with any one claim altered it is refused."""
    text = "SS../S.../...T/..TT"
    board = Board(text, 8)
    problem = Transfer(board, board.army("a1,b1,a2"), board.army("d3,c4,d4"))
    levels = list(problem.levels(problem.start, 3))
    centroid = [x + y - 3 for x, y in board.places]
    farthest = [max(sum(centroid[cell] for cell in bits(state)) for state in level) for level, *_ in levels]
    rows = [{"depth": at, "side": "forward", "states": len(level), "generated": levels[at - 1][1] if at else 0,
             "digest": digest(map(rank, level)), "second_digest": digest(map(rank, level), halves(DIGESTS["second_digest"])),
             "centroid_max": farthest[at]} for at, (level, *_) in enumerate(levels)]
    # Level 2 as `halma levels` has it.
    rows[2].update(pruned=0, duplicates=39, old=6)
    true = {"problem": {"kind": "transfer", "board": "map", "map": text, "moves": 8}, "question": "solve",
            "verdict": "optimal", "length": 5, "refuted_up_to": 4, "pruning": "none",
            "solution": ["b1-b2", "a1-c3", "a2-c2-c4", "b2-d4", "c3-d3"],
            "counts": dict(zip(COUNTS, ["2", 1, 1, 2, 1])), "digest_key": DIGEST_KEY,
            "symmetries": {"fixing": problem.fixing, "mirror": problem.mirror}, "centroid": centroid,
            "lattice": {"cells": board.names, "directions": RULES[8]},
            "runs": [{"length": 4, "verdict": "none", "levels": []}, {"length": 5, "levels": rows}]}
    altered = [{"length": 6}, {"length": 4}, {"refuted_up_to": 5}, {"solution": None}, {"verdict": "none"},
               {"solution": true["solution"][:-1]}, {"solution": ["b1-b2", "a1-c3", "a2-c4", "b2-d4", "c3-d3"]},
               {"counts": {"sequences": 3}}, {"counts": {"sequences": 2, "up_to_symmetry": 2}},
               {"runs": [{"length": 5, "verdict": "none", "levels": rows}]}, {"lower_bound": 6},
               {"impossible": {"cells": ["a1"], "at_start": 1, "in_target": 0}},
               {"impossible": {"cells": list(board.names), "at_start": 4, "in_target": 3}}]
    # None of at most four moves, and one of five.
    short = {"question": "prove", "verdict": "none", "length": None, "solution": None, "counts": None, "max_length": 4,
             "runs": []}
    altered += [{**short, "exhausted": True}, {**short, "lower_bound": 6}]
    altered += [{"counts": {**true["counts"], name: 3}} for name in COUNTS[2:]]
    altered += [{"symmetries": {"fixing": [problem.fixing[0]], "mirror": None}},
                {"question": "prove", "verdict": "none", "length": None, "refuted_up_to": None, "max_length": 5},
                {"runs": [{"length": 5, "levels": [{**rows[2], "pruned": 0, "duplicates": 0, "old": 0}]}]},
                {"runs": [{"length": 5, "pruning": "none", "levels": [{**rows[2], "states": 1}]}], "pruning": "mcc"}]
    for field, value in ("states", 0), ("generated", 1), ("digest", "0" * 32):
        altered += [{"runs": [{"length": 5, "levels": [*rows[:at], {**rows[at], field: value}]}]} for at in (2, 3)]
    for field, value in ("second_digest", "0" * 32), ("centroid_max", 9), ("old", 8), ("pruned", 1):
        altered += [{"runs": [{"length": 5, "levels": [{**rows[2], field: value}]}]}]
    altered += [{"runs": [{"length": 5, "levels": [{**rows[2], "duplicates": 38, "old": 7}]}]}]
    altered += [{"runs": [{"length": 5, "levels": rows, field: 1}]} for field in ("generated", "largest_level")]
    stated = true["problem"]
    altered += [{"problem": {**stated, **change}} for change in (
        {"army": ["a1", "b1", "a3"], "start": ["a1", "b1", "a2"]}, {"men": 4},
        {"start": ["a1", "b1", "c1"]}, {"target": ["d3", "c4", "b4"]},
        {"board": "4x4"}, {"map": "SS../SS../..TT/..TT", "start": ["a1", "b1", "a2"], "target": ["d3", "c4", "d4"]})]
    mirrors = [None, problem.mirror[1:] + problem.mirror[:1], problem.fixing[0], 7]
    altered += [{"symmetries": {**true["symmetries"], "mirror": mirror}} for mirror in mirrors]
    altered += [{"symmetries": {**true["symmetries"], "fixing": fixing}} for fixing in
                ([problem.fixing[1]], [problem.fixing[0]] * 2, [*problem.fixing, problem.mirror])]
    altered += [{"lattice": {**true["lattice"], "cells": board.names[::-1]}}, {"centroid": [1] * 16},
                {"lattice": {**true["lattice"], "directions": RULES[6]}}, {"question": "levels"}, {"format": 2},
                {"more_solutions": [["a1-a2"]]}, {"more_solutions": [true["solution"]]},
                {"known_solution": true["solution"]}, {"counts": {**true["counts"], "final_positions": 1}},
                {"counts": {**true["counts"], "sequences": 2.5}}]
    counted = {"question": "count", "verdict": "counted"}
    altered += [{**counted, "counts": None}, {**counted, "solution": None}]
    # Levels by themselves; and under the identity alone, of a search without symmetry.
    plain = list(problem.levels(problem.start, 1, problem.fixing[:1]))
    alone = [{**rows[at], "states": len(plain[at][0]), "generated": plain[at - 1][1] if at else 0,
              "digest": digest(map(rank, plain[at][0])), "second_digest": None} for at in (0, 1)]
    alone = [{name: value for name, value in row.items() if value is not None} for row in alone]
    without = {"symmetries": {**true["symmetries"], "fixing": problem.fixing[:1]},
               "runs": [{"length": 5, "levels": alone}]}
    only = {"question": "levels", "verdict": "levels", "length": None, "refuted_up_to": None, "solution": None,
            "counts": None, "depth": 3, "runs": [{"length": 3, "levels": rows}]}
    altered += [{**without, "symmetries": true["symmetries"]}, {**without, "runs": true["runs"]}, {**only, "depth": 99},
                {**only, "depth": 2}, {**only, "runs": []}, {**only, "runs": [{"length": 3, "levels": rows[1:]}]},
                {**only, "exhausted": True}]
    # A game: counts and last positions, and levels under its own keys.
    corners = Board("SS../..../..TT", 8)
    games = Game(corners, corners.army("a1,b1"), corners.army("c3,d3"))
    turns = list(games.levels(2))
    heads = [{"depth": at, "side": "forward", "states": len(turns[at][0]), "generated": turns[at - 1][1] if at else 0,
              "digest": digest(games.key(armies, at) for armies in turns[at][0])} for at in range(3)]
    game = {"problem": {"kind": "game", "board": "map", "map": corners.name, "moves": 8}, **counted, "length": 4,
            "refuted_up_to": 3, "pruning": "none", "runs": [{"length": 4, "levels": heads}],
            "solution": ["b1-b2", "d3-b3-b1", "a1-c1", "c3-a1"],
            "symmetries": {"fixing": games.fixing, "mirror": None}, "counts": dict(zip(GAME_COUNTS, [6, 6, 5, 5]))}
    wrong = [{"counts": {**game["counts"], name: 7}} for name in GAME_COUNTS]
    wrong += [{"counts": None}, {"problem": {**game["problem"], "jumps_only": True}},
              {"symmetries": {"fixing": games.fixing, "mirror": games.fixing[0]}},
              {"runs": [{"length": 4, "levels": [*heads[:2], {**heads[2], "digest": heads[1]["digest"]}]}]}]
    # What stands in a record and is not derived is named.
    left = [({"known": 1}, "centroid, known"),
            ({"partition": {}, "pruning": "mcc", "runs": []}, "centroid, partition, pruning"),
            ({"runs": [{"length": 5, "c": 0, "levels": [{**rows[1], "file": {}}]}]}, "centroid, runs.c, runs.levels.file"),
            ({"problem": {**stated, "title": "a name", "goal": "d4"}, "seconds": 1}, "centroid, problem.goal")]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "result.json")
        for change in [{}, {"lower_bound": 5}, short, {**short, "question": "solve"}, without, only, game]:
            path.write_text(json.dumps({**true, "centroid": None, "lattice": None, **change}))
            same(f"record with {change}", refuses(derive, path, 10_000), None)
            if change != game:
                path.write_text(json.dumps({**true, **change}))
                same(f"record with {change}", refuses(derive, path, 10_000), None)
        for change in altered:
            path.write_text(json.dumps({**true, **change}))
            same(f"record with {change}", refuses(derive, path, 10_000) is not None, True)
        for change in wrong:
            path.write_text(json.dumps({**game, **change}))
            same(f"game with {change}", refuses(derive, path, 10_000) is not None, True)
        for change, names in left:
            path.write_text(json.dumps({**true, **change}))
            same(f"record with {change}", derive(path, 10_000)[-1], f"not derived: {names}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("replay").add_argument("files", nargs="+")
    derived, levels, shortest = (commands.add_parser(name) for name in ("derive", "levels", "shortest"))
    derived.add_argument("record")
    for command in levels, shortest:
        command.add_argument("board")
        command.add_argument("moves", type=int, choices=sorted(RULES))
        command.add_argument("army")
    levels.add_argument("depth", type=int)
    levels.add_argument("--no-symmetry", action="store_true")
    levels.add_argument("--target")
    shortest.add_argument("target", nargs="?")
    for command in levels, shortest:
        command.add_argument("--jumps-only", action="store_true")
    for command in derived, levels, shortest:
        command.add_argument("--max-states", type=int, default=500_000)
    cases = commands.add_parser("cases")
    cases.add_argument("--seed", type=int, default=2009)
    commands.add_parser("selftest")
    arguments = parser.parse_args()
    try:
        if arguments.command == "replay":
            for path in arguments.files:
                print(f"{path}: {check_solution(path)}")
        elif arguments.command == "derive":
            try:
                print("\n".join(derive(arguments.record, arguments.max_states)))
            except (KeyError, TypeError, ValueError, AttributeError) as error:
                raise Invalid(f"{arguments.record}: malformed: {type(error).__name__} {error}") from error
        elif arguments.command == "levels":
            print_levels(arguments)
        elif arguments.command == "shortest":
            length, sequences, classes = transfer(arguments).shortest(None, arguments.max_states)
            print("none" if length is None else f"{length} moves, {sequences} sequences, {classes} up to K")
        elif arguments.command == "cases":
            print_cases(arguments)
        else:
            print(f"referee: {selftest()} checks passed")
    except Wrong as wrong:
        print(f"referee: WRONG: {wrong}", file=sys.stderr)
        return 1
    except Invalid as invalid:
        print(f"referee: {invalid}", file=sys.stderr)
        return 2
    except TooLarge as large:
        print(f"referee: not derived: {large}", file=sys.stderr)
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main())
