#!/usr/bin/env python3
"""Damages jobs, records, run folders and caches, and runs the program on them: it must say so, and do no harm.

    scripts/attack-folders.py [BINARY [RESEAL [TIMES [SEED]]]]
        default target/release/halma target/debug/examples/reseal 10000 1

Each time a copy of a finished or kept run is damaged in one to three places: bits, cuts, numbers and texts in JSON, links
to files and folders outside, pipes, sockets, devices, folders where files belong, headers that claim 2^40 keys; half of the
damages get their checksums made right again by RESEAL (examples/reseal.rs). Then one command reads the copy.
A damage fails the test if the command
- ends by a signal, with a panic, or with a status that is not documented;
- takes longer than 10 s or more than 512 MiB;
- changes anything outside the folder: all that lies beside it is compared, contents, modes and times;
- prints a control character;
- says with status 0 that a solution is shortest, or that none exists, where that is not so.
`resume` believes a list that somebody forged with a right checksum (docs/guide/long-jobs.md): a wrong answer of a resealed
list is counted on its own; `check` must refuse the record that comes of it.
Prints a table in Markdown, and so it does of what was done when it is stopped (SIGINT). Ends with status 1 where anything failed.
"""

import copy
import json
import os
import random
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

SECONDS, BYTES = 10, 512 << 20
STATUSES = {0, 1, 2, 3, 4, 10, 20}

SEARCH = '[limits]\nthreads = 1\nmemory = "64 MiB"\ncheckpoint = "1 ms"\n'
MAP = 'kind = "transfer"\nmoves = 6\nboard = """\nSS..\nS...\n...T\n..TT\n"""\n'
GAME = 'kind = "game"\nmoves = 8\nboard = """\nSS..\n....\n....\n..TT\n"""\n'
# name: problem, search, command, level files kept
BASES = {
    "plain": (MAP, 'pruning = "none"', ["solve"], True),
    "leading": (MAP, 'pruning = "leading"', ["solve"], True),
    "pattern": (MAP, 'pruning = "pattern"', ["solve"], False),
    "none": (MAP, 'pruning = "theorem-1"', ["prove", "--max-length", "5"], True),
    "levels": (MAP, 'pruning = "none"', ["levels", "--depth", "4"], True),
    "count": (MAP, 'pruning = "none"', ["count"], True),
    "game": (GAME, 'pruning = "all"', ["solve"], True),
}
COMMANDS = {
    "resume": (["resume", "run", "-q"], 5),
    "resume --json": (["resume", "run", "--json"], 2),
    "resume --cache": (["resume", "run", "-q", "--cache", "cache"], 2),
    "check": (["check", "run", "-q", "--budget", "100000", "--threads", "1"], 3),
    "status": (["status", "run"], 2),
    "status --json": (["status", "run", "--json"], 1),
    "report": (["report", "run"], 2),
    "replay": (["replay", "run"], 2),
    "describe": (["describe", "job.toml", "--probe", "30ms", "--threads", "1"], 2),
    "solve": (["solve", "job.toml", "-q", "--output-dir", "run"], 2),
    "batch": (["batch", "job.toml", "-q"], 1),
}
NUMBERS = [0, 1, -1, 2, 7, 255, 256, 9999, 10000, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**50, 2**53, 2**63 - 1, 2**63, 2**64 - 1, 2**64, 1e308, 0.5, -1e9]
WILD = "\x1b[2J\x1b]0;owned\x07\x9b31m\r\x7f\u202e"
FOLLOW = ["levels/x.level", "levels/x.tmp", "lock", "levels", "run.json", "result.json", "status.json", ".run.json.x1", ".result.json.9-1"]


