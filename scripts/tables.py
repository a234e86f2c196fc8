"""What the scripts that make tables from records share."""
import math
import os
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# Table 3 of Bell 2009 by problem: 4-, 6- and 8-move. "<=" where the paper says that a shorter solution may be possible.
TABLE_3 = {
    "p1-triangle-3": (25, 23, 16), "p2-triangle-4": (30, 27, 20), "p3-triangle-4-jumps": (46, 35, 21),
    "p4-triangle-5": ("<= 36", "<= 31", "<= 26"), "p5-square-2": (15, 15, 12), "p6-square-3": (25, 25, 16),
    "p7-checkers-12": (20, 16, 16),
}
# Table 2 of it by game. ">=" is a bound: the paper has no such game.
TABLE_2 = {
    "chinese-checkers-10": 30, "chinese-checkers-15": 36, "chinese-checkers-8move": 24, "grasshopper": 24,
    "halma": ">= 45",
}


def markdown(head, rows, text=(0,)):
    """The lines of a table, the columns in `text` aligned to the left, the others to the right."""
    rule = ["---" if column in text else "---:" for column in range(len(head))]
    return ["| " + " | ".join(map(str, row)) + " |" for row in [head, rule, *rows]]


def successors(record):
    return f"{sum(int(run['generated']) for run in record['runs']):,}"


def together(runs):
    """The last length and the successors of what was decided together, in order."""
    parts, up_to = [], 0
    for run in runs:
        if run["length"] <= up_to:
            parts[-1] = (run["length"], parts[-1][1] + int(run["generated"]))
        else:
            parts.append((run["length"], int(run["generated"])))
            up_to = run.get("up_to", run["length"])
    return parts


def growth_factor(points):
    """The factor b of y = a b^x that fits the points best, by least squares of the logarithms."""
    xs, ys = [x for x, _ in points], [math.log(y) for _, y in points]
    mean_x, mean_y = statistics.mean(xs), statistics.mean(ys)
    over = sum((x - mean_x) * (y - mean_y) for x, y in zip(xs, ys))
    return math.exp(over / sum((x - mean_x) ** 2 for x in xs))


def largest_level(record):
    return f"{max((int(run['largest_level']) for run in record['runs']), default=0):,}"


def coarser(record):
    """A record's pruning by plain centroids, over two classes of cells fewer."""
    return f"{record['pruning'].split('(')[0]}(classes={len(record['partition']['values']) - 2})"


def fault(record, file, length):
    """What keeps the record in `file` from proving the published length, or None."""
    claim = tuple(record[key] for key in ("verdict", "length", "refuted_up_to"))
    if claim != ("optimal", length, length - 1):
        return f"{claim[0]}, length {claim[1]}, refuted up to {claim[2]}: published is {length}"
    bound = record.get("lower_bound", 1)
    refuted = [run["length"] for run in record["runs"] if run["verdict"] == "none" and run["self_consistent"]]
    if refuted != list(range(bound, length)):
        return f"runs refute {refuted}, not {bound} to {length - 1}"
    for level in (level for run in record["runs"] for level in run["levels"] if level["depth"]):
        if sum(int(level[part]) for part in ("pruned", "duplicates", "old", "states")) != int(level["generated"]):
            return f"{level['side']} level {level['depth']} does not account for all its successors"
    replay = [sys.executable, ROOT / "scripts/referee.py", "replay", file]
    return None if subprocess.run(replay, stdout=subprocess.DEVNULL).returncode == 0 else "the solution does not replay"


def asked(record):
    """What a record answers a question about: its problem, whatever it is called, and whether only palindromes count."""
    problem = {key: value for key, value in record["problem"].items() if key != "title"}
    return problem, record.get("palindromic", False)


def second_method(first, second):
    """What another method's record says to the refutation that a record's length rests on."""
    if asked(first) != asked(second):
        return "not confirmed: the second record is of another problem"
    length, got = first["refuted_up_to"], second["refuted_up_to"]
    name, bound = f"`{second['pruning'].split('(')[0]}`", second["lower_bound"]
    if second["pruning"].split("(")[0] == first["pruning"].split("(")[0]:
        ours, theirs = (record["partition"] for record in (first, second))
        if ours == theirs:
            return "not confirmed: the second record is by the same method over the same classes"
        if len(ours["values"]) != len(theirs["values"]):
            name += f" over {len(theirs['values'])} classes instead of {len(ours['values'])}"
            name += " and by plain centroids" if "weights=" in first["pruning"] and "weights=" not in second["pruning"] else ""
        elif ours["class_of"] != theirs["class_of"]:
            name += " over other classes"
        elif "weights=" in second["pruning"]:
            name = f"`{second['pruning']}`, under which other middles count as leading,"
        else:
            name += f" with centroids up to {max(theirs['values'])} instead of {max(ours['values'])}"
        if "look-ahead" in second["pruning"] and "look-ahead" not in first["pruning"]:
            name += " and a look-ahead"
    if second["length"] not in (None, first["length"]):
        return f"CONTRADICTS: {name} found {second['length']} moves"
    runs = [run["length"] for run in second["runs"] if run["verdict"] == "none" and run["self_consistent"]]
    if second["verdict"] == "none" and bound < got < length and runs == list(range(bound, got + 1)):
        return f"{name} agrees up to {got}, and was not asked further"
    # A record that was stopped at a greater length says "incomplete", and has refuted these.
    if second["verdict"] not in ("none", "optimal", "counted", "incomplete") or got != length or runs != list(range(bound, length + 1)):
        return f"not confirmed: {name} refuted up to {got} in {second['seconds']:.0f} s"
    ours, theirs = (record["counts"] for record in (first, second))
    if ours and theirs and ours != theirs:
        return f"CONTRADICTS: {name} counted {theirs['sequences']} solutions"
    if runs:
        return f"{name} agrees: none up to {length}" + (", and as many solutions" if ours and theirs else "")
    if bound == first["lower_bound"]:
        return f"no second method: in both records one bound refutes all below {bound}"
    return f"{name} agrees: lower bound {bound}"


# The program that the scripts run: $HALMA, or what `build` makes.
HALMA = Path(os.environ.get("HALMA") or ROOT / os.environ.get("CARGO_TARGET_DIR", "target") / "release/halma")


def build():
    """Builds the program, unless $HALMA names another one."""
    if not os.environ.get("HALMA"):
        subprocess.run(["cargo", "build", "--release", "--locked", "--quiet"], cwd=ROOT, check=True)
