#!/usr/bin/env python3
"""Several processes search as one: their records, lost processes, cut links, refusals, and what it costs.

    cargo build --release --features cluster
    scripts/cluster-test.py equal refusals kills=20 namespaces cuts=10 key=5 efficiency=5 model=3 rent --write results/cluster

Every part runs `halma` as it is used: one command a process, a host file, a folder. `namespaces` and `cuts` put two
processes into network namespaces of their own, joined by a pair of virtual interfaces (root, iproute2). `refusals` wants a build
of any other commit as target/other-source/release/halma, and leaves that row out where there is none.
"""

import argparse
import json
import os
import random
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HALMA = ROOT / "target/release/halma"
MAIN = "configs/transfer-triangle-4-6move.toml"
GAMES = ["configs/table-2/grasshopper.toml", "configs/table-2/chinese-checkers-8move.toml"]
LEVELS = "configs/levels/triangle-4-8move.toml"
# What a run may take: the machine is shared with others.
PATIENCE = 900
# Measure without a key, between loopback addresses: `key` says what it costs.
NO_KEY = False


def free_ports(count):
    """Ports that nobody listens on now."""
    import socket
    sockets = [socket.socket() for _ in range(count)]
    for s in sockets:
        s.bind(("127.0.0.1", 0))
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return ports


def essence(record):
    """A record without what another machine, other threads or more processes may change: times, memory, disk, machine,
    and the bytes that levels take."""
    record = json.loads(json.dumps(record))
    for key in ("machine", "finished", "seconds", "cpu_seconds", "peak_memory_bytes", "disk_bytes_written", "threads"):
        record.pop(key, None)
    for run in record["runs"]:
        run.pop("seconds")
        for level in run["levels"]:
            level.pop("seconds", None)
            level.pop("bytes", None)
    return record


def key(folder):
    """A key of the run's own."""
    file = Path(folder) / "key"
    if not file.exists():
        subprocess.run([str(HALMA), "cluster-key", "-o", str(file)], check=True, stdout=subprocess.DEVNULL)
    return file


class Run:
    """So many processes, each one command."""

    # All that were started.
    all = []

    @classmethod
    def end_all(cls):
        """Ends what is still running, as after a failed assertion."""
        for process in (process for run in cls.all for process in run.processes if process.poll() is None):
            process.kill()
            process.wait()

    def __init__(self, folder, count, args, addresses=None, prefix=lambda process: [], threads=1):
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        addresses = addresses or [f"127.0.0.1:{port}" for port in free_ports(count)]
        hosts = self.folder / f"hosts-{count}.txt"
        hosts.write_text("".join(a + "\n" for a in addresses))
        self.processes = []
        Run.all.append(self)
        for process in range(count):
            # Without a key only loopback addresses are allowed; NO_KEY does without.
            keyed = [] if NO_KEY else ["--key", key(self.folder)]
            command = prefix(process) + [HALMA, *args, *keyed, "--json", "--threads", str(threads), "--hosts", hosts,
                                         "--process", str(process), "--output-dir", self.folder / "run"]
            out, err = (open(self.folder / f"{name}-{process}", "w") for name in ("out", "err"))
            self.processes.append(subprocess.Popen([str(c) for c in command], cwd=ROOT, stdout=out, stderr=err))

    def wait(self, patience=PATIENCE):
        """The exit statuses, and the seconds until the last process ended."""
        begun = time.monotonic()
        statuses = [p.wait(timeout=max(1, patience - (time.monotonic() - begun))) for p in self.processes]
        return statuses, time.monotonic() - begun

    def said(self, process):
        return (self.folder / f"err-{process}").read_text().strip().splitlines()[-1:]

    def record(self):
        """What process 0 printed, which is what it wrote; the others print nothing."""
        for process in range(1, len(self.processes)):
            assert (self.folder / f"out-{process}").read_text() == "", f"process {process} prints"
        printed = json.loads((self.folder / "out-0").read_text())
        assert printed == json.loads((self.folder / "run/result.json").read_text())
        return printed


def alone(folder, args, threads=2):
    out = subprocess.run([str(HALMA), *args, "--json", "--quiet", "--threads", str(threads), "--output-dir",
                          str(Path(folder) / "alone")], cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE)
    assert out.returncode == 0, out.stderr
    return json.loads(out.stdout)


def generated(record):
    """Successors of the levels; bytes sent; and bytes sent for each successor that no bound cut, levels that served to look
    ahead included."""
    made = sum(int(level["generated"]) for run in record["runs"] for level in run["levels"])
    cluster = record["machine"].get("cluster", {"bytes_sent": 0, "successors": 1})
    sent, kept = int(cluster["bytes_sent"]), int(cluster["successors"])
    return made, sent, sent / kept


