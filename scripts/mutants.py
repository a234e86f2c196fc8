#!/usr/bin/env python3
"""All mutants of cargo-mutants in one build: each is a branch that HALMA_MUTANT=N switches on.

    scripts/mutants.py CRATE OUT [OPTION OF CARGO MUTANTS --LIST]...

Building a mutant takes longer than testing it, and `cargo mutants` builds every one. Here CRATE (a copy: its sources are
written over) is built once, with `a < b` turned into `match (&(a), &(b)) { (l, r) => if on(17) { l == r } else { l < r } }`,
and so on. Mutants that do not compile in this form (in constants, or types without that operator) are found by the
compiler's errors and left out.

To OUT go, by name, caught.txt with the test that failed, missed.txt, timeout.txt, left.txt and alone.txt: those left out;
numbers to table.md. Mutants that OUT already has an answer for are not tried again. Exit status: 2 where one was missed. Tests that fail
without a mutant are left out, and named. Needs tree-sitter and tree-sitter-rust, which scripts/mutants installs.
"""

import argparse
import collections
import concurrent.futures
import contextlib
import json
import os
import random
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import tree_sitter
import tree_sitter_rust

PARSER = tree_sitter.Parser(tree_sitter.Language(tree_sitter_rust.language()))
# The test programs: unit tests of all crates, those that compare search and verifier, and of the whole program these parts.
PROGRAMS = ["--lib", "--test=suite", "--test=all"]
PARTS = "cache check check_cases counts game_bounds games levels oracle paper referee_levels referee_shortest trial".split()
COMPARISONS = {"==", "!=", "<", ">", "<=", ">="}
KINDS = ["caught", "missed", "timeout"]
MEMORY = 6 << 30  # bytes of addresses a test may take: a mutant may never stop asking for more

SWITCH = """\
//! Which mutant is on, or a file in which those reached are marked: written by scripts/mutants.py.
use std::os::unix::fs::FileExt;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering};
static ON: LazyLock<u32> = LazyLock::new(|| std::env::var("HALMA_MUTANT").map_or(0, |n| n.parse().unwrap()));
static REACHED: LazyLock<Option<(std::fs::File, Vec<AtomicBool>)>> = LazyLock::new(|| {
    let path = std::env::var_os("HALMA_REACHED")?;
    let file = std::fs::File::options().write(true).open(path).unwrap();
    let marks = (0..file.metadata().unwrap().len()).map(|_| AtomicBool::new(false));
    Some((file, marks.collect()))
});
#[inline(always)]
pub fn on(mutant: u32) -> bool {
    if *ON == 0 {
        mark(mutant);
    }
    *ON == mutant
}
#[cold]
#[inline(never)]
fn mark(mutant: u32) {
    let Some((file, marks)) = &*REACHED else { return };
    let mark = &marks[mutant as usize];
    if !mark.load(Ordering::Relaxed) && !mark.swap(true, Ordering::Relaxed) {
        file.write_all_at(&[1], mutant.into()).unwrap();
    }
}
"""


