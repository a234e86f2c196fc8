#!/usr/bin/env python3
"""Checks halma's solutions, games and records with rules of its own (referee_rules.py).

  replay FILE...                     plays written solutions, games and the solutions of records move by move
  derive RECORD                      re-derives a small record: lengths, counts, unpruned levels; says what it leaves out
  levels BOARD MOVES ARMY DEPTH      level sets as a table: the fixtures tests/levels/*.levels
  shortest BOARD MOVES ARMY TARGET   shortest length, number of shortest solutions
  cases                              seeded small transfers with their shortest lengths: tests/shortest.txt
  selftest                           published values and two ways to the same answer

BOARD is a name, WIDTHxHEIGHT or a map with rows split by /; ARMY and TARGET are a name or a comma list of cells.
Exit status: 0 all claims hold, 1 a claim is wrong, 2 the command or a file is wrong, 3 too large, not derived.
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
DIGEST_KEY = "".join(f"{half:016x}" for half in DIGEST_KEYS)
VERDICTS = "optimal", "none", "solution", "counted", "levels", "incomplete"
SIDES = "forward", "backward", "leading", "following", "trailing"
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
        if document.get("verdict") in (None, "optimal", "solution"):
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

    known = document.get("known_solution")
    if document.get("solution") is not None or known is not None or verdict in ("optimal", "solution"):
        claim(True, "solution " + check_solution(path))
    if known is not None:
        claim(refuted is None or len(known) > refuted, f"{len(known)} moves known, refuted up to {refuted}")
    bound, exhausted = document.get("lower_bound"), document.get("exhausted")
    if verdict != "levels" or refuted is not None or bound:
        none = [run["length"] for run in runs if run.get("verdict") == "none" and run.get("self_consistent", True)]
        tried = [n for n in [length, refuted, document.get("max_length"), *none] if n is not None]
        # Below a bound there is no solution, either.
        tried += [bound - 1] if bound else []
        # "none" without a length up to which it holds: none of any length.
        unbounded = exhausted or verdict == "none" and (document.get("question") == "solve" or not tried)
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
        if exhausted:
            claim(found is None, f"exhausted, {shown}")
        if none:
            within = [n for n in none if found is None or n <= found]
            wrong = sorted({found, length} & set(none))
            if within or wrong:
                claim(not wrong, f"no solution of exactly {wrong or within} moves, {shown}")
            if longer := sorted(set(none) - set(within)):
                said.append(f"no solution of exactly {longer} moves: not derived, the shortest is shorter")
        counts = document.get("counts")
        if isinstance(counts, dict) and sequences is not None:
            reversals = problem.reversals(found, classes, max_states) or ()
            for key, value in zip(COUNTS, (sequences, classes, *reversals)):
                if key in counts:
                    claim(int(counts[key]) == value, f"counts.{key} {counts[key]}, derived {value}")
                else:
                    said.append(f"counts.{key} absent, derived {value}")
    if impossible := document.get("impossible"):
        claim(is_impossible(problem, impossible), f"impossible: no move leads out of {','.join(impossible['cells'])}")
    if verdict == "levels" and document.get("exhausted"):
        ahead = (problem.start, None, None, max_states) if isinstance(problem, Transfer) else (None, max_states)
        last = sum(1 for _ in problem.levels(*ahead)) - 1
        deepest = max(row["depth"] for run in runs for row in run["levels"] if int(row["states"]))
        claim(deepest == last, f"exhausted, level {last} leads to no other state")
    if symmetries := document.get("symmetries"):
        same_group = set(map(tuple, symmetries["fixing"])) == set(map(tuple, problem.fixing))
        claim(same_group, f"K of order {len(symmetries['fixing'])}, derived {len(problem.fixing)}")
    for row in (row for run in runs for row in run["levels"] if "pruned" in row):
        parts = [int(row[part]) for part in ("pruned", "duplicates", "old", "states")]
        if row["depth"] and sum(parts) != int(row["generated"]):
            raise Wrong(f"{row['side']} level {row['depth']}: {row['generated']} generated, {parts} accounted for")
    same_key = document.get("digest_key", DIGEST_KEY) == DIGEST_KEY
    wanted, left_out = {}, {}
    for of, row in ((run.get("pruning") or pruning, row) for run in runs for row in run["levels"]):
        if row["side"] not in SIDES:
            raise Invalid(f"{path}: side {row['side']}: there are {', '.join(SIDES)}")
        derived = of == "none" and row["side"] in (("forward", "backward") if isinstance(problem, Transfer) else ("forward",))
        (wanted if derived else left_out).setdefault((row["side"], of), []).append(row)
    for (side, _), rows in wanted.items():
        derive_levels(problem, side, rows, max_states, claim, same_key)
    if wanted and not same_key:
        said.append("the record's digests have another key: not derived")
    said.extend(f"{len(rows)} {side} levels under {of}: not derived" for (side, of), rows in left_out.items())
    return said


def is_impossible(problem, stated):
    """Whether no move leads out of these cells, of which the start has as many as is said, and the target other ones."""
    board, cells = problem.board, problem.board.army(stated["cells"])
    for cell in bits(cells):
        near = 0 if problem.jumps_only else board.near[cell]
        if (near | sum({land for _, land, _ in board.jumps[cell]})) & ~cells:
            return False
    said = stated["at_start"], stated["in_target"]
    return said == tuple((end & cells).bit_count() for end in (problem.start, problem.target)) and said[0] != said[1]


def derive_levels(problem, side, rows, max_states, claim, same_key):
    """A level's `generated` counts the successors from which it was made: those of the level before."""
    deepest, generated = max(row["depth"] for row in rows), 0
    if isinstance(problem, Transfer):
        levels = problem.levels(problem.start if side == "forward" else problem.target, deepest, None, max_states)
    else:
        levels = ((level, count) for level, count, _ in problem.levels(deepest, max_states))
    table = []
    for level, following in levels:
        keys = digest(map(rank, level)) if isinstance(problem, Transfer) else None
        table.append((len(level), generated, keys))
        generated = following
    for row in rows:
        at = f"{side} level {row['depth']}"
        # The first empty level is made from the successors of the last one, which are all old.
        empty = (0, generated if row["depth"] == len(table) else 0, digest([]) if isinstance(problem, Transfer) else None)
        size, count, keys = table[row["depth"]] if row["depth"] < len(table) else empty
        claim(int(row["states"]) == size, f"{at}: {row['states']} states, derived {size}")
        claim("generated" not in row or int(row["generated"]) == count, f"{at}: {count} generated")
        if keys is not None and same_key:
            claim(row["digest"] == keys, f"{at}: digest {keys}")


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
    for depth, (level, generated) in enumerate(levels):
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
    sizes = [len(level) for level, _ in triangle.levels(triangle.start, 5)]
    same("problem 2, 6-move, first levels", sizes, [1, 7, 85, 749, 5699, 37114])
    game = named("9x9", 6, "triangle-4", Game)
    same("game, first levels", [len(level) for level, _, _ in game.levels(3)], [1, 7, 98, 1253])
    # a1-b1 and c1-a1 over it: red wins; with a place more a1-b1, d1-c1 and b1-d1 over it: blue wins.
    same("games in a row", [named(board, 4, "a1", Game).shortest()[0] for board in ("3x1", "4x1")], [2, 3])
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
        depths = [at for at, (level, _) in enumerate(problem.levels(problem.start)) if goal in level]
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
    same("levels of a row", [len(level) for level, _, _ in named("5x1", 4, "a1", Game).levels(4)], [1, 1, 1, 2, 3])
    for name in "holes-6x6-6move", "holes-6x6-6move-plain", "triangle-4-6move-jumps", "halma-19-8move":
        lines = ROOT.joinpath(f"tests/levels/{name}.levels").read_text().splitlines()
        said = dict(line[2:].split(": ", 1) for line in lines if line.startswith("#") and ": " in line)
        board = Board(said["board"], int(said["moves"]))
        ends = (board.army(said[end].split()) for end in ("start", "target"))
        problem = Transfer(board, *ends, said["jumps-only"] == "true")
        fixing = problem.fixing[:1 if said["symmetry"].startswith("off") else None]
        rows = [f"{at} {len(level)} {generated} {digest(map(rank, level))}"
                for at, (level, generated) in enumerate(problem.levels(problem.start, 2, fixing))]
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
    rows = [{"depth": at, "side": "forward", "states": len(level), "generated": levels[at - 1][1] if at else 0,
             "digest": digest(map(rank, level))} for at, (level, _) in enumerate(levels)]
    true = {"problem": {"kind": "transfer", "board": "map", "map": text, "moves": 8}, "question": "solve",
            "verdict": "optimal", "length": 5, "refuted_up_to": 4, "pruning": "none",
            "solution": ["b1-b2", "a1-c3", "a2-c2-c4", "b2-d4", "c3-d3"],
            "counts": dict(zip(COUNTS, ["2", 1, 1, 2, 1])), "digest_key": DIGEST_KEY,
            "symmetries": {"fixing": problem.fixing, "mirror": problem.mirror},
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
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "result.json")
        for change in [{}, {"lower_bound": 5}, short]:
            path.write_text(json.dumps({**true, **change}))
            same(f"record with {change}", refuses(derive, path, 10_000), None)
        for change in altered:
            path.write_text(json.dumps({**true, **change}))
            same(f"record with {change}", refuses(derive, path, 10_000) is not None, True)


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
        print(f"referee: too large, not derived: {large}", file=sys.stderr)
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main())