def name(job):
    return Path(job).stem


def equal(work, rows):
    """1, 2 and 4 processes have the record of a search without any option of a cluster."""
    for job in [MAIN, *GAMES]:
        one = alone(work / name(job), ["solve", job])
        for count in (1, 2, 4):
            run = Run(work / f"{name(job)}-{count}", count, ["solve", job])
            statuses, _ = run.wait()
            record = run.record()
            same = essence(record) == essence(one)
            left = sorted(p.name for p in (run.folder / "run").iterdir())
            assert same and statuses == [0] * count and left == ["result.json", "status.json"][:len(left)], (job, count, statuses, left)
            made, sent, each = generated(record)
            rows.append([name(job), count, f"{record['verdict']}, {record['length']} moves", "identical", f"{made:,}",
                         f"{sent:,}", f"{sent / made:.2f}", f"{each:.2f}"])
            print(*rows[-1], flush=True)


def lost(work, rows, rounds, harm, addresses=None, prefix=lambda process: [], count=2):
    """At random moments one process or the link goes; the rest ends with 3 in time, and the next start goes on."""
    jobs = {"levels": ["levels", LEVELS, "--depth", "6"], "game": ["solve", GAMES[1]]}
    ones = {job: essence(alone(work / f"{job}-one", args)) for job, args in jobs.items()}
    times = {}
    for job, args in jobs.items():
        run = Run(work / f"{job}-whole", count, args, addresses, prefix)
        begun = time.monotonic()
        assert set(run.wait()[0]) == {0}
        times[job] = time.monotonic() - begun
    random.seed(9)
    done, slowest, hits = 0, 0.0, 0
    while done < rounds:
        job = list(jobs)[done % len(jobs)]
        folder = work / f"{job}-{done}"
        shutil.rmtree(folder, ignore_errors=True)
        run = Run(folder, count, jobs[job], addresses, prefix)
        moment = random.uniform(0.1, 0.95) * times[job]
        time.sleep(moment)
        if any(p.poll() is not None for p in run.processes):
            run.wait()
            continue  # It was quicker this time: no moment of the search.
        begun, victim = time.monotonic(), random.randrange(count)
        harm(run, victim)
        statuses, _ = run.wait(120)
        seconds = time.monotonic() - begun
        harm(None, victim)
        survivors = [s for s in statuses if s >= 0]
        if 0 in survivors:
            continue  # The answer was written already.
        slowest = max(slowest, seconds)
        assert survivors and set(survivors) == {3} and seconds < 60, (statuses, seconds, run.said(0), run.said(1))
        written = folder / "run/result.json"
        assert not written.exists() or json.loads(written.read_text())["verdict"] == "incomplete"
        # With the same number of processes, or with another.
        again = count if done % 4 < 2 or addresses else 5 - count
        run = Run(folder, again, jobs[job], addresses, prefix)
        statuses, _ = run.wait()
        assert statuses == [0] * again, (statuses, run.said(0), run.said(1))
        assert essence(run.record()) == ones[job], (job, done)
        done += 1
        print(f"{done}: {job} harmed after {moment:.1f} s of {times[job]:.1f} s, ended in {seconds:.1f} s, resumed by {again}", flush=True)
        shutil.rmtree(folder, ignore_errors=True)
    rows.append([rounds, "exit 3 from all that were left, the same record after going on, every time", f"{slowest:.1f} s"])


def kills(work, rows, rounds):
    def harm(run, victim):
        if run:
            run.processes[victim].send_signal(signal.SIGKILL)
    lost(work, rows, rounds, harm)


class Namespaces:
    """Two hosts: network namespaces, joined by a link of their own."""

    names = ("halma-a", "halma-b")
    addresses = ["10.77.0.1:7401", "10.77.0.2:7401"]

    def ip(self, *args):
        subprocess.run(["ip", *args], check=True)

    def __enter__(self):
        a, b = self.names
        self.remove()
        try:
            for space in self.names:
                self.ip("netns", "add", space)
            self.ip("link", "add", "halma0", "netns", a, "type", "veth", "peer", "name", "halma0", "netns", b)
            for space, address in zip(self.names, ("10.77.0.1/24", "10.77.0.2/24")):
                self.ip("-n", space, "addr", "add", address, "dev", "halma0")
                self.ip("-n", space, "link", "set", "halma0", "up")
                self.ip("-n", space, "link", "set", "lo", "up")
        except BaseException:
            self.remove()
            raise
        return self

    def __exit__(self, *_):
        self.remove()

    def remove(self):
        for space in self.names:
            subprocess.run(["ip", "netns", "del", space], capture_output=True)

    def prefix(self, process):
        return ["ip", "netns", "exec", self.names[process]]

    def cut(self, run, _):
        self.ip("-n", self.names[1], "link", "set", "halma0", "down" if run else "up")


