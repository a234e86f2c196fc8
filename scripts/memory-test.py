#!/usr/bin/env python3
"""Peak memory against the budget, for many kinds of jobs, numbers of threads and budgets.

    scripts/memory-test.py [BINARY [short | full [JOB ...]]]        default target/release/halma full

Each job is first asked with a budget of 1 KiB: it must be refused at once, with status 2 and the least that would do.
Then it runs with that least and with larger budgets. The peak is what the system says of the ended process (ru_maxrss).
Fails where a job is refused with the least that was named, where a peak is over its budget by more than a tenth, or where
answers, counts or digests of a job differ between budgets or threads, or where a job ends before it has its answer. `full`
writes results/robustness/memory.md, of jobs named after it only their rows; `short` takes less than a minute.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
UNITS = {"KiB": 2**10, "MiB": 2**20, "GiB": 2**30}
OVER = 1.1


def transfer(board, moves, army, pruning=None, **more):
    lines = ["[problem]", 'kind = "transfer"', f'board = "{board}"', f"moves = {moves}", f'army = "{army}"']
    lines += [f"{key} = {value}" for key, value in more.items()]
    return "\n".join(lines + (["[search]", f'pruning = "{pruning}"'] if pruning else [])) + "\n"


def game(board, moves, army, pruning=None):
    lines = ["[problem]", 'kind = "game"', f'board = "{board}"', f"moves = {moves}", f'army = "{army}"']
    return "\n".join(lines + (["[search]", f'pruning = "{pruning}"'] if pruning else [])) + "\n"


TRIANGLE = ("9x9", 6, "triangle-4")
# Two armies without a mirror between them: searched from both ends.
LOPSIDED = '[problem]\nkind = "transfer"\nboard = "9x9"\nmoves = 6\narmy = ["a1", "b1", "a2", "b2", "c1"]\n' \
    'target = ["i9", "h9", "g9", "i8", "f9"]\n[search]\npruning = "pattern"\n'
# What it is; how it is asked; the job; more arguments; whether the short form runs it.
JOBS = [
    ("levels to 6, unpruned", ["levels", "--depth", "6"], transfer("9x9", 8, "triangle-4"), [], True),
    ("levels to 7, unpruned", ["levels", "--depth", "7"], transfer("9x9", 8, "triangle-4"), [], False),
    ("leading", ["solve"], transfer(*TRIANGLE, "leading"), [], True),
    ("leading, --cache", ["solve"], transfer(*TRIANGLE, "leading"), ["--cache", "{cache}"], False),
    ("narrowed", ["solve", "--max-length", "22"], transfer(*TRIANGLE, "narrowed"), [], False),
    ("pattern", ["solve", "--max-length", "20"], transfer(*TRIANGLE, "pattern"), [], False),
    ("mcc(3)", ["prove", "--max-length", "16"], transfer(*TRIANGLE, "mcc(3)"), [], False),
    ("none", ["solve"], transfer("9x9", 6, "triangle-3", "none"), [], False),
    ("theorem-1", ["solve"], transfer("9x9", 6, "triangle-3", "theorem-1"), [], False),
    ("truncate(100000,1)", ["prove", "--max-length", "28"], transfer(*TRIANGLE, "truncate(100000,1)"), [], False),
    ("count, leading", ["count"], transfer("9x9", 6, "triangle-3", "leading"), [], True),
    ("count, 10 men", ["count"], transfer(*TRIANGLE, "leading"), [], False),
    ("two ends", ["solve"], LOPSIDED, [], True),
    ("16x16, 6 men", ["levels", "--depth", "5"], transfer("16x16", 8, "triangle-3"), [], True),
    ("16x16, 19 men", ["levels", "--depth", "5"], transfer("16x16", 8, "halma-19"), [], False),
    ("game, levels to 8", ["levels", "--depth", "8"], game("9x9", 6, "triangle-3"), [], True),
    ("game, beam(20000,1)", ["prove", "--max-length", "24"], game("9x9", 6, "triangle-3", "beam(20000,1)"), [], False),
    ("resumed", ["resume"], transfer("9x9", 8, "triangle-4"), [], False),
]


def size(text):
    number, unit = re.fullmatch(r"([0-9.]+) ?([KMG]iB)", text).groups()
    return int(float(number) * UNITS[unit])


def run(command):
    """Status, standard output and error, peak in bytes, user seconds."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        actions = [(os.POSIX_SPAWN_DUP2, out.fileno(), 1), (os.POSIX_SPAWN_DUP2, err.fileno(), 2)]
        pid = os.posix_spawn(command[0], command, os.environ, file_actions=actions)
        _, status, usage = os.wait4(pid, 0)
        out.seek(0), err.seek(0)
        return (os.waitstatus_to_exitcode(status), out.read().decode(), err.read().decode(), usage.ru_maxrss * 1024,
                usage.ru_utime)


