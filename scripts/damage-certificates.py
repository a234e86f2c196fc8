#!/usr/bin/env python3
"""Damages certificates in a thousand ways, and sees each of them refused by both checkers, or still proved by both.

    scripts/damage-certificates.py [--count N] [--seed S] CERTIFICATE...

States left out or added, another mirror or K, other values and classes, another problem, length or meeting level, cut and
changed files, and entries of the proved checker's tables (which no file has) one too large. What the proved checker accepts is a
proof by the theorem, whatever was done to the file; it counts as refused only if both refuse. Ends with status 1 where the two
differ, where a damaged table is accepted, or where a checker crashes. It takes a C compiler, and proof/run to have been run.
"""
import argparse
import collections
import os
import random
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
MAGIC = b"halma refutes 01"


class Reader:
    def __init__(self, data):
        self.data, self.at = data, len(MAGIC)

    def one(self):
        total = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            total |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return total

    def some(self, count):
        return [self.one() for _ in range(count)]


def read(data):
    """The certificate as lists that can be changed."""
    r, c = Reader(data), {}
    n = r.one()
    c["cells"] = [r.some(2) for _ in range(n)]
    c["directions"] = [r.some(2) for _ in range(r.one())]
    c["jumps_only"] = r.one()
    men = r.one()
    c["start"], c["target"] = r.some(men), r.some(men)
    c["length"] = r.one()
    c["fixing"] = [r.some(n) for _ in range(r.one())]
    classes = r.one()
    c["classes"], c["class_of"] = classes, r.some(n)
    c["leading"] = r.one()
    if c["leading"]:
        c["mirror"], c["offset"], c["values"] = r.some(n), r.one(), r.some(classes)
    c["meeting"], c["behind"] = r.one(), r.one()
    c["families"] = []
    for _ in range(3):
        levels = []
        for _ in range(r.one()):
            keys, before = [], 0
            for _ in range(r.one()):
                before += r.one()
                keys.append(before)
            levels.append(keys)
        c["families"].append(levels)
    assert r.at == len(data)
    return c


def written(c):
    out = bytearray(MAGIC)

    def put(*numbers):
        for number in numbers:
            while number > 127:
                out.append(number & 127 | 128)
                number >>= 7
            out.append(number)

    put(len(c["cells"]), *sum(c["cells"], []), len(c["directions"]), *sum(c["directions"], []), c["jumps_only"])
    put(len(c["start"]), *c["start"], *c["target"], c["length"], len(c["fixing"]), *sum(c["fixing"], []))
    put(c["classes"], *c["class_of"], c["leading"])
    if c["leading"]:
        put(*c["mirror"], c["offset"], *c["values"])
    put(c["meeting"], c["behind"])
    for levels in c["families"]:
        put(len(levels))
        for keys in levels:
            keys = sorted(set(keys))
            put(len(keys), *(b - a for a, b in zip([0] + keys, keys)))
    return bytes(out)


FAMILIES = "FEG"


def some_level(c, rng):
    """The keys of a level that has some, and the name of its family."""
    family = rng.choice([i for i in range(3) if any(c["families"][i])])
    return rng.choice([keys for keys in c["families"][family] if keys]), FAMILIES[family]


def left_out(c, rng):
    keys, family = some_level(c, rng)
    del keys[rng.randrange(len(keys))]
    return family


def several_left_out(c, rng):
    keys, family = some_level(c, rng)
    share = rng.choice([2, 3, 10])
    keys[:] = [key for key in keys if rng.randrange(share)]
    if keys:
        del keys[0]
    return family


def added(c, rng):
    everything = [key for family in c["families"] for keys in family for key in keys]
    # Another level's, or one next to one.
    new = rng.choice(everything) + rng.choice([0, 0, 1, 2, 5])
    family = rng.choice([i for i in range(3) if c["families"][i]])
    rng.choice(c["families"][family]).append(new)
    return FAMILIES[family]


def moved(c, rng):
    family = rng.choice([i for i in range(3) if len(c["families"][i]) > 1])
    levels = c["families"][family]
    keys = rng.choice([keys for keys in levels if keys] or [[]])
    if keys:
        rng.choice(levels).append(keys.pop(rng.randrange(len(keys))))
    return FAMILIES[family]


def level_lost(c, rng):
    family = rng.choice([i for i in range(3) if c["families"][i]])
    levels = c["families"][family]
    del levels[rng.randrange(len(levels))]
    return FAMILIES[family]


def swapped(numbers, rng):
    a, b = rng.sample(range(len(numbers)), 2)
    while numbers[a] == numbers[b]:
        a, b = rng.sample(range(len(numbers)), 2)
    numbers[a], numbers[b] = numbers[b], numbers[a]


def wrong_mirror(c, rng):
    choice = rng.randrange(3)
    if choice == 0:
        swapped(c["mirror"], rng)
    elif choice == 1:
        c["mirror"] = list(range(len(c["cells"])))
    else:
        c["mirror"] = c["mirror"][::-1]


def wrong_group(c, rng):
    choice = rng.randrange(3)
    if choice == 0:
        swapped(rng.choice(c["fixing"]), rng)
    elif choice == 1:
        del c["fixing"][rng.randrange(len(c["fixing"]))]
    else:
        c["fixing"].append(c.get("mirror", c["fixing"][-1][::-1])[:])