def namespaces(work, rows):
    with Namespaces() as spaces:
        for job in [MAIN, GAMES[0]]:
            one = alone(work / name(job), ["solve", job])
            run = Run(work / f"{name(job)}-hosts", 2, ["solve", job], spaces.addresses, spaces.prefix)
            time.sleep(0.5)
            listening = [subprocess.run([*spaces.prefix(p), "ss", "-Hltn"], capture_output=True, text=True) for p in (0, 1)]
            local = [line.split()[3] for out in listening for line in out.stdout.splitlines()]
            assert set(local) <= set(spaces.addresses), local
            statuses, _ = run.wait()
            assert statuses == [0, 0] and essence(run.record()) == essence(one), statuses
            rows.append([name(job), "two hosts in network namespaces", "identical"])
            print(*rows[-1], flush=True)


def cuts(work, rows, rounds):
    with Namespaces() as spaces:
        lost(work, rows, rounds, spaces.cut, spaces.addresses, spaces.prefix)


def refusals(work, rows):
    """A process of another job, rank or version, or none at all: an end with the reason."""
    def both(label, first, second, status, words):
        addresses = [f"127.0.0.1:{port}" for port in free_ports(2)]
        hosts = work / "hosts.txt"
        work.mkdir(parents=True, exist_ok=True)
        hosts.write_text("\n".join(addresses))
        common = ["--hosts", hosts, "--key", key(work), "--wait", "3s", "--quiet", "--output-dir", work / "run"]
        ends = [subprocess.Popen([str(c) for c in [*command, *common]], cwd=ROOT, stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, text=True) for command in (first, second) if command]
        said = [(*end.communicate(timeout=60), end.returncode) for end in ends]
        assert all(code == status and words in err and not out for out, err, code in said), (label, said)
        rows.append([label, status, said[0][1].strip()])
        print(*rows[-1], flush=True)

    solve = [HALMA, "solve", MAIN]
    both("another job", [*solve, "--process", "0"], [HALMA, "solve", GAMES[0], "--process", "1"], 2, "its job is")
    both("another pruning", [*solve, "--process", "0"], [*solve, "--pruning", "pattern", "--process", "1"], 2, "its job is")
    both("a number that there is not", [*solve, "--process", "2"], None, 2, "allowed are 0 to 1")
    both("nobody", [*solve, "--process", "0"], None, 3, "after 3 s there is no connection with process 1")
    other = ROOT / "target/other-source/release/halma"
    if other.exists():
        both("another version", [*solve, "--process", "0"], [other, "solve", MAIN, "--process", "1"], 2, "source")


def key_costs(work, rows, turns=5, depth=7):
    """Two processes with a key and without, in turns: processor time, which a busy machine changes least; medians. Frames are
    hashed either way, under a key that all know where there is none: what that takes is the share of samples in BLAKE3."""
    global NO_KEY
    given = NO_KEY
    for args in (["levels", LEVELS, "--depth", str(depth)], ["solve", MAIN], ["solve", GAMES[0]]):
        cpu, sent = {True: [], False: []}, 0
        for turn in range(turns):
            for NO_KEY in (False, True) if turn % 2 else (True, False):
                run = Run(work / "run", 2, args)
                assert set(run.wait()[0]) == {0}
                record = run.record()
                cpu[NO_KEY].append(record["cpu_seconds"])
                sent = int(record["machine"]["cluster"]["bytes_sent"])
                shutil.rmtree(work / "run")
        pairs = [one / other for one, other in zip(cpu[False], cpu[True])]
        NO_KEY, share = False, "no perf here"
        if shutil.which("perf"):
            samples = [work / f"samples-{process}" for process in (0, 1)]
            record = lambda process: ["perf", "record", "-q", "-e", "cpu-clock", "-F", "999", "-o", samples[process]]
            assert set(Run(work / "run", 2, args, prefix=record).wait()[0]) == {0}
            shutil.rmtree(work / "run")
            shares = []
            for file in samples:
                said = subprocess.run(["perf", "report", "-q", "--stdio", "--no-children", "-F", "overhead,sym", "-i", str(file)],
                                      capture_output=True, text=True, check=True).stdout.splitlines()
                # A symbol by whoever it is called by is a line of its own.
                shares.append(sum(float(line.split("%")[0]) for line in said if "blake3" in line))
            share = f"{statistics.mean(shares):.1f} %"
        rows.append([" ".join([args[0], name(args[1]), *args[2:]]), f"{sent / 1e6:.1f}", f"{statistics.median(cpu[True]):.2f}",
                     f"{statistics.median(cpu[False]):.2f}", f"{statistics.median(pairs):.2f}", share])
        print(*rows[-1], cpu, flush=True)
    NO_KEY = given


