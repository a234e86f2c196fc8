#!/usr/bin/env python3
"""Damages one file of a stopped run and resumes it, many times: damage is found, or does no harm.

    scripts/corrupt-test.py [BINARY [TIMES [SEED]]]        default target/release/halma 1000 1

A run is stopped (SIGTERM) with complete levels and with layers of the level at hand. Each time one random bit of one
random file in a copy of its folder is flipped, or the file is cut at a random length. Then `halma resume` must either
name the file and end with status 4, or end with the record of an undamaged run, but for times, memory and bytes
written. Ends with status 1 where it does anything else.
"""

import importlib.util
import json
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

DEPTH = "7"

spec = importlib.util.spec_from_file_location("kill_test", Path(__file__).with_name("kill-test.py"))
kill_test = importlib.util.module_from_spec(spec)
spec.loader.exec_module(kill_test)
JOB = kill_test.JOB.replace('"100 ms"', '"10 ms"')


def stop(binary, root):
    """A stopped run with levels and at least two layers; its folder."""
    for attempt in range(50):
        folder = root / f"stopped-{attempt}"
        line = [binary, "levels", root / "job.toml", "--depth", DEPTH, "-q", "--output-dir", folder]
        process = subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while process.poll() is None and len(list(folder.glob(f"levels/*{DEPTH}.layer-*.level"))) < 2:
            time.sleep(0.002)
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
        if process.wait() != 3 or not (folder / "run.json").exists():
            continue
        files = json.loads((folder / "run.json").read_text())["list"]["files"]
        if len([f for f in files if "layer" in f]) >= 2 and len([f for f in files if "layer" not in f]) >= 2:
            return folder
    raise SystemExit("the run could not be stopped where it has levels and layers")


def damage(folder, source):
    """Damages one file that is not empty; it, and what was done, and whether its bytes are other ones now."""
    path = source.choice([p for p in sorted(folder.rglob("*")) if p.is_file() and p.stat().st_size > 0])
    data = bytearray(path.read_bytes())
    if source.random() < 0.5:
        bit = source.randrange(8 * len(data))
        data[bit // 8] ^= 1 << bit % 8
        what = f"bit {bit} flipped"
    else:
        length = source.randrange(len(data))
        what = f"cut from {len(data)} to {length} bytes"
        del data[length:]
    path.write_bytes(data)
    return path.relative_to(folder), what


def main():
    binary = str(Path(sys.argv[1] if len(sys.argv) > 1 else "target/release/halma").resolve())
    times = int(sys.argv[2]) if len(sys.argv) > 2 else 1000
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    source = random.Random(seed)
    counts = {}
    failures = 0
    with tempfile.TemporaryDirectory(prefix="halma-corrupt-") as root:
        root = Path(root)
        (root / "job.toml").write_text(JOB)
        stopped = stop(binary, root)
        for path in sorted(p for p in stopped.rglob("*") if p.is_file()):
            print(f"{path.stat().st_size:>9} bytes  {path.relative_to(stopped)}")
        copy = root / "whole"
        shutil.copytree(stopped, copy)
        done = subprocess.run([binary, "resume", copy, "--json", "-q"], capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(f"the undamaged run does not go on: {done.stderr}")
        reference = kill_test.without_costs(json.loads(done.stdout))
        for number in range(times):
            copy = root / "copy"
            shutil.copytree(stopped, copy)
            path, what = damage(copy, source)
            done = subprocess.run([binary, "resume", copy, "--json", "-q"], capture_output=True, text=True)
            if done.returncode == 4 and str(copy / path) in done.stderr and not done.stdout:
                outcome = "detected"
            elif done.returncode == 0 and kill_test.without_costs(json.loads(done.stdout)) == reference:
                outcome = "harmless"
            else:
                outcome = "WRONG"
                failures += 1
                print(f"{number}: {path}, {what}: status {done.returncode}: {done.stderr.strip()}", flush=True)
            counts.setdefault(str(path), {}).setdefault(outcome, 0)
            counts[str(path)][outcome] += 1
            shutil.rmtree(copy)
    for path, outcomes in sorted(counts.items()):
        print(f"{path}: " + ", ".join(f"{n} {outcome}" for outcome, n in sorted(outcomes.items())))
    total = {o: sum(c.get(o, 0) for c in counts.values()) for o in ("detected", "harmless")}
    print(f"{times} times (seed {seed}): {total['detected']} detected, {total['harmless']} harmless, {failures} wrong")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
