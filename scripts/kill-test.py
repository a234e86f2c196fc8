#!/usr/bin/env python3
"""Kills spilling runs with SIGKILL at random moments, resumes them, and compares the records with undisturbed ones.

    scripts/kill-test.py [BINARY [KILLS [SEED]]]        default target/release/halma 100 1

A run is killed again and again, each time after a random part of the time that it takes undisturbed, until it ends
before the kill. Its record must then be that of the undisturbed run but for times, memory and bytes written. Runs of
`levels`, of `prove`, and of `solve` by a beam search and by one that learns take turns. Ends with status 1 where a record differs, or a
process ends otherwise.
"""

import json
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

JOB = """[problem]
kind = "transfer"
board = "9x9"
moves = 6
army = "triangle-4"

[limits]
threads = 2
memory = "72 MiB"
checkpoint = "100 ms"
"""
COMMANDS = [
    ["levels", "--depth", "8"],
    ["prove", "--max-length", "26", "--pruning", "leading"],
    ["solve", "--pruning", "truncate(20000,2,rounds=8)", "--memory", "512 MiB"],
    ["solve", "--pruning", "truncate(30000,2)"],
]
# A solution that may not be a shortest one ends with 3.
ENDS = (0, 3, 20)
# What may differ between two runs of one job.
COSTS = {"finished", "seconds", "cpu_seconds", "peak_memory_bytes", "disk_bytes_written"}


def without_costs(value):
    if isinstance(value, dict):
        return {k: without_costs(v) for k, v in value.items() if k not in COSTS}
    return [without_costs(v) for v in value] if isinstance(value, list) else value


def differences(one, other, path=""):
    if isinstance(one, dict) and isinstance(other, dict):
        for key in sorted(one.keys() | other.keys()):
            yield from differences(one.get(key), other.get(key), f"{path}.{key}")
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for i, pair in enumerate(zip(one, other)):
            yield from differences(*pair, f"{path}[{i}]")
    elif one != other:
        yield f"{path}: {one} instead of {other}"


class Failed(Exception):
    pass


def undisturbed(binary, command, folder):
    begun = time.monotonic()
    done = subprocess.run(start(binary, command, folder), capture_output=True, text=True)
    if done.returncode not in ENDS:
        raise Failed(f"undisturbed: status {done.returncode}: {done.stderr}")
    record = json.loads((folder / "result.json").read_text())
    if record["disk_bytes_written"] == 0 and command[0] != "solve":
        raise Failed(f"{command[0]}: the undisturbed run wrote nothing to disk: this tests nothing")
    return without_costs(record), done.returncode, time.monotonic() - begun


def start(binary, command, folder):
    return [binary, command[0], folder.parent / "job.toml", *command[1:], "-q", "--output-dir", folder]


def state(folder):
    """What a kill has left behind."""
    if not (folder / "run.json").exists():
        return "nothing yet" if not (folder / "result.json").exists() else "a record"
    if (folder / "search.state").exists():
        return "what was learned"
    listed = json.loads((folder / "run.json").read_text())["list"]
    return "layers" if listed["partial"] else "levels" if listed["files"] else "answers" if listed["answers"] else "a list"


def killed_run(binary, command, folder, random, seconds, most, found):
    """Kills a run up to `most` times and lets it end; the number of kills and the last status."""
    kills = 0
    while True:
        resumable = (folder / "run.json").exists()
        line = [binary, "resume", folder, "-q"] if resumable else start(binary, command, folder)
        process = subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        try:
            # Half of the kills early in the process, where what it reads again is checked and swept.
            longest = seconds * random.choice([0.2, 1.0])
            _, errors = process.communicate(timeout=random.uniform(0, longest) if kills < most else None)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            kills += 1
            left = state(folder)
            found[left] = found.get(left, 0) + 1
            continue
        if process.returncode not in ENDS:
            raise Failed(f"after {kills} kills: status {process.returncode}: {errors}")
        return kills, process.returncode


def main():
    binary = str(Path(sys.argv[1] if len(sys.argv) > 1 else "target/release/halma").resolve())
    wanted = int(sys.argv[2]) if len(sys.argv) > 2 else 100
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    source = random.Random(seed)
    kills = runs = identical = differing = 0
    found = {}
    with tempfile.TemporaryDirectory(prefix="halma-kill-") as root:
        root = Path(root)
        (root / "job.toml").write_text(JOB)
        references = []
        for number, command in enumerate(COMMANDS):
            references.append(undisturbed(binary, command, root / f"undisturbed-{number}"))
            print(f"undisturbed: {' '.join(command)}: {references[-1][2]:.1f} s", flush=True)
        while kills < wanted:
            command, (reference, status, seconds) = [(c, r) for c, r in zip(COMMANDS, references)][runs % len(COMMANDS)]
            folder = root / f"run-{runs}"
            # At most ten: a run that is killed for ever would test one folder alone.
            now, ended = killed_run(binary, command, folder, source, seconds, min(10, wanted - kills), found)
            kills, runs = kills + now, runs + 1
            record = without_costs(json.loads((folder / "result.json").read_text()))
            differ = list(differences(record, reference))
            if ended != status:
                differ.append(f"status {ended} instead of {status}")
            # A process that is killed leaves its status; one that ends within a second neither writes nor removes one.
            left = [p.name for p in folder.iterdir() if p.name not in ("result.json", "status.json")]
            if left:
                differ.append(f"left behind: {left}")
            identical += 0 if differ else now
            differing += bool(differ)
            print(f"run {runs}, {command[0]}: {now} kills, {'; '.join(differ[:5]) or 'identical'}", flush=True)
    print("what the kills left to go on with: " + ", ".join(f"{n} {what}" for what, n in sorted(found.items())))
    print(f"{identical} of {kills} identical (runs {runs}, {differing} of them differ, seed {seed})")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