def efficiency(work, rows, turns=5, depth=7):
    """Two processes with a thread each against one with two threads; alternating, medians."""
    for args in (["levels", LEVELS, "--depth", str(depth)], ["solve", GAMES[0]], ["solve", MAIN]):
        clock, cpu = ({"one": [], "two": []} for _ in range(2))
        for turn in range(turns):
            one = alone(work / f"one-{turn}", args)
            run = Run(work / f"two-{turn}", 2, args)
            assert set(run.wait()[0]) == {0}
            two = run.record()
            for key, record in (("one", one), ("two", two)):
                clock[key].append(record["seconds"])
                cpu[key].append(record["cpu_seconds"])
            for folder in work.iterdir():
                shutil.rmtree(folder, ignore_errors=True)
        one, two, one_cpu, two_cpu = (statistics.median(of[key]) for of in (clock, cpu) for key in ("one", "two"))
        made, sent, each = generated(record)
        rows.append([" ".join([args[0], name(args[1]), *args[2:]]), f"{one:.1f}", f"{two:.1f}", f"{one / two:.2f}",
                     f"{one_cpu:.1f}", f"{two_cpu:.1f}", f"{one_cpu / two_cpu:.2f}", f"{sent / made:.2f}", f"{each:.2f}"])
        print(*rows[-1], clock, cpu, flush=True)


def model(work, rows, turns=3, depth=7):
    """The model of docs/guide/cluster.md at 1, 2 and 4 processes with a thread each.

    What a state is sent how often: of d successors that lead to it, so many are made in different processes that
    p * (1 - (1 - 1/p)^d) processes have it once their own duplicates are gone, and all but 1/p of these send it.
    b, the bytes it takes, and x, the processor time it takes to send and to take in, come from 2 processes; 4 check them.
    """
    runs = {}
    for count in (1, 2, 4):
        cpu = []
        for turn in range(turns):
            run = Run(work / f"model-{count}-{turn}", count, ["levels", LEVELS, "--depth", str(depth)])
            assert set(run.wait()[0]) == {0}
            cpu.append(run.record()["cpu_seconds"])
        runs[count] = (run.record(), statistics.median(cpu))
    levels = [level for run in runs[1][0]["runs"] for level in run["levels"]]
    total = lambda key: sum(int(level[key]) for level in levels)
    states, made, kept = total("states"), total("generated"), total("generated") - total("pruned")
    met = states + total("old")
    d = kept / met
    times = lambda p: (p - 1) * (1 - (1 - 1 / p) ** d)
    sent = {p: int(record["machine"].get("cluster", {}).get("bytes_sent", 0)) for p, (record, _) in runs.items()}
    b = sent[2] / (met * times(2))
    x = max(0.0, (runs[2][1] - runs[1][1]) / (met * times(2)))
    for p, (record, cpu) in runs.items():
        memory = int(record["peak_memory_bytes"]) / p / 2**20
        rows.append([p, f"{met * times(p) / 1e6:.1f}", f"{sent[p] / 1e6:.1f}", f"{b * met * times(p) / 1e6:.1f}",
                     f"{cpu:.1f}", f"{runs[1][1] + x * met * times(p):.1f}", f"{memory:.0f}"])
        print(*rows[-1], flush=True)
    rate = made / runs[1][1]
    size = max(int(level["bytes"]) for level in levels) / max(int(level["states"]) for level in levels)
    facts = {"successors": made, "states": states, "successors_a_state": made / states, "distinct_a_state": met / states,
             "d": d, "successors_a_second_of_a_core": rate, "bytes_a_state": size, "b": b, "x": x}
    (work.parent / "halma-model.json").write_text(json.dumps(facts))
    print(json.dumps(facts, indent=1))


