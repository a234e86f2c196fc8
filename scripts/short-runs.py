#!/usr/bin/env python3
"""Starts short runs on one folder, four at a time: each must answer, or be told that another one is at work.

    scripts/short-runs.py [BINARY [RUNS]]        default target/release/halma 5000

Ends with status 1 where a run ended otherwise, or something but the record is left in the folder.
"""

import subprocess
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

JOB = '[problem]\nkind = "transfer"\nmoves = 6\nboard = """\nSS..\nS...\n...T\n..TT\n"""\n[limits]\nthreads = 1\n'


def main():
    binary = str(Path(sys.argv[1] if len(sys.argv) > 1 else "target/release/halma").resolve())
    runs = int(sys.argv[2]) if len(sys.argv) > 2 else 5000
    with tempfile.TemporaryDirectory(prefix="halma-short-") as root:
        (Path(root) / "job.toml").write_text(JOB)

        def run(_):
            line = [binary, "solve", "job.toml", "-q", "--output-dir", "run"]
            done = subprocess.run(line, cwd=root, capture_output=True, text=True)
            if done.returncode == 0 and "The shortest solution has " in done.stdout:
                return "status 0"
            if done.returncode == 2 and "another process is at work" in done.stderr:
                return "status 2: another process is at work"
            return f"WRONG: status {done.returncode}: {done.stderr.strip()}"

        with ThreadPoolExecutor(4) as four:
            ends = Counter(four.map(run, range(runs)))
        left = sorted(path.name for path in (Path(root) / "run").iterdir())
    for end, count in ends.most_common():
        print(f"{count:>6}  {end}")
    print(f"left in the folder: {', '.join(left)}")
    return 1 if any(end.startswith("WRONG") for end in ends) or left != ["result.json"] else 0


if __name__ == "__main__":
    sys.exit(main())