class File:
    """A source file and the mutants in it."""

    def __init__(self, path, mutants):
        self.path, self.source = path, path.read_bytes()
        self.lines = [0]
        for line in self.source.splitlines(keepends=True):
            self.lines.append(self.lines[-1] + len(line))
        self.mutants = collections.defaultdict(list)
        for mutant in mutants:
            span = mutant["span"]
            self.mutants[self.offset(span["start"]), self.offset(span["end"])].append(mutant)

    def offset(self, place):
        """Of a line and a column in characters, both from 1, the place in bytes."""
        start = self.lines[place["line"] - 1]
        line = self.source[start : self.lines[place["line"]]].decode()
        return start + len(line[: place["column"] - 1].encode())

    def write(self, left_out):
        """Writes the file with every mutant in it that is not left out. Returns those that found no place."""
        self.left = {
            span: [m for m in mutants if m["number"] not in left_out] for span, mutants in self.mutants.items()
        }
        self.placed, self.values = set(), set()
        text = self.render(PARSER.parse(self.source).root_node)
        self.path.write_text(text)
        # Where each mutant went, in bytes, to know whom a compiler's error is about.
        self.ranges, stack = [], []
        for mark in re.finditer(rb"/\*<([\d,]+)\*/|/\*>\*/", text.encode()):
            if mark[1]:
                stack.append((mark.start(), [int(n) for n in mark[1].split(b",")]))
            else:
                start, numbers = stack.pop()
                self.ranges.append((start, mark.end(), numbers))
        return {m["number"] for mutants in self.left.values() for m in mutants} - self.placed

    def blamed(self, place):
        """The mutants of the innermost range that holds a byte of the file as written."""
        around = [(end - start, numbers) for start, end, numbers in self.ranges if start <= place < end]
        if around:
            return min(around)[1]
        # A function's value that is of another type than the one returned before it.
        before = [(end, numbers) for start, end, numbers in self.ranges if end <= place and numbers[0] in self.values]
        return max(before)[1] if before else []

    def next(self, place):
        """The mutants of the first range after a byte of the file as written."""
        return min(((start, numbers) for start, _, numbers in self.ranges if start >= place), default=(0, []))[1]

    def at(self, start, end, genre):
        found = [m for m in self.left.get((start, end), []) if m["genre"] == genre]
        self.placed |= {m["number"] for m in found}
        self.values |= {m["number"] for m in found if genre == "FnValue"}
        return found

    def text(self, start, end):
        return self.source[start:end].decode()

    def inner(self, node):
        """A node's text with its children rendered."""
        text, place = [], node.start_byte
        for child in node.children:
            text += [self.text(place, child.start_byte), self.render(child)]
            place = child.end_byte
        return "".join(text) + self.text(place, node.end_byte)

    def render(self, node):
        rendered = {
            "binary_expression": self.binary,
            "compound_assignment_expr": self.assignment,
            "unary_expression": self.unary,
            "match_arm": self.arm,
            "block": self.block,
        }.get(node.type, lambda _: None)(node)
        return self.inner(node) if rendered is None else rendered

    def operator(self, node):
        operator = node.child_by_field_name("operator")
        return operator, self.at(operator.start_byte, operator.end_byte, "BinaryOperator")

    def binary(self, node):
        operator, mutants = self.operator(node)
        if not mutants:
            return None
        left, right = (self.render(node.child_by_field_name(side)) for side in ("left", "right"))
        sign = operator.text.decode()
        if sign in ("&&", "||"):
            # Short-circuiting without writing the right side twice.
            (mutant,) = mutants
            plain = "" if sign == "&&" else "!"
            test = f"{plain}l != {on(mutant)}"
            return marked(mutants, f"(match ({left}) {{ l => if {test} {{ {right} }} else {{ l }} }})")
        if sign in COMPARISONS:
            both, l, r = f"(&({left}), &({right}))", "*l", "*r"
        else:
            both, l, r = f"({left}, {right})", "l", "r"
        return marked(mutants, f"(match {both} {{ (l, r) => {choice(mutants, f'{l} {sign} {r}', lambda m: f'{l} {m} {r}')} }})")

    def assignment(self, node):
        operator, mutants = self.operator(node)
        if not mutants:
            return None
        left, right = (self.render(node.child_by_field_name(side)) for side in ("left", "right"))
        plain = f"{left} {operator.text.decode()} r"
        return marked(mutants, f"(match ({right}) {{ r => {choice(mutants, plain, lambda m: f'{left} {m} r')} }})")

    def unary(self, node):
        sign, operand = node.children
        mutants = self.at(sign.start_byte, sign.end_byte, "UnaryOperator")
        if not mutants:
            return None
        plain = f"{sign.text.decode()}x"
        return marked(mutants, f"(match ({self.render(operand)}) {{ x => {choice(mutants, plain, lambda _: 'x')} }})")

    def arm(self, node):
        pattern = node.child_by_field_name("pattern")
        guard = pattern.child_by_field_name("condition")
        end = node.end_byte
        gone = self.at(node.start_byte, end, "MatchArm") or self.at(node.start_byte, end - 1, "MatchArm")
        guards = self.at(guard.start_byte, guard.end_byte, "MatchArmGuard") if guard else []
        if not gone and not guards:
            return None
        condition = self.render(guard) if guard else "true"
        for mutant in guards:
            with_it = f"({condition}) || {on(mutant)}" if mutant["replacement"] == "true" else f"({condition}) && !{on(mutant)}"
            condition = marked([mutant], with_it)
        for mutant in gone:
            condition = marked([mutant], f"({condition}) && !{on(mutant)}")
        if guard:
            what = self.text(pattern.start_byte, guard.start_byte).rstrip().removesuffix("if")
        else:
            what = self.text(pattern.start_byte, pattern.end_byte)
        rest, place = [], pattern.end_byte
        for child in node.children:
            if child.start_byte >= pattern.end_byte:
                rest += [self.text(place, child.start_byte), self.render(child)]
                place = child.end_byte
        return f"{what} if {condition}" + "".join(rest)

    def block(self, node):
        statements = [c for c in node.children if c.type not in ("{", "}")]
        if not statements:
            return None
        # The span of a function's value is that of its statements, without comments before and after them.
        real = [c for c in statements if "comment" not in c.type]
        mutants = self.at(real[0].start_byte, real[-1].end_byte, "FnValue") if real else []
        if not mutants:
            return None
        returns = "".join(marked([m], f"if {on(m)} {{ return {m['replacement']}; }}") for m in mutants)
        return "{" + returns + self.inner(node)[1:]


