#!/usr/bin/env python3
"""Attacks on a search in several processes: who calls, who is admitted and lies, who stands between, who falls silent.

    cargo build --features cluster
    scripts/cluster-attacks.py [--short] [--halma target/debug/halma] [--write results/cluster/attacks.md]

Each attack has a name, an expectation and a row. Nothing leaves this machine: all addresses are 127.0.0.1; for who stands
between, the second process runs in a network namespace of its own, joined by a file (Unix socket), and these rows are left
out where the system gives none. No attack opens more than 500 connections or lasts more than 20 s.

The protocol is written here again, BLAKE3 included, from the descriptions in crates/halma-cluster/src/frame.rs and handshake.rs.
"""

import argparse
import json
import os
import resource
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache, partial
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
JOB = """[problem]
kind = "transfer"
board = "9x9"
moves = 6
army = "triangle-3"
[limits]
threads = 1
memory = "64 MiB"
"""
# The most memory that any process may have taken: what a claimed length of gigabytes would exceed by far.
MOST_MEMORY = 400 << 20
MASK = 0xFFFFFFFF
IV = [0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A, 0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19]
ORDER = [2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8]


def compress(cv, block, counter, length, flags):
    v = [*cv, *IV[:4], counter & MASK, counter >> 32, length, flags]
    m = list(struct.unpack("<16I", block.ljust(64, b"\0")))

    def g(a, b, c, d, x, y):
        for word, left, right in ((x, 16, 12), (y, 8, 7)):
            v[a] = (v[a] + v[b] + word) & MASK
            t = v[d] ^ v[a]
            v[d] = (t >> left | t << 32 - left) & MASK
            v[c] = (v[c] + v[d]) & MASK
            t = v[b] ^ v[c]
            v[b] = (t >> right | t << 32 - right) & MASK

    for turn in range(7):
        for i in range(4):
            g(i, 4 + i, 8 + i, 12 + i, m[2 * i], m[2 * i + 1])
        for i in range(4):
            g(i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4, m[8 + 2 * i], m[9 + 2 * i])
        m = [m[i] for i in ORDER]
    return [v[i] ^ v[i + 8] for i in range(8)]