def wrong_value(c, rng):
    choice = rng.randrange(3)
    if choice == 0:
        q = rng.randrange(len(c["values"]))
        c["values"][q] = max(0, c["values"][q] + rng.choice([-1, 1, 2]))
    elif choice == 1:
        c["offset"] += rng.choice([1, 2])
    else:
        swapped(c["values"], rng)


def wrong_class(c, rng):
    cell = rng.randrange(len(c["class_of"]))
    c["class_of"][cell] = rng.randrange(c["classes"])


def other_problem(c, rng):
    choice = rng.randrange(6)
    if choice < 2:
        army = c[["start", "target"][choice]]
        free = [cell for cell in range(len(c["cells"])) if cell not in army]
        army[rng.randrange(len(army))] = rng.choice(free)
        army.sort()
    elif choice == 2:
        del c["directions"][rng.randrange(len(c["directions"]))]
    elif choice == 3:
        # Both of a pair, so that it is a rule.
        dx, dy = rng.choice(c["directions"])
        c["directions"] = [d for d in c["directions"] if d not in ([dx, dy], [16 - dx, 16 - dy])]
    elif choice == 4:
        c["jumps_only"] ^= 1
    else:
        cell = rng.choice(c["cells"])
        cell[rng.randrange(2)] += 1


def other_length(c, rng):
    c["length"] += rng.choice([-2, -1, 1, 2, 3])


def other_meeting(c, rng):
    choice = rng.randrange(3)
    if choice == 0:
        c["meeting"] = max(0, c["meeting"] + rng.choice([-2, -1, 1, 2]))
    elif choice == 1:
        c["behind"] ^= 1
    else:
        c["leading"] ^= 1
        c.setdefault("mirror", list(range(len(c["cells"])))[::-1])
        c.setdefault("offset", 0)
        c.setdefault("values", [0] * c["classes"])


def cut(data, rng):
    return data[: rng.randrange(len(data))]


def longer(data, rng):
    return data + bytes(rng.randrange(256) for _ in range(rng.randrange(1, 4)))


def changed_byte(data, rng):
    at = rng.randrange(len(data))
    return data[:at] + bytes([data[at] ^ 1 << rng.randrange(8)]) + data[at + 1 :]


ON_LISTS = [left_out, left_out, left_out, several_left_out, added, added, moved, level_lost, wrong_mirror, wrong_group,
            wrong_value, wrong_class, other_problem, other_problem, other_length, other_meeting]
ON_BYTES = [cut, longer, changed_byte, changed_byte]


def status(command):
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=600)
    except subprocess.TimeoutExpired:
        return "late", ""
    lines = done.stdout.decode(errors="replace").strip().splitlines()
    return done.returncode, lines[-1] if lines else ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=27)
    parser.add_argument("certificates", nargs="+")
    args = parser.parse_args()
    rng = random.Random(args.seed)
    proved = os.path.join(ROOT, "proof/build/checker")
    if not os.path.exists(proved):
        sys.exit("damage-certificates: proof/run has to be run first")
    bad, tally = 0, collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        plain, file = os.path.join(folder, "verify"), os.path.join(folder, "damaged.cert")
        source = os.path.join(ROOT, "scripts/verify-certificate.c")
        subprocess.run([os.environ.get("CC", "cc"), "-std=gnu99", "-O2", "-o", plain, source], check=True)
        sound = []
        for name in args.certificates:
            data = open(name, "rb").read()
            assert written(read(data)) == data, name
            for checker in plain, proved:
                if status([checker, name])[0] != 0:
                    sys.exit(f"{name}: does not hold to begin with: {checker}")
            sound.append(data)
        for number in range(args.count):
            which = rng.randrange(len(sound))
            data = sound[which]
            if number % 20 == 0:
                kind = "table entry too large"
                entry = rng.randrange(400)
                found, said = status([proved, "--damage-table", str(entry), args.certificates[which]])
                tally[kind, "refused by the proved one" if found == 4 else "ACCEPTED"] += 1
                if found != 4:
                    bad += 1
                    print(f"{number}: {kind} {entry}: {found}: {said}")
                continue
            damaged, family = data, None
            while damaged == data:
                damage = rng.choice(ON_LISTS * 2 + ON_BYTES)
                if damage in ON_BYTES:
                    damaged, family = damage(data, rng), None
                else:
                    certificate = read(data)
                    if damage in (wrong_mirror, wrong_value) and not certificate["leading"]:
                        continue
                    family = damage(certificate, rng)
                    damaged = written(certificate)
            with open(file, "wb") as out:
                out.write(damaged)
            answers = [status([checker, file]) for checker in (plain, proved)]
            found = [answer[0] for answer in answers]
            if all(f in (2, 4) for f in found):
                result = "refused by both"
            elif found == [0, 0] and answers[0][1].split(";")[0] == answers[1][1]:
                # The same statement, perhaps another one than before, which the theorem proves.
                result = "still proved, by both"
            else:
                result, bad = "DIFFERENT", bad + 1
                keep = f"{args.certificates[which]}.damaged-{number}"
                with open(keep, "wb") as out:
                    out.write(damaged)
                print(f"{number}: {damage.__name__}: {answers}: kept as {keep}")
            kind = damage.__name__.replace("_", " ") + (f", {family}" if family else "")
            tally[kind, result] += 1
    print(f"{args.count} damaged certificates")
    for (kind, result), count in sorted(tally.items()):
        print(f"{count:5} {kind}: {result}")
    totals = collections.Counter()
    for (_, result), count in tally.items():
        totals[result] += count
    print("in all: " + ", ".join(f"{count} {result}" for result, count in sorted(totals.items())))
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