def on(mutant):
    return f"crate::mutant::on({mutant['number']})"


def marked(mutants, text):
    return f"/*<{','.join(str(m['number']) for m in mutants)}*/{text}/*>*/"


def choice(mutants, plain, form):
    branches = "".join(f"if {on(m)} {{ {marked([m], form(m['replacement']))} }} else " for m in mutants)
    return f"{branches}{{ {plain} }}"


def cargo(crate, *arguments):
    """Runs cargo. Returns whether that went well, and its messages."""
    environment = os.environ | {"RUSTFLAGS": "--cap-lints allow"}
    command = ["cargo", *arguments, "--locked", "--message-format=json"]
    run = subprocess.run(command, cwd=crate, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment)
    return run.returncode == 0, [json.loads(line) for line in run.stdout.splitlines() if line.startswith(b"{")]


def build(crate, files):
    """Builds the tests; a mutant that does not compile is left out. Returns the tests' programs by name and who was left out."""
    left_out, fine = set(), False
    while not fine:
        for file in files.values():
            left_out |= file.write(left_out)
        fine, messages = cargo(crate, "check", "--workspace", "--lib")
        blamed, errors = set(), []
        for message in (m["message"] for m in messages if m.get("reason") == "compiler-message"):
            if message["level"] == "error":
                errors.append(message["rendered"])
                for span in (s for s in message["spans"] if s["is_primary"]):
                    while span["expansion"]:
                        span = span["expansion"]["span"]
                    if file := files.get((crate / span["file_name"]).resolve()):
                        # Arms that may be gone do not count as patterns: the error names what is matched, before them.
                        uncovered = (message["code"] or {}).get("code") == "E0004"
                        blamed.update(file.next(span["byte_end"]) if uncovered else file.blamed(span["byte_start"]))
        if not fine and not blamed - left_out:
            sys.exit("the library does not build:\n" + "\n".join(errors[:3]))
        left_out |= blamed
        print(f"{len(left_out)} left out, as they do not compile in this form", file=sys.stderr)
    fine, messages = cargo(crate, "test", "--no-run", "--workspace", *PROGRAMS)
    if not fine:
        sys.exit("the tests do not build")
    programs = {m["target"]["name"]: m["executable"] for m in messages if m.get("executable") and m["profile"]["test"]}
    return programs, left_out