def hash_tree(data, first, root, key, mode):
    """The words of a part of BLAKE3's tree, which begins with chunk number `first`."""
    if len(data) <= 1024:
        cv = key
        blocks = [data[i:i + 64] for i in range(0, len(data), 64)] or [b""]
        for i, block in enumerate(blocks):
            flags = mode | (1 if i == 0 else 0) | (2 | (8 if root else 0) if i == len(blocks) - 1 else 0)
            cv = compress(cv, block, first, len(block), flags)
        return cv
    half = 1 << ((len(data) - 1) // 1024).bit_length() - 1
    words = hash_left(data[:half << 10], first, key, mode) + hash_tree(data[half << 10:], first + half, False, key, mode)
    return compress(key, struct.pack("<16I", *words), 0, 64, mode | 4 | (8 if root else 0))


@lru_cache(64)
def hash_left(data, first, key, mode):
    """The same, kept: whoever floods sends the same content again and again, of which only the end is hashed anew."""
    return hash_tree(data, first, False, key, mode)


def blake3(data, key=IV, mode=0):
    """The 32 bytes of BLAKE3, keyed by words where `mode` says so."""
    return struct.pack("<8I", *hash_tree(data, 0, True, tuple(key), mode))


def keyed(key, data):
    return blake3(data, struct.unpack("<8I", key), 16)


def derive_key(context, material):
    return blake3(material, struct.unpack("<8I", blake3(context, mode=32)), 64)


assert blake3(b"").hex() == "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262"
NO_KEY = derive_key(b"halma 2026 cluster without a key", b"")


def hello(caller=1, called=0, nonce=b"\5" * 32, version=3, magic=b"HALMANET"):
    return magic + struct.pack("<3I", version, caller, called) + nonce


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Process:
    """One halma, its messages in files."""

    def __init__(self, work, number, args, prefix=()):
        self.err = work / f"err-{number}-{time.monotonic_ns()}"
        with open(self.err, "w") as err:
            command = [*prefix, str(HALMA), *args]
            self.popen = subprocess.Popen(command, cwd=work, stdout=subprocess.DEVNULL, stderr=err, start_new_session=True)

    def end(self, patience=40):
        until = time.monotonic() + patience
        while time.monotonic() < until:
            pid, status, usage = os.wait4(self.popen.pid, os.WNOHANG)
            if pid:
                self.popen.returncode = os.waitstatus_to_exitcode(status)
                self.memory = usage.ru_maxrss << 10
                return self.popen.returncode
            time.sleep(0.01)
        os.killpg(self.popen.pid, signal.SIGKILL)
        self.popen.wait()
        self.memory = 0
        return "no end"

    def alive(self):
        return self.popen.poll() is None

    def said(self):
        return self.err.read_text(errors="replace")


class Run:
    """A folder with a job, a key and a host file; processes started as users start them."""

    def __init__(self, processes=2, key=True, wait=6, peer_timeout="2s"):
        self.work = Path(tempfile.mkdtemp(prefix="halma-attack-", dir=WORK))
        (self.work / "job.toml").write_text(JOB)
        self.ports = [free_port() for _ in range(processes)]
        (self.work / "hosts").write_text("".join(f"127.0.0.1:{port}\n" for port in self.ports))
        self.key = NO_KEY
        self.args = ["solve", "job.toml", "--quiet", "--hosts", "hosts", "--output-dir", "run"]
        self.limits = ["--wait", f"{wait}s", "--peer-timeout", peer_timeout]
        if key:
            if isinstance(key, Path):
                shutil.copy(key, self.work / "key")
            else:
                subprocess.run([HALMA, "cluster-key", "-o", "key"], cwd=self.work, check=True, stdout=subprocess.DEVNULL)
            self.key = bytes.fromhex((self.work / "key").read_text())
            self.args += ["--key", "key"]
        self.started = []

    def start(self, number, more=(), prefix=()):
        self.started.append(Process(self.work, number, [*self.args, *self.limits, "--process", str(number), *more], prefix))
        return self.started[-1]

    def dial(self, process=0):
        for _ in range(400):
            try:
                s = socket.create_connection(("127.0.0.1", self.ports[process]), timeout=15)
                return s
            except ConnectionRefusedError:
                time.sleep(0.02)
        raise AssertionError("nobody listens")

    def check(self, wanted, words=""):
        """The statuses that are left; no panic, no memory beyond the bound, no wrong answer."""
        statuses = [p.end() for p in self.started]
        said = "\n".join(p.said() for p in self.started)
        assert statuses == wanted or callable(wanted) and wanted(statuses), (statuses, said)
        assert "panick" not in said and "\x1b" not in said and words in said, said
        assert all(p.memory < MOST_MEMORY for p in self.started), [p.memory for p in self.started]
        record = self.work / "run/result.json"
        answered = 0 in statuses
        verdict = json.loads(record.read_text()) if record.exists() else None
        assert not answered or (verdict["verdict"], verdict["length"]) == ANSWER, verdict
        assert answered or verdict is None or verdict["verdict"] == "incomplete", verdict
        shown = ", ".join(str(s) for s in statuses)
        return shown, max(p.memory for p in self.started) >> 20

    def stop(self):
        for process in self.started:
            if process.alive():
                os.killpg(process.popen.pid, signal.SIGKILL)
                process.popen.wait()


def read_exactly(s, length):
    data = b""
    while len(data) < length:
        more = s.recv(length - len(data))
        if not more:
            raise EOFError(f"closed after {len(data)} bytes")
        data += more
    return data


def read_all(s):
    """What still comes until the other side closes."""
    data = b""
    try:
        while more := s.recv(65536):
            data += more
    except ConnectionError:
        pass
    return data


class Forger:
    """A process as an attacker writes it, who has the key of the run (or there is none)."""

    def __init__(self, run, caller=1):
        self.s = run.dial()
        self.hello = hello(caller)
        self.s.sendall(self.hello)
        answer = read_exactly(self.s, 52)
        both = keyed(run.key, self.hello + answer)
        self.proof = keyed(both, b"proof of the caller")
        self.s.sendall(self.proof)
        assert read_exactly(self.s, 32) == keyed(both, b"proof of the called side"), "it does not prove itself"
        self.key, self.theirs = keyed(both, b"frames of the caller"), keyed(both, b"frames of the called side")
        self.number = self.heard = 0
        self.sent = self.hello + self.proof

    def hear(self):
        head = read_exactly(self.s, 8)
        content = read_exactly(self.s, struct.unpack("<I", head[:4])[0])
        assert read_exactly(self.s, 32) == keyed(self.theirs, content + head + struct.pack("<Q", self.heard))
        self.heard += 1
        return content

    def frame(self, kind, content=b"", length=None, number=None, pad=b"\0\0\0"):
        head = struct.pack("<IB", len(content) if length is None else length, kind) + pad
        number = self.number if number is None else number
        self.number += 1
        return head + content + keyed(self.key, content + head + struct.pack("<Q", number))

    def send(self, data):
        self.sent += data
        try:
            self.s.sendall(data)
        except ConnectionError:
            pass

    def greet(self, **changes):
        mine = {**json.loads(self.hear()), "from": 1, "to": 0, **changes}
        self.send(self.frame(3, json.dumps(mine).encode()))
        self.send(self.frame(3, b"null"))
        return self.hear()

    def admitted(self):
        assert self.greet() == b"null", "not admitted"
        return self


def message(channel=1, source=1, lower=0, upper=1, length=8, content=b"", number=0):
    return struct.pack(">6Q", channel, source, lower, upper, length, number) + content


def everywhere(content):
    """A message on each of timely's channels: which of them carries packets is its own business."""
    return b"".join(message(channel=c, length=len(content), content=content) for c in range(12))


def packet(to=0, source=1, kind=1, length=0, content=b""):
    return struct.pack("<QQQIIII", 1, 0, 0, to, source, kind, length) + content


def flood(f, round, seconds=18):
    """Parts of a message that never ends, for so long as they are taken: a frame each, as large as frames are."""
    data = b""
    while len(data) < 48:
        data += f.hear()
    # What comes first is a packet, on the channel of packets.
    channel, length = struct.unpack(">6Q", data[:48])[0], 65536 - 48 - 40
    part = struct.pack("<3Q4I", 1, 0, round, 0, 1, 0, length) + bytes(length)
    part = message(channel=channel, length=len(part), content=part)
    f.s.settimeout(5)
    begun, f.flooded = time.monotonic(), 0
    try:
        while time.monotonic() - begun < seconds:
            f.s.sendall(f.frame(0, part))
            f.flooded += len(part)
    except OSError:
        pass


# Attacks by strangers: what they do with a connection; the process hears them while it waits for its true peer.

def strangers(run):
    key_of_another = os.urandom(32)

    def proof(secret, label=b"proof of the caller"):
        def attack(s):
            h = hello()
            s.sendall(h)
            s.sendall(keyed(keyed(secret, h + read_exactly(s, 52)), label))
        return attack

    def after_hello(make):
        def attack(s):
            s.sendall(hello())
            s.sendall(make(read_exactly(s, 52)))
        return attack

    def reset(s):
        s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        s.close()

    def drip(data):
        def attack(s):
            begun = time.monotonic()
            try:
                while time.monotonic() - begun < 18:
                    s.sendall(data)
                    time.sleep(0.5)
            except ConnectionError:
                return
            raise AssertionError("a drip is heard for 18 s")
        return attack

    recorded = Forger(run_of_recording)
    recorded.admitted()
    says = lambda data: lambda s: s.sendall(data)
    many = lambda data, count: lambda _: [d.sendall(data) or d for d in (run.dial() for _ in range(count))]
    return {
        "connects and closes": lambda s: s.close(),
        "connects and resets": reset,
        "an HTTP request": says(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"),
        "a TLS hello": says(bytes.fromhex("16030100c8010000c40303") + bytes(200)),
        "4 KB of noise": says(os.urandom(4096)),
        "1 MB of noise": says(os.urandom(1 << 20)),
        "4 KB of zeros": says(bytes(4096)),
        "the greeting of version 1": says(b"HALMANET\x02\0\0\0{}"),
        "a greeting of version 1 that claims 4.2 GB": says(b"HALMANET\xff\xff\xff\xff" + bytes(64)),
        "a hello of version 4": says(hello(version=4)),
        "a hello with another magic number": says(hello(magic=b"HALMANEX")),
        "half a hello, then the end": lambda s: (s.sendall(hello()[:30]), s.shutdown(socket.SHUT_WR)),
        "a hello and no proof, then the end": lambda s: (s.sendall(hello()), s.shutdown(socket.SHUT_WR)),
        "a hello as process 0 itself": says(hello(caller=0) + bytes(32)),
        "a hello as process 4294967295": says(hello(caller=MASK) + bytes(32)),
        "a hello for process 1": says(hello(called=1) + bytes(32)),
        "a hello twice": says(hello() * 2),
        "a hello out of band": lambda s: s.send(hello() + bytes(32), socket.MSG_OOB),
        "a proof of zeros": after_hello(lambda _: bytes(32)),
        "a random proof": after_hello(lambda _: os.urandom(32)),
        "the answer's random number as proof": after_hello(lambda answer: answer[20:]),
        "half a proof": lambda s: (after_hello(lambda _: bytes(16))(s), s.shutdown(socket.SHUT_WR)),
        "a proof by another key": proof(key_of_another),
        "a proof by no key": proof(NO_KEY),
        "a proof by the right key, but as the called side": proof(run.key, b"proof of the called side"),
        "a true handshake of another run of this key, played back": says(recorded.hello + recorded.proof),
        "a true handshake and greeting, played back": says(recorded.sent),
        "100 silent connections": many(b"", 100),
        "200 hellos without proof": many(hello(), 200),
        "500 connections that close": lambda _: [run.dial().close() for _ in range(500)],
        "says nothing": None,
        "a drip of a byte each half second": drip(b"H"),
        "a hello, then a drip": lambda s: (s.sendall(hello()), drip(b"\0")(s)),
        "64 drips at a time": lambda _: join([threading.Thread(target=lambda: drip(b"H")(run.dial())) for _ in range(64)]),
    }


def join(threads):
    [t.start() for t in threads]
    [t.join() for t in threads]


def group_strangers():
    """All of them on one process, some at the same time; then its peer comes, and the run answers."""
    global run_of_recording
    for key in (True, False):
        if not key and SHORT:
            return
        run = Run(key=key, wait=90)
        run_of_recording = Run(key=run.work / "key" if key else False, wait=30)
        run_of_recording.start(0)
        first = run.start(0)
        rows, slow = [], []

        def attack(name, do):
            try:
                s = run.dial()
                s.settimeout(18)
                try:
                    if do:
                        do(s)
                except (ConnectionError, EOFError):
                    pass
                heard = b"" if s.fileno() < 0 else read_all(s)
                # A hello and a random number are all that anybody hears; the rest was read above.
                assert heard in (b"",) or heard[:8] == b"HALMANET" and len(heard) == 52, heard
                assert first.alive(), first.said()
                s.close()
                rows.append([name, "closed; the run goes on"])
            except Exception as e:
                rows.append([name, f"FAILED: {e!r}"])

        all_of_them = strangers(run)
        if not key:
            # Whoever follows the protocol needs no key on this machine.
            all_of_them = {n: d for n, d in all_of_them.items() if "proof by" not in n and "played" not in n and "drip" not in n}
        for name, do in all_of_them.items():
            if any(word in name for word in ("drip", "nothing", "silent", "without proof")):
                slow.append(threading.Thread(target=attack, args=(name, do)))
            else:
                attack(name, do)
        join(slow)
        run.start(1)
        try:
            shown, memory = run.check([0, 0])
        except AssertionError as e:
            shown, memory = f"FAILED: {e}", ""
        run_of_recording.stop()
        run.stop()
        for name, came in rows:
            yield "a stranger" if key else "a stranger, no key", name, came, shown, memory


def group_admitted():
    """Who has the key, or is on the machine of a run without one, and lies."""
    def case(name, do, wanted, words="", key=True, peer=False, timeout="2s"):
        run = Run(key=key, wait=20, peer_timeout=timeout)
        try:
            run.start(0)
            # Kept until the end: a connection closes with its object.
            forger = Forger(run)
            do(forger)
            if peer:
                run.start(1)
            shown, memory = run.check(wanted, words)
        except Exception as e:
            shown, memory = f"FAILED: {e!r}", ""
        run.stop()
        return "an admitted process" if key else "an admitted process, no key", name, "its connection or the run ends", shown, memory

    changes = {"version": {"program": "halma 9.9.9"}, "source": {"source": "0"}, "features of the build": {"target": "x86_64 avx10"},
               "problem": {"job": "solve"}, "host file": {"hosts": ""}, "number of processes": {"processes": 3},
               "peer timeout": {"peer_timeout": "1h"}, "number of its own": {"from": 0}, "number of the other": {"to": 1}}
    for what, change in list(changes.items())[::3 if SHORT else 1]:
        yield partial(case, f"another {what}", lambda f, change=change: f.greet(**change), [2], "process 1 is not of this run")
    for what in list(changes)[:1 if SHORT else 9]:
        yield partial(case, f"another {what}", lambda f, what=what: f.greet(**changes[what]), [0, 0], "not of this run", key=False, peer=True)

    talk = {
        "a greeting that is no JSON": lambda f: f.send(f.frame(3, b"\xff{")),
        "a greeting of 64 KiB": lambda f: f.send(f.frame(3, b"[" * 65536)),
        "a greeting that claims 4.2 GB": lambda f: f.send(f.frame(3, b"", length=4_200_000_000)),
        "data instead of a greeting": lambda f: f.send(f.frame(0, bytes(48))),
        "a greeting with a bit flipped": lambda f: f.send(b"\1" + f.frame(3, b"{}")[1:]),
        "an empty greeting": lambda f: f.send(f.frame(3, b"{}")),
        "no greeting": lambda f: f.s.close(),
    }
    for what, do in list(talk.items())[::3 if SHORT else 1]:
        yield partial(case, what, do, [0, 0], peer=True)

    wrong = {
        "noise": lambda f: f.send(os.urandom(500)),
        "a frame header that claims 4.2 GB": lambda f: f.send(f.frame(0, b"", length=4_200_000_000)),
        "a frame of 65,537 bytes": lambda f: f.send(f.frame(0, bytes(65537))),
        "a bit flipped in the length, then silence": lambda f: f.send(flip(f.frame(0, message(length=64, content=bytes(64))), 0)),
        "a bit flipped in the kind": lambda f: f.send(flip(f.frame(1), 4)),
        "a bit flipped in the content": lambda f: f.send(flip(f.frame(0, message(length=64, content=bytes(64))), 60)),
        "a bit flipped in the hash": lambda f: f.send(flip(f.frame(1), 20)),
        "a frame again": lambda f: f.send(f.frame(1) + f.frame(1, number=f.number - 1)),
        "a frame left out": lambda f: f.send(f.frame(1, number=f.number + 1)),
        "two frames exchanged": lambda f: f.send(f.frame(1, number=f.number + 1) + f.frame(1, number=f.number - 1)),
        "its own frames handed back": lambda f: f.send(handed_back(f)),
        "a frame of kind 9": lambda f: f.send(f.frame(9)),
        "a frame with something in its zeros": lambda f: f.send(f.frame(1, pad=b"\0\1\0")),
        "a greeting out of turn": lambda f: f.send(f.frame(3, b"{}")),
        "an end before the end": lambda f: f.send(f.frame(2)),
        "a farewell of timely's, then an end": lambda f: f.send(f.frame(0, bytes(48)) + f.frame(2)),
        "data after timely's farewell": lambda f: f.send(f.frame(0, bytes(96))),
        "a message that claims 4.2 GB": lambda f: f.send(f.frame(0, message(length=4_200_000_000))),
        "a message whose length wraps": lambda f: f.send(f.frame(0, message(length=2**64 - 8))),
        "a message for a channel that there is not": lambda f: f.send(f.frame(0, message(channel=2**40))),
        "a message of another process": lambda f: f.send(f.frame(0, message(source=0))),
        "a message for processes that there are not": lambda f: f.send(f.frame(0, message(upper=9))),
        "an empty message": lambda f: f.send(f.frame(0, message(length=0))),
        "a packet that is too short": lambda f: f.send(f.frame(0, everywhere(bytes(8)))),
        "a packet that claims a gigabyte": lambda f: f.send(f.frame(0, everywhere(packet(length=1 << 30)))),
        "a packet longer than its message": lambda f: f.send(f.frame(0, everywhere(packet(length=9)))),
        "a packet of a process that there is not": lambda f: f.send(f.frame(0, everywhere(packet(source=7)))),
        "a packet of a kind that there is not": lambda f: f.send(f.frame(0, everywhere(packet(kind=9)))),
        "a farewell with escape sequences": lambda f: f.send(f.frame(0, everywhere(
            packet(kind=2, length=23, content=b"\x1b[2J\x1b]0;owned\x07 good day\0")))),
        "garbage on all of timely's channels": lambda f: f.send(f.frame(0, everywhere(b"\xff" * 64))),
        "half a frame, then the end": lambda f: (f.send(f.frame(0, bytes(500))[:99]), f.s.shutdown(socket.SHUT_WR)),
        "half a frame, then silence": lambda f: f.send(f.frame(0, bytes(500))[:99]),
        "silence": lambda f: None,
        "300 signs of life, then silence": lambda f: [f.send(f.frame(1)) for _ in range(300)],
        "a drip of a frame": drip_frame,
        "closes at once": lambda f: f.s.close(),
    }
    for number, (what, do) in enumerate(wrong.items()):
        # Of the short form every third; the rest is in the tests, too.
        if SHORT and number % 3:
            continue
        for key in (True, False):
            # Without a key the frames are the same; what timely is told may come from anybody on the machine.
            if key or not SHORT and "flipped" not in what:
                # All but silence ends it at once, and not because nothing more comes.
                silent = "silence" in what or "drip" in what
                words, timeout = ("it has said nothing", "2s") if silent else ("process 1 is lost", "1h")
                yield partial(case, what, lambda f, do=do: do(f.admitted()), [3], words, key, timeout=timeout)
    endless = {"parts of one message without end": (0, "more came from it at once than"),
               "parts of a message of a round to come, without end": (7, "belongs to no round of this run")}
    for what, (round, words) in endless.items():
        for key in (True, False)[:1 if SHORT else 2]:
            yield partial(case, what, lambda f, round=round: flood(f.admitted(), round), [3], words, key, timeout="1h")



def flip(data, at):
    return data[:at] + bytes([data[at] ^ 4]) + data[at + 1:]


def handed_back(f):
    head = read_exactly(f.s, 8)
    return head + read_exactly(f.s, struct.unpack("<I", head[:4])[0] + 32)


def drip_frame(f):
    frame = f.frame(0, bytes(500))
    for at in range(20):
        f.send(frame[at:at + 1])
        time.sleep(0.25)


# Who stands between.

INSIDE = """
import os, socket, subprocess, sys, threading
path, port, command = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
listener = socket.create_server(("127.0.0.1", port))
def pump(a, b):
    try:
        while data := a.recv(65536):
            b.sendall(data)
    except OSError:
        pass
    for s in (a, b):
        try: s.shutdown(socket.SHUT_RDWR)
        except OSError: pass
def relay():
    while True:
        a, _ = listener.accept()
        b = socket.socket(socket.AF_UNIX)
        b.connect(path)
        for pair in ((a, b), (b, a)):
            threading.Thread(target=pump, args=pair, daemon=True).start()
threading.Thread(target=relay, daemon=True).start()
os._exit(subprocess.run(command).returncode)
"""


def between(name, harm, wanted, wait=20):
    """Process 1 calls process 0 through `harm(connection, direction, number of the unit, unit)`, which gives back what goes
    on: bytes, `None` for a cut, or "hang". Units are hello, proof, and then frames."""
    run = Run(wait=wait)
    path = str(run.work / "socket")
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    listener.listen()

    def pump(a, b, connection, direction):
        unit = 0
        try:
            while True:
                if unit < 2:
                    data = read_exactly(a, (52, 32)[unit])
                else:
                    head = read_exactly(a, 8)
                    data = head + read_exactly(a, struct.unpack("<I", head[:4])[0] + 32)
                data = harm(connection, direction, unit, data)
                if data == "hang":
                    time.sleep(30)
                if data is None:
                    break
                b.sendall(data)
                unit += 1
        except (OSError, EOFError):
            pass
        for s in (a, b):
            try:
                s.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def relay():
        for connection in range(100):
            try:
                a, _ = listener.accept()
            except OSError:
                return
            try:
                b = run.dial()
            except AssertionError:
                return
            for pair in ((a, b, connection, "up"), (b, a, connection, "down")):
                threading.Thread(target=pump, args=pair, daemon=True).start()

    threading.Thread(target=relay, daemon=True).start()
    try:
        run.start(0)
        run.start(1, prefix=["unshare", "-rn", sys.executable, "-c", INSIDE, path, str(run.ports[0])])
        shown, memory = run.check(wanted)
    except AssertionError as e:
        shown, memory = f"FAILED: {e!r}", ""
    listener.close()
    run.stop()
    return "who stands between", name, "nothing false is believed", shown, memory


def group_between():
    able = subprocess.run(["unshare", "-rn", "ip", "link", "set", "lo", "up"], capture_output=True)
    if able.returncode:
        print("no network namespaces here: nobody stands between", file=sys.stderr)
        return

    def at(direction, unit, change, connection=0):
        def harm(c, d, u, data):
            return change(data) if (c, d, u) == (connection, direction, unit) else data
        return harm

    goes_on, ends = [0, 0], [3, 3]
    # The last word of a greeting lost: one side believes that they have met, and says whom it misses.
    either = lambda statuses: set(statuses) <= {0, 3}
    yield partial(between, "only passes on", lambda c, d, u, data: data, goes_on)
    units = ["hello", "proof", "greeting", "verdict"]
    for direction in ("up", "down"):
        for unit, what in enumerate(units):
            if not SHORT or unit == 1:
                yield partial(between, f"flips a bit of the {what}, {direction}", at(direction, unit, lambda data: flip(data, 20)),
                              goes_on if unit < 3 else either)
    frames = {
        "the length": lambda data: flip(data, 0), "the kind": lambda data: flip(data, 4),
        "the content": lambda data: flip(data, 20), "the hash": lambda data: flip(data, -1 + len(data)),
    }
    for direction in ("up", "down"):
        for what, change in frames.items():
            if not SHORT or (direction, what) == ("up", "the content"):
                yield partial(between, f"flips a bit of {what} in the run, {direction}", at(direction, 7, change), ends)
    more = {
        "sends a frame twice": lambda data: data * 2,
        "leaves a frame out": lambda data: b"",
        "puts a frame of its own in": lambda data: struct.pack("<IB3x", 48, 0) + bytes(48 + 32) + data,
        "cuts a frame short and closes": lambda data: None,
        "holds everything back": lambda data: "hang",
    }
    for what, change in more.items():
        if not SHORT or "twice" in what:
            yield partial(between, f"{what}, in the run", at("up", 7, change), ends)

    kept = {}

    def exchange(c, d, u, data):
        if (d, u) == ("up", 7):
            kept["first"] = data
            return b""
        return data + kept["first"] if (d, u) == ("up", 8) else data

    def back(c, d, u, data):
        if d == "up":
            kept["up"] = data
        return kept["up"] if (d, u) == ("down", 8) else data

    if not SHORT:
        yield partial(between, "exchanges two frames, in the run", exchange, ends)
        yield partial(between, "hands a process its own frame back, in the run", back, ends)


def group_processes():
    """What happens to processes, or is done wrong with them."""
    def case(name, what, do, wanted, words="", **options):
        run = Run(**options)
        try:
            do(run)
            shown, memory = run.check(wanted, words)
        except Exception as e:
            shown, memory = f"FAILED: {e!r}", ""
        run.stop()
        return "a process", name, what, shown, memory

    # A run that is long enough to be hit.
    def long(run):
        (run.work / "job.toml").write_text(JOB.replace("triangle-3", "triangle-4").replace("64 MiB", "256 MiB"))
        run.args[0:2] = ["levels", "job.toml", "--depth", "40"]
        return [run.start(0), run.start(1)]

    def hit(number):
        def do(run):
            processes = long(run)
            time.sleep(2)
            processes[1].popen.send_signal(number)
            if number == signal.SIGSTOP:
                assert processes[0].end() == 3, processes[0].said()
                processes[1].popen.send_signal(signal.SIGCONT)
                run.started = processes[1:]
        return do

    yield partial(case, "stopped (SIGSTOP), told to go on afterwards", "the other ends within its peer timeout", hit(signal.SIGSTOP), [3])
    if SHORT:
        return
    yield partial(case, "killed", "the other ends at once", hit(signal.SIGKILL), [3, -9])
    yield partial(case, "told to end (SIGTERM)", "both end", hit(signal.SIGTERM), [3, 3])

    def waiting(run):
        process = run.start(0)
        run.dial().close()
        process.popen.send_signal(signal.SIGTERM)
    yield partial(case, "told to end while it waits", "it ends at once", waiting, [3], "while waiting for process 1", wait=60)

    def keys(first, second):
        def do(run):
            subprocess.run([HALMA, "cluster-key", "-o", "other"], cwd=run.work, check=True, stdout=subprocess.DEVNULL)
            base = [a for a in run.args if a not in ("--key", "key")]
            for number, key in enumerate((first, second)):
                run.args = base + (["--key", key] if key else [])
                run.start(number)
        return do
    yield partial(case, "another key", "they do not meet", keys("key", "other"), [3, 3], "has another key", wait=2)
    yield partial(case, "no key where the other has one", "they do not meet", keys("key", None), [3, 3], "key", wait=2)
    yield partial(case, "a key where the other has none", "they do not meet", keys(None, "key"), [3, 3], "key", wait=2)

    def public(run):
        (run.work / "hosts").write_text("127.0.0.1:7401\n192.0.2.1:7401\n")
        run.start(0)
    yield partial(case, "no key and an address of another host", "it does not begin", public, [2], "halma cluster-key", key=False)

    def readable(run):
        os.chmod(run.work / "key", 0o644)
        run.start(0)
    yield partial(case, "a key that others may read", "it does not begin", readable, [2], "chmod 600")

    def twin(run):
        run.start(0), run.start(1)
        time.sleep(1)
        assert run.start(1).end() == 2, run.started[-1].said()
        run.started.pop()
        run.start(2)
    yield partial(case, "a number twice", "the second is refused, the run goes on", twin, [0, 0, 0], processes=3, wait=30)

    def again(run):
        run.start(0)
        gone = run.start(1)
        time.sleep(1)
        gone.popen.kill()
        gone.popen.wait()
        run.started.pop()
        run.start(1), run.start(2)
    yield partial(case, "killed while all wait, started again", "the run goes on", again, [0, 0, 0], processes=3, wait=30)


def main():
    global HALMA, SHORT, WORK, ANSWER
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--halma", type=Path, default=ROOT / "target/debug/halma")
    parser.add_argument("--short", action="store_true", help="those that take under a minute together")
    parser.add_argument("--write", type=Path, help="a page for the table")
    options = parser.parse_args()
    HALMA, SHORT = options.halma.resolve(), options.short
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(4096, resource.getrlimit(resource.RLIMIT_NOFILE)[1]),) * 2)
    os.environ.pop("HALMA_CLUSTER_KEY", None)
    begun, rows = time.monotonic(), []
    with tempfile.TemporaryDirectory(prefix="halma-attacks-") as work:
        WORK = work
        (Path(work) / "job.toml").write_text(JOB)
        alone = subprocess.run([HALMA, "solve", "job.toml", "--json", "--quiet"], cwd=work, capture_output=True, check=True)
        record = json.loads(alone.stdout)
        ANSWER = (record["verdict"], record["length"])
        assert ANSWER[0] == "optimal"
        for group in (group_strangers, group_admitted, group_between, group_processes):
            # Most of them wait: four at a time. A group gives rows, or what makes one.
            with ThreadPoolExecutor(4) as pool:
                parts = (row if isinstance(row, tuple) else pool.submit(row) for row in group())
                for row in list(parts):
                    rows.append([str(cell) for cell in (row if isinstance(row, tuple) else row.result())])
                    print(" | ".join(rows[-1]), flush=True)
    failed = [row for row in rows if any("FAILED" in cell for cell in row)]
    seconds = time.monotonic() - begun
    print(f"{len(rows)} attacks in {seconds:.0f} s, {len(failed)} of them not withstood")
    if options.write and not failed:
        head = ["who", "attack", "what must come of it", "exit status of each process", "MiB of the largest"]
        lines = [head, ["---"] * len(head), *rows]
        table = "".join("| " + " | ".join(line) + " |\n" for line in lines)
        options.write.parent.mkdir(parents=True, exist_ok=True)
        options.write.write_text(f"# Attacks on a search in several processes\n\n{len(rows)} attacks, all withstood; made by "
                                 f"`scripts/cluster-attacks.py --write results/cluster/attacks.md` (docs/guide/cluster.md says what "
                                 f"is kept out and what is not).\n\n{table}")
    return 1 if failed or len(rows) < (50 if not SHORT else 30) else 0


if __name__ == "__main__":
    sys.exit(main())