def rent(work, rows):
    """What a job needs whose largest level has so many states and all levels together half as many again, by the model."""
    f = json.loads((work.parent / "halma-model.json").read_text())
    cores = 32
    for largest, hosts in ((1e9, 1), (1e10, 1), (1e10, 4), (1e11, 4), (1e11, 16)):
        states = 1.5 * largest
        met = states * f["distinct_a_state"]
        sent = met * (hosts - 1) * (1 - (1 - 1 / hosts) ** f["d"])
        cpu = states * f["successors_a_state"] / f["successors_a_second_of_a_core"] + f["x"] * sent
        hours = cpu / (hosts * cores) / 3600
        # The level before, the level, and its successors on the way: those of this process's states, and those it owns.
        disk = largest * (f["bytes_a_state"] + 1) * (2 + f["distinct_a_state"]) / hosts
        wire = f["b"] * sent / hosts
        rows.append([f"10^{len(str(int(largest))) - 1}", hosts, f"{states * f['successors_a_state']:.1e}", f"{hours:.2f}",
                     f"{disk / 1e9:,.0f}", f"{wire / 1e9:,.0f}", f"{8 * wire / 1e9 / (hours * 3600):.2f}"])
        print(*rows[-1], flush=True)


HEAD = """\
# Several processes

Made by `scripts/cluster-test.py` (built with `--features cluster`) on the two cores of a virtual machine, an AMD EPYC: times on
the clock are medians of alternating runs, on a machine otherwise idle for the last three parts, and rough; what the key costs is
processor time, on a machine that others use. A record is *identical* when it equals that of
a search by itself in everything but times, memory, disk, threads, machine and the bytes that levels take.

    scripts/cluster-test.py equal refusals kills=20 namespaces cuts=10 key=5 efficiency=5 model=3 rent --write results/cluster
"""
HEADS = {
    "equal": ["job", "processes", "answer", "record", "successors", "bytes sent", "bytes a successor", "bytes a successor not pruned"],
    "refusals": ["second process", "exit", "the first one says"],
    "kills": ["kills", "what came of them", "slowest end"],
    "namespaces": ["job", "where", "record"],
    "cuts": ["cuts of the link", "what came of them", "slowest end"],
    "key": ["job, 2 processes on loopback", "MB sent", "CPU s without a key", "CPU s with a key", "with / without, pair by pair", "of all CPU time, hashing"],
    "efficiency": ["job", "1 process, 2 threads: s", "2 processes, 1 thread each: s", "efficiency", "CPU s, 1 process", "CPU s, 2 processes", "efficiency in CPU time", "bytes a successor", "bytes a successor not pruned"],
    "model": ["processes", "million states sent, by the model", "MB sent", "MB by the model", "CPU s", "CPU s by the model", "MiB a process"],
    "rent": ["largest level, states", "hosts of 32 cores", "successors", "hours", "GB of disk a host", "GB sent a host", "Gbit/s a host"],
}
TITLES = {
    "equal": "Records",
    "refusals": "Refused",
    "kills": "Killed processes",
    "namespaces": "Two hosts",
    "cuts": "Cut links",
    "key": "What the key costs",
    "efficiency": "Efficiency",
    "model": "The model",
    "rent": "What to rent, by the model",
}


def main():
    global HALMA, NO_KEY
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="+", help="|".join(HEADS) + ", kills, cuts, key, efficiency and model with =ROUNDS")
    parser.add_argument("--halma", type=Path, default=HALMA)
    parser.add_argument("--no-key", action="store_true", help="without a key, on loopback")
    parser.add_argument("--write", type=Path, help="a folder for tables, one file a part")
    options = parser.parse_args()
    HALMA, NO_KEY = options.halma.resolve(), options.no_key
    for part in options.parts:
        part, _, rounds = part.partition("=")
        work = Path(tempfile.mkdtemp(prefix=f"halma-{part}-"))
        rows = []
        try:
            {"key": key_costs}.get(part, globals()[part])(work, rows, *([int(rounds)] if rounds else []))
        finally:
            Run.end_all()
            shutil.rmtree(work, ignore_errors=True)
        lines = [HEADS[part], ["---"] * len(HEADS[part]), *rows]
        table = "".join("| " + " | ".join(str(c).replace("|", "\\|") for c in line) + " |\n" for line in lines)
        print(table)
        if options.write:
            write(options.write / "README.md", part, table)


def write(page, part, table):
    """Puts the part's table into its place on the page."""
    page.parent.mkdir(parents=True, exist_ok=True)
    text = page.read_text() if page.exists() else ""
    there = dict(section.split("\n", 1) for section in text.split("\n## ")[1:])
    there[TITLES[part]] = "\n" + table
    page.write_text(HEAD + "".join(f"\n## {t}\n{there[t].rstrip()}\n" for t in TITLES.values() if t in there))


if __name__ == "__main__":
    main()