@contextlib.contextmanager
def cancelled(pool):
    """On Ctrl-C what was submitted and has not begun is not begun."""
    try:
        yield
    except KeyboardInterrupt:
        pool.shutdown(wait=False, cancel_futures=True)
        raise


def alone():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    os.setpgid(0, 0)


def run(crate, program, test, seconds, **environment):
    """Runs one test in a process of its own. Returns whether it passed, None if it took too long."""
    environment = os.environ | {"RUST_BACKTRACE": "0", "RUST_TEST_THREADS": "1"} | environment
    process = subprocess.Popen(
        [program, "--exact", test], cwd=crate, env=environment,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=alone,
    )
    try:
        return process.wait(seconds) == 0
    except subprocess.TimeoutExpired:
        return None
    finally:
        # Also on Ctrl-C, which does not reach its group.
        if process.returncode is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def survey(crate, programs, count, longest, only):
    """Tests of that name without a mutant: program, name, seconds, and the mutants it reaches. Quickest first.

    A test that takes more than twice `longest` seconds (the machine may be busy) reaches none, as far as is known."""

    def one(program, test):
        with tempfile.NamedTemporaryFile() as reached:
            reached.truncate(count + 1)
            begun = time.monotonic()
            passed = run(crate, programs[program], test, 2 * longest, HALMA_REACHED=reached.name)
            if passed is None:
                return program, test, 2 * longest, []
            if not passed:
                print(f"left out, since it fails without a mutant: {program}: {test}", file=sys.stderr)
                return program, test, 0, []
            seconds, marks = time.monotonic() - begun, Path(reached.name).read_bytes()
            return program, test, seconds, [n for n, mark in enumerate(marks) if mark]

    tests = []
    for program in programs:
        listed, ignored = (
            subprocess.run([programs[program], "--list", *only], cwd=crate, stdout=subprocess.PIPE, text=True, check=True)
            for only in ([], ["--ignored"])
        )
        names = set(listed.stdout.splitlines()) - set(ignored.stdout.splitlines())
        names = {name.removesuffix(": test") for name in names if name.endswith(": test")}
        names = {name for name in names if re.search(only, name)}
        tests += [(program, name) for name in names if program != "suite" or name.split("::")[0] in PARTS]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = [test for test in pool.map(lambda test: one(*test), tests) if test[3]]
    return sorted(found, key=lambda test: test[2])


def try_one(crate, programs, tests, number):
    """Runs the tests that reach the mutant until one fails. Returns what became of it, and that test.

    A bound that cuts too little makes searches long: a test that takes too long says nothing of what others find."""
    what, why, late = "missed", "none of these tests reaches it", 0
    for program, test, seconds, reached in tests:
        if number not in reached or late == 3:
            continue
        passed = run(crate, programs[program], test, 5 + 2 * seconds, HALMA_MUTANT=str(number))
        if passed is False:
            return "caught", f"{program}: {test}"
        if passed is None:
            what, why, late = "timeout", f"{program}: {test}", late + 1
        elif what == "missed":
            why = ""
    return what, why


def answers(out):
    """What became of each mutant so far."""
    files = [(kind, out / f"{kind}.txt") for kind in KINDS]
    lines = [(kind, line) for kind, file in files if file.exists() for line in file.read_text().splitlines()]
    return {line.split("\t")[0]: kind for kind, line in lines}