def stopped(binary, job, folder):
    """A run of that job that was interrupted on its way to level 7."""
    process = subprocess.Popen([binary, "levels", job, "--depth", "7", "-q", "--threads", "2", "--output-dir", folder],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    status = Path(folder) / "status.json"
    while process.poll() is None and (not status.exists() or json.loads(status.read_text()).get("level") != 7):
        time.sleep(0.05)
    process.send_signal(signal.SIGTERM)
    assert process.wait() == 3, "the run could not be stopped"


def claims(record):
    """What no budget may change."""
    levels = [[(level["side"], level["depth"], level["states"], level["digest"]) for level in run["levels"]]
              for run in record["runs"]]
    return [record["verdict"], record["length"], record["refuted_up_to"], record.get("counts"), levels]


def main():
    binary = str(Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "target/release/halma").resolve())
    short = sys.argv[2:] == ["short"]
    wanted = set(sys.argv[3:])
    assert wanted <= {job[0] for job in JOBS}, f"jobs are {[job[0] for job in JOBS]}"
    threads = [2, 16] if short else [1, 2, 16, 64]
    rows, faults = [], []
    with tempfile.TemporaryDirectory() as root:
        root = Path(root)
        job, cache, folder = root / "job.toml", root / "cache", root / "run"
        for what, asked, text, more, in_short in JOBS:
            if short and not in_short or wanted and what not in wanted:
                continue
            job.write_text(text)
            kept = None
            if asked == ["resume"]:
                stopped(binary, job, root / "stopped")
            for number in threads:
                least = None
                for budget in ["1 KiB", "least", *([] if short else ["64 MiB", "256 MiB"])]:
                    if budget == "least" and least is None:
                        continue
                    limit = least if budget == "least" else budget
                    if budget not in ("1 KiB", "least") and least and size(limit) < size(least):
                        continue
                    options = ["--threads", str(number), "--memory", limit, "-q", "--json"]
                    options += [part.format(cache=cache) for part in more]
                    if asked == ["resume"]:
                        shutil.rmtree(folder, ignore_errors=True)
                        shutil.copytree(root / "stopped", folder)
                        command = [binary, "resume", str(folder), *options]
                    else:
                        command = [binary, asked[0], str(job), *asked[1:], *options]
                    status, out, err, peak, user = run(command)
                    name = f"{what}, {number} threads, {limit}"
                    found = re.search(r"at least ([0-9.]+ [KMG]iB)", err)
                    if status == 2 and found:
                        least = found[1]
                        if budget != "1 KiB":
                            faults.append(f"{name}: refused: {err.strip()}")
                            rows.append([what, number, limit, "refused", "", ""])
                        continue
                    ratio = peak / size(limit)
                    rows.append([what, number, limit, f"{peak / 2**20:.0f} MiB", f"{ratio:.2f}", f"{user:.1f}"])
                    print(*rows[-1], sep=" | ", flush=True)
                    if status not in (0, 10, 20):
                        faults.append(f"{name}: status {status}: {err.strip()}")
                        continue
                    if budget == "1 KiB":
                        faults.append(f"{name}: not refused")
                    if ratio > OVER:
                        faults.append(f"{name}: {ratio:.2f} times the budget")
                    answer = claims(json.loads(out))
                    kept = kept or answer
                    if answer != kept:
                        faults.append(f"{name}: other answers, counts or digests than with another budget")
    if not short:
        page = ROOT / "results/robustness/memory.md"
        measured = {row[0] for row in rows}
        if wanted:
            # A cell holds no bar. What was measured before stands where it stood.
            old = [[cell.strip() for cell in line.strip("| ").split("|")] for line in page.read_text().splitlines() if line.startswith("| ")]
            rows += [row for row in old[2:] if row[0] not in measured]
            names = [job[0] for job in JOBS]
            rows.sort(key=lambda row: names.index(row[0]))
        head = ["job", "threads", "budget", "peak", "peak / budget", "user seconds"]
        lines = ["# Peak memory against the budget", "",
                 "Written by `scripts/memory-test.py`. The first budget of each job is the least that it does not refuse; 1 KiB "
                 "is refused by all of them. Answers, counts and digests of a job are the same in all its rows.", "",
                 "| " + " | ".join(head) + " |", "| --- | ---: | ---: | ---: | ---: | ---: |",
                 *("| " + " | ".join(map(str, row)) + " |" for row in rows), "",
                 *(f"- Fault: {fault}" for fault in faults)]
        page.write_text("\n".join(lines).rstrip() + "\n")
    print("\n".join(faults) or "every budget is kept, and no answer depends on it")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