class Sealer:
    """The program that makes checksums right, kept running."""

    def __init__(self, program):
        self.program, self.sealed = program, 0
        self.begin()

    def begin(self):
        self.process = subprocess.Popen([self.program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def seal(self, path):
        try:
            self.process.stdin.write(f"{path}\n")
            self.process.stdin.flush()
            sealed = self.process.stdout.readline().strip() == "sealed"
            self.sealed += sealed
            return sealed
        except BrokenPipeError:
            self.begin()
            return False


def run(line, folder):
    """Status (None where it was stopped), output, seconds, bytes of memory at most."""
    out, err = tempfile.TemporaryFile(), tempfile.TemporaryFile()
    begun = time.monotonic()
    environment = {k: v for k, v in os.environ.items() if k != "HALMA_CACHE"} | {"RUST_BACKTRACE": "0"}
    process = subprocess.Popen(line, cwd=folder, stdin=subprocess.DEVNULL, stdout=out, stderr=err, env=environment)
    late = threading.Timer(SECONDS, process.kill)
    late.start()
    _, status, used = os.wait4(process.pid, 0)
    late.cancel()
    process.returncode = os.waitstatus_to_exitcode(status)
    texts = []
    for file in (out, err):
        file.seek(0)
        texts.append(file.read().decode("utf-8", "replace"))
        file.close()
    return process.returncode, *texts, time.monotonic() - begun, used.ru_maxrss * 1024


def outside(place, but=()):
    """All that lies there, but for what may be written: names, kinds, modes, times, contents."""
    seen = {}
    for path in sorted(place.rglob("*")):
        stat = path.lstat()
        if path.relative_to(place).parts[0] in but:
            continue
        contents = path.read_bytes() if path.is_file() and not path.is_symlink() and stat.st_size < 1 << 22 else None
        seen[str(path)] = (stat.st_mode, stat.st_mtime_ns, stat.st_size, contents)
    return seen


# Damages. Each returns what it did, or None where it does not apply.

def places(value, at=()):
    yield at
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in children:
        yield from places(child, (*at, key))


def mutated(value, source, canary):
    """One place of a JSON document changed; what was done."""
    at = source.choice(list(places(value))[1:] or [()])
    if not at:
        return None
    holder = value
    for key in at[:-1]:
        holder = holder[key]
    old, key = holder[at[-1]], at[-1]
    ways = ["drop", "replace", "replace", "replace", "near", "near"]
    if isinstance(holder, dict):
        ways.append("rename")
    if isinstance(holder, list):
        ways += ["double", "swap", "many"]
    way = source.choice(ways)
    texts = ["", WILD, "a" * 10000, f"L/../../../{canary.name}/x", str(canary / "x"), "..", "levels/../../x", old if isinstance(old, str) else "x", "none", "optimal", "0" * 32, "f" * 32, "99999999999999999999999999"]
    if way == "drop":
        del holder[key]
    elif way == "rename":
        holder[source.choice(texts)] = holder.pop(key)
    elif way == "double":
        holder.insert(key, copy.deepcopy(old))
    elif way == "many":
        holder[key:key] = [copy.deepcopy(old) for _ in range(300)]
    elif way == "swap":
        other = source.randrange(len(holder))
        holder[key], holder[other] = holder[other], holder[key]
    elif way == "near" and isinstance(old, int) and not isinstance(old, bool):
        holder[key] = old + source.choice([-2, -1, 1, 2, 100])
    elif way == "near" and isinstance(old, str):
        holder[key] = old[:-1] + source.choice(["0", "a", "f", "", "\x00"])
    else:
        holder[key] = source.choice([source.choice(NUMBERS), source.choice(NUMBERS), source.choice(texts), source.choice(texts), None, True, [], {}, [[]] * 50])
    return f"{'.'.join(map(str, at))[:60]}: {way}"


def json_damage(path, source, canary):
    try:
        value = json.loads(path.read_text())
    except (OSError, ValueError):
        return None
    done = None
    for _ in range(source.choice([1, 1, 2, 4])):
        done = mutated(value["list"] if path.name == "run.json" else value, source, canary) or done
    # Deleting may leave nothing.
    path.write_text(json.dumps(value, indent=source.choice([None, 2])))
    return done


def level_damage(path, source, _):
    data = bytearray(path.read_bytes())
    if len(data) < 96:
        return None
    width = struct.unpack_from("<I", data, 12)[0]
    index, blocks = struct.unpack_from("<QQ", data, len(data) - 64)
    big = source.choice([0, 1, 2, 4096, 4097, 2 * 10**8, 2**31, 2**32 - 1, 2**40, 2**63, 2**64 - 1])
    spot = source.choice(["keys", "first", "block keys", "bytes", "offset", "width", "count", "index", "codes", "digest"])
    if spot == "keys":
        struct.pack_into("<Q", data, len(data) - 48, big)
    elif spot == "count":
        struct.pack_into("<Q", data, len(data) - 56, big)
    elif spot == "index":
        struct.pack_into("<Q", data, len(data) - 64, big)
    elif spot == "width":
        struct.pack_into("<I", data, 12, big & 0xFFFFFFFF)
    elif spot == "digest":
        data[len(data) - 40 + source.randrange(16)] ^= 1
    elif spot == "codes" and index > 32:
        at = source.randrange(32, index)
        data[at] = source.choice([0, 0x7F, 0x80, 0xFF])
    elif blocks:
        at = index + source.randrange(blocks) * (width + 24)
        if spot == "first":
            struct.pack_into("<Q", data, at, big)
        elif spot == "offset":
            struct.pack_into("<Q", data, at + width, big)
        elif spot == "bytes":
            struct.pack_into("<I", data, at + width + 8, big & 0xFFFFFFFF)
        else:
            struct.pack_into("<I", data, at + width + 12, big & 0xFFFFFFFF)
    path.write_bytes(data)
    return f"{spot} = {big}"


def bytes_damage(path, source, _):
    data = bytearray(path.read_bytes())
    way = source.choice(["bit", "cut", "zeros", "noise", "twice", "empty", "no text", "wild"])
    at = source.randrange(len(data) + 1)
    if way == "bit" and data:
        data[at - 1] ^= 1 << source.randrange(8)
    elif way == "cut":
        del data[at:]
    elif way == "zeros":
        data[at : at + 16] = bytes(16)
    elif way == "noise":
        data[at : at + 8] = source.randbytes(8)
    elif way == "twice":
        data += bytes(data)
    elif way == "empty":
        data.clear()
    elif way == "no text":
        data[at:at] = b"\xff\xfe\x80"
    else:
        data[at:at] = WILD.encode()
    path.write_bytes(data)
    return way


def clear(path):
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    elif os.path.lexists(path):
        path.unlink()


def kind_damage(path, source, canary):
    """Something else in place of a file or a folder."""
    way = source.choice(["link to a file", "link to a folder", "link to nothing", "link to itself", "pipe", "socket", "folder", "link to /dev/zero", "sparse", "mode 0", "missing"])
    if way == "mode 0" and os.path.lexists(path) and not path.is_symlink():
        path.chmod(0)
        return way
    clear(path)
    path.parent.mkdir(exist_ok=True)
    if way == "link to a file":
        path.symlink_to(canary / source.choice(["file", "result.json", "run.json"]))
    elif way == "link to a folder":
        path.symlink_to(canary)
    elif way == "link to nothing":
        path.symlink_to(canary / "new")
    elif way == "link to itself":
        path.symlink_to(path)
    elif way == "pipe":
        os.mkfifo(path)
    elif way == "socket":
        # The name of a socket is short: bound from its folder.
        with socket.socket(socket.AF_UNIX) as bound:
            before = os.getcwd()
            os.chdir(path.parent)
            try:
                bound.bind(path.name)
            finally:
                os.chdir(before)
    elif way == "folder":
        path.mkdir()
        (path / "x.level").write_text("x")
    elif way == "link to /dev/zero":
        path.symlink_to("/dev/zero")
    elif way == "sparse":
        with path.open("wb") as file:
            file.truncate(source.choice([65 << 20, 10 << 30]))
    return way


def layer_damage(folder, source, sealer):
    """A level becomes the pieces of the one that was under way."""
    try:
        sealed = json.loads((folder / "run.json").read_text())
        files = sealed["list"]["files"]
        label = source.choice(sorted(files))
        layer = f"{label}.layer-0000"
        files[layer] = {**files.pop(label), "figures": None}
        sealed["list"]["partial"] = {
            "label": label, "next_block": source.choice([0, 1, 2**40]), "generated": source.choice([0, 10**6, 2**60]),
            "emitted": source.choice([0, 10**5, 2**60]), "layers": source.choice([[layer], [layer, layer], ["x"]]),
        }
        (folder / "run.json").write_text(json.dumps(sealed))
        (folder / f"levels/{label}.level").rename(folder / f"levels/{layer}.level")
        return sealer.seal(folder / "run.json") and sealer.seal(folder / f"levels/{layer}.level") and "a layer"
    except (OSError, ValueError, KeyError, IndexError, TypeError, AttributeError):
        return None


def job_damage(path, source, _):
    # A job that was made long before does not grow by another factor: this process would outgrow what it measures.
    text = path.read_text()[:100_000]
    way = source.choice(["long line", "deep", "huge", "map", "army", "wild", "word", "number", "many"])
    text = {
        "long line": text + "x = \"" + "y" * 500_000 + "\"\n",
        "deep": text + "x = " + "[" * 200_000,
        "huge": text + "#" * (2 << 20),
        "map": text.replace("S", source.choice(["S" * 300, "é", "\x1b[2J", "#" * 70_000, "\n" * 1000]), 1),
        "army": text.replace("moves", f"army = {json.dumps([source.choice(['a1', WILD, 'zz99'])] * 50)}\nmoves", 1),
        "wild": text + WILD + " = 1\n",
        "word": text.replace("pruning", "p" * source.choice([1, 100, 100_000]), 1),
        "number": text.replace("= 6", f"= {source.choice(NUMBERS)}", 1).replace("= 1\n", f"= {source.choice(NUMBERS)}\n", 1),
        "many": text * 300,
    }[way]
    path.write_text(text)
    return way


def readable(path):
    """Whether it is a small regular file: what was damaged before may be a pipe."""
    return path.is_file() and not path.is_symlink() and path.stat().st_size < 1 << 22


def damage(place, source, sealer, canary):
    """What was damaged: the kind of file, and how; and whether it was sealed again."""
    folder = place / "run"
    files = [p for p in sorted(folder.rglob("*")) if p.is_file() and not p.is_symlink()]
    tables = sorted((place / "cache").glob("*.table"))
    choice = source.choice(["job", "list", "list", "list", "record", "record", "level", "level", "status", "kind", "kind", "table", "layer", "bytes", "bytes"])
    sealed = source.random() < 0.7
    if choice == "job":
        path, change = place / "job.toml", source.choice([job_damage, bytes_damage, kind_damage])
    elif choice == "list":
        path, change = folder / "run.json", json_damage
    elif choice == "record":
        path, change = folder / "result.json", json_damage
    elif choice == "status":
        path, change = folder / "status.json", json_damage
    elif choice == "level":
        levels = [p for p in files if p.suffix == ".level"]
        path, change = (source.choice(levels), level_damage) if levels else (None, None)
    elif choice == "kind":
        some = [str(p.relative_to(folder)) for p in files]
        path, change = folder / source.choice(FOLLOW + some), kind_damage
    elif choice == "table":
        path, change = (source.choice(tables), source.choice([bytes_damage, kind_damage])) if tables else (None, None)
    elif choice == "layer":
        done = readable(folder / "run.json") and layer_damage(folder, source, sealer)
        return ("layer", done, True) if done else None
    else:
        path, change = (source.choice(files), bytes_damage) if files else (None, None)
    if path and change is not kind_damage and not readable(path):
        return None
    try:
        done = path and change(path, source, canary)
    except (OSError, ValueError, KeyError, IndexError, TypeError, AttributeError, struct.error):
        # Damaged before in another way.
        return None
    if not done:
        return None
    kind = path.suffix in (".level", ".table") or path.name == "run.json"
    run = path.parent.parent / "run.json"
    sealed = sealed and kind and readable(path) and (path.suffix != ".level" or readable(run)) and sealer.seal(path)
    return choice, f"{path.name}: {done}", sealed


STATUS = {"program": "halma 0.1.0", "pid": 1, "started": 0, "updated": 0, "length": 7, "level": 3, "side": "forward", "states": 100, "expanded": 10**24 // 10**6, "successors": 5, "expected": 9, "made": 4}


def bases(binary, root):
    """The runs that are damaged, and their true lengths: (name, folder, length or None)."""
    made = []
    for name, (problem, search, command, kept) in BASES.items():
        place = root / "bases" / name
        place.mkdir(parents=True)
        (place / "job.toml").write_text(f"[problem]\n{problem}[search]\n{search}\n{SEARCH}")
        keep = ["--keep-levels"] if kept else []
        line = [binary, command[0], "job.toml", *command[1:], "-q", "--output-dir", "run", "--cache", "cache", *keep]
        status, out, err, *_ = run(line, place)
        if status not in (0, 20):
            raise SystemExit(f"{name}: status {status}: {out}{err}")
        record = json.loads((place / "run/result.json").read_text())
        (place / "run/status.json").write_text(json.dumps(STATUS))
        made.append((name, place, record["length"]))
    return made


NONE = re.compile(
    r"no (palindromic )?solution( of any length|\.)|can(not be brought|not be solved| never end)(?![^.:]* moves or fewer)|: never solved|"
    r"\"verdict\": \"none\",\s+\"length\"",
    re.IGNORECASE,
)
REFUTED = re.compile(r"no (?:palindromic )?solution of at most (\d+) moves?|in (\d+) moves or fewer", re.IGNORECASE)


def wrong(name, length, text):
    """What the output claims wrongly, if it does."""
    shortest = re.search(r"shortest solution has (\d+) moves?|\"verdict\": \"optimal\"", text)
    if shortest and name not in ("none", "levels"):
        said = shortest[1] or (re.search(r"\"length\": (\d+),\s+\"refuted_up_to\"", text) or [None, None])[1]
        if said is not None and int(said) != length:
            return f"shortest: {said} moves, in truth {length}"
    if name in ("none", "levels"):
        return None
    refuted = max((int(first or second) for first, second in REFUTED.findall(text)), default=-1)
    if refuted >= length:
        return f"no solution of at most {refuted} moves, in truth {length}"
    return "no solution, and there is one" if NONE.search(text) else None


def selftest():
    """False claims as the program words them are seen, true ones are not."""
    false = [
        "The shortest solution has 4 moves: every shorter length is refuted.",
        "There is no solution of any length: no position was left to search from.",
        "There is no solution.",
        "There is no solution of at most 5 moves.",
        "2 men on a1, b1 cannot be brought to e1, f1: no position was left to search from.",
        "2 men on a1, b1 cannot be brought to e1, f1 in 5 moves or fewer.",
        "Not finished: time limit reached. No solution of at most 7 moves exists; longer ones are undecided.",
        '"verdict": "none",\n  "length": null',
    ]
    true = [
        "The shortest solution has 5 moves: every shorter length is refuted.",
        "There is no solution of at most 4 moves.",
        "2 men on a1, b1 cannot be brought to e1, f1 in 4 moves or fewer.",
        "Not finished: time limit reached. No solution of at most 4 moves exists; longer ones are undecided.",
    ]
    for text in false:
        assert wrong("transfer", 5, text), text
    for text in true:
        assert not wrong("transfer", 5, text), text


def main():
    selftest()
    arguments = sys.argv[1:] + ["target/release/halma", "target/debug/examples/reseal", "10000", "1"][len(sys.argv) - 1 :]
    binary, reseal = (str(Path(a).resolve()) for a in arguments[:2])
    times, seed = int(arguments[2]), int(arguments[3])
    source, sealer = random.Random(seed), Sealer(reseal)
    table, failures, believed, slowest, largest, ones = {}, [], [], 0.0, 0, {}
    with tempfile.TemporaryDirectory(prefix="halma-attack-") as root:
        root = Path(root)
        made = bases(binary, root)
        canary = root / "outside"
        shutil.copytree(made[0][1] / "run", canary)
        (canary / "file").write_text("mine\n")
        beside = outside(canary)
        number, stopped = 0, []
        signal.signal(signal.SIGINT, lambda *_: stopped.append(True))
        while number < times and not stopped:
            name, base, length = source.choice(made)
            place = root / "place"
            shutil.copytree(base, place)
            before = {p.name for p in root.iterdir()}
            done = [damage(place, source, sealer, canary) for _ in range(source.choice([1, 1, 1, 2, 3]))]
            done = [d for d in done if d]
            if done:
                number += 1
                kinds = [kind for kind, *_ in done]
                weighed = {c: w for c, (_, w) in COMMANDS.items()}
                if "job" in kinds:
                    weighed = {"describe": 3, "solve": 2, "batch": 1}
                elif "table" in kinds:
                    weighed = {"resume --cache": 1}
                command = source.choices(list(weighed), list(weighed.values()))[0]
                line = COMMANDS[command][0]
                reads = command.split()[0] in ("describe", "status", "check", "report", "replay")
                but = () if reads else ("run", "cache", "runs")
                own = outside(place, but)
                status, out, err, seconds, memory = run([binary, *line], place)
                if stopped:
                    # The command was, too.
                    number -= 1
                    shutil.rmtree(place)
                    break
                slowest, largest = max(slowest, seconds), max(largest, memory)
                faults = []
                if status not in STATUSES or "panicked" in err or status == 101:
                    faults.append(f"status {status}")
                if seconds >= SECONDS:
                    faults.append("no end")
                if memory > BYTES:
                    faults.append(f"{memory >> 20} MiB")
                if beside != outside(canary) or {p.name for p in root.iterdir()} != before:
                    faults.append("wrote outside")
                    beside = outside(canary)
                if own != outside(place, but):
                    faults.append("wrote where it only reads")
                odd = [c for c in out + err if (ord(c) < 32 and c not in "\n\t") or 127 <= ord(c) < 160]
                if odd:
                    faults.append(f"control characters {odd[:3]}")
                lie = status == 0 and wrong(name, length, out)
                seal = any(sealed for *_, sealed in done) and command.startswith(("resume", "solve", "batch"))
                if lie and seal:
                    believed.append((done, command, lie))
                    checked = run([binary, *COMMANDS["check"][0]], place)
                    if checked[0] == 0:
                        faults.append(f"check believes it: {lie}")
                elif lie:
                    faults.append(lie)
                if status == 1:
                    ones[err.strip()[-70:]] = ones.get(err.strip()[-70:], 0) + 1
                row = table.setdefault(command, {})
                row[status] = row.get(status, 0) + 1
                if faults:
                    failures.append((name, done, command, faults, err.strip()[:200]))
                    print(f"{number}: {name}: {done}: {command}: {', '.join(faults)}: {err.strip()[:200]}", file=sys.stderr, flush=True)
            for path in place.rglob("*"):
                if not path.is_symlink() and path.stat().st_mode & 0o700 == 0:
                    path.chmod(0o600)
            shutil.rmtree(place)
            shutil.rmtree(root / "run", ignore_errors=True)
    statuses = sorted({status for row in table.values() for status in row})
    print("# Run folders, records, jobs and tables from strangers\n")
    print(f"`scripts/attack-folders.py`, {number} damages, seed {seed}: how often which command ended with which status.\n")
    print(f"| command | {' | '.join(map(str, statuses))} |")
    print(f"| --- |{' ---: |' * len(statuses)}")
    for command in (c for c in COMMANDS if c in table):
        print(f"| {command} | {' | '.join(str(table[command].get(s, 0)) for s in statuses)} |")
    print(f"\nThe longest took {slowest:.1f} s, the largest {largest >> 20} MiB. Nothing outside was touched unless said below.")
    print(f"{len(believed)} resealed lists made `resume` answer wrongly, and `check` refused what came of them.")
    for text, count in sorted(ones.items(), key=lambda item: -item[1])[:10]:
        print(f"Status 1, {count} times: `{text}`")
    print(f"\n{len(failures)} failures.")
    if sealer.sealed < number // 50:
        print(f"attack-folders: {reseal} made {sealer.sealed} checksums right again in {number} damages: too few", file=sys.stderr)
        return 1
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