def write_table(out, names):
    """The answers by file, to table.md, and what has none to left.txt."""
    known = answers(out)
    (out / "left.txt").write_text("".join(f"{name}\n" for name in sorted(names) if name not in known))
    by_file = collections.Counter((name.split(":")[0], known.get(name, "left")) for name in names)
    kinds = [*KINDS, "left"]
    lines = [f"| | {' | '.join(kinds)} |", "| --- |" + " ---: |" * len(kinds)]
    for file in [*sorted({file for file, _ in by_file}), "all"]:
        numbers = [sum(n for (f, k), n in by_file.items() if k == kind and file in (f, "all")) for kind in kinds]
        lines.append(f"| `{file.removeprefix('crates/').replace('/src/', '/')}` | {' | '.join(map(str, numbers))} |")
    (out / "table.md").write_text("\n".join(lines) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("crate", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--go-on", action="store_true", help="with what was built before")
    parser.add_argument("--longest", type=float, default=20, help="seconds of the longest test that is asked")
    parser.add_argument("--only", default="", help="tests whose names this expression is found in")
    parser.add_argument("--mutants", default="", help="mutants whose names this expression is found in")
    parser.add_argument("--again", action="store_true", help="try those that were missed, or took too long, again")
    parser.add_argument("list", nargs="*", help="for cargo mutants --list")
    arguments = parser.parse_args()
    crate, out = arguments.crate.resolve(), arguments.out
    out.mkdir(parents=True, exist_ok=True)

    built, surveyed = out / "built.json", out / "survey.json"
    if not arguments.go_on:
        listed = subprocess.run(
            ["cargo", "mutants", "--list", "--json", "--workspace", *arguments.list], cwd=crate, stdout=subprocess.PIPE, check=True
        )
        mutants = json.loads(listed.stdout)
        by_file = collections.defaultdict(list)
        for number, mutant in enumerate(mutants, 1):
            mutant["number"] = number
            by_file[(crate / mutant["file"]).resolve()].append(mutant)
        for sources in {next(folder for folder in path.parents if folder.name == "src") for path in by_file}:
            (sources / "mutant.rs").write_text(SWITCH)
            with open(sources / "lib.rs", "a") as lib:
                lib.write("mod mutant;\n")
        files = {path: File(path, found) for path, found in by_file.items()}
        programs, left_out = build(crate, files)
        (out / "alone.txt").write_text("".join(m["name"] + "\n" for m in mutants if m["number"] in left_out))
        names = {m["number"]: m["name"] for m in mutants if m["number"] not in left_out}
        built.write_text(json.dumps([programs, list(names.items())]))
        surveyed.unlink(missing_ok=True)
    programs, names = json.loads(built.read_text())
    longest, only, tests = json.loads(surveyed.read_text()) if surveyed.exists() else (0, "", [])
    if longest < arguments.longest or only != arguments.only:
        tests = survey(crate, programs, max(number for number, _ in names), arguments.longest, arguments.only)
        surveyed.write_text(json.dumps([arguments.longest, arguments.only, tests]))
    tests = [(*test, seconds, set(reached)) for *test, seconds, reached in tests if seconds <= arguments.longest]
    if arguments.again:
        for kind in ("missed", "timeout"):
            if (out / f"{kind}.txt").exists():
                (out / f"{kind}.txt").rename(out / f"{kind}-before.txt")
    known = answers(out)
    waiting = [(number, name) for number, name in names if name not in known and re.search(arguments.mutants, name)]
    random.Random(0).shuffle(waiting)
    print(f"{len(names)} mutants, {len(tests)} tests, {len(waiting)} mutants to try", file=sys.stderr)
    counts = collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool, cancelled(pool):
        tried = {pool.submit(try_one, crate, programs, tests, number): name for number, name in waiting}
        for done in concurrent.futures.as_completed(tried):
            (what, test), name = done.result(), tried[done]
            counts[what] += 1
            with open(out / f"{what}.txt", "a") as file:
                file.write(f"{name}\t{test}\n")
            if what != "caught" or counts.total() % 50 == 0:
                print(f"{counts.total()}/{len(waiting)} {what}: {name}", file=sys.stderr)
    write_table(out, [name for _, name in names])
    print(", ".join(f"{counts[kind]} {kind}" for kind in KINDS))
    sys.exit(2 if counts["missed"] else 0)


if __name__ == "__main__":
    main()
