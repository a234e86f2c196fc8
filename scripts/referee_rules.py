"""The rules of the puzzles for referee.py: boards, moves, symmetries, level sets, shortest lengths, replay.

Written from the rules alone; it shares no code with the program. A state is the integer whose bit c is set where a
man stands on cell c; cells are numbered row by row.
"""
import re
from math import comb

M64, M128 = (1 << 64) - 1, (1 << 128) - 1
DIGEST_KEYS = 0x243F6A8885A308D3, 0x13198A2E03707344  # digits of pi
GOLDEN, FMIX_1, FMIX_2 = 0x9E3779B97F4A7C15, 0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53
RULES = {4: [(1, 0), (-1, 0), (0, 1), (0, -1)]}
RULES[6] = RULES[4] + [(1, -1), (-1, 1)]
RULES[8] = RULES[6] + [(1, 1), (-1, -1)]


class Invalid(Exception):
    """The command line or a file is wrong: exit status 2."""


class Wrong(Exception):
    """A claim does not hold: exit status 1."""


class TooLarge(Exception):
    """More states than allowed: exit status 3."""


def places(board):
    """The cells (x, y) of a named board, a WxH rectangle or a map (rows split by / or line breaks), and its marks."""
    star = lambda u, v: min(u, v, -u - v) >= -4 or max(u, v, -u - v) <= 4
    dark = lambda rank, file: 0 <= rank < 8 and 0 <= file < 8
    if board == "checkers-32":
        return [(x, y) for y in range(7) for x in range(8) if dark(x + y - 3, x - y + 3)], {}
    if board == "star-121":
        return [(x, y) for y in range(17) for x in range(17) if star(x - 8, y - 8)], {}
    if size := re.fullmatch(r"(\d+)x(\d+)", board):
        return [(x, y) for y in range(int(size[2])) for x in range(int(size[1]))], {}
    if not board.strip():
        raise Invalid("board: no cell")
    rows = [row.rstrip() for row in board.strip("\n").replace("/", "\n").split("\n")]
    if {len(row) for row in rows} != {len(rows[0])} or set("".join(rows)) - set(".STB#"):
        raise Invalid(f"board {board!r}: neither a name nor a map of equal rows of . S T B #")
    drawn = {(x, y): mark for y, row in enumerate(rows) for x, mark in enumerate(row) if mark != "#"}
    return list(drawn), {mark: [c for c in drawn if drawn[c] in mark + "B"] for mark in "ST"}


def cell_name(place):
    x, y = place
    letters = ""
    while x >= 0:
        x, letters = x // 26 - 1, chr(97 + x % 26) + letters
    return f"{letters}{y + 1}"


def bits(mask):
    while mask:
        yield (low := mask & -mask).bit_length() - 1
        mask ^= low


class Board:
    """The cells of a board under a rule: names, neighbours, jumps, symmetries."""

    def __init__(self, board, moves):
        if moves not in RULES:
            raise Invalid(f"moves = {moves}: 4, 6 or 8 expected")
        self.name, self.moves = board, moves
        self.places, self.marks = places(board)
        self.index = {place: cell for cell, place in enumerate(self.places)}
        self.names = [cell_name(place) for place in self.places]
        self.by_name = {name: cell for cell, name in enumerate(self.names)}
        at = lambda x, y: self.index.get((x, y))
        self.near, self.jumps = [], []
        for x, y in self.places:
            beside = [(at(x + dx, y + dy), at(x + 2 * dx, y + 2 * dy)) for dx, dy in RULES[moves]]
            self.near.append(sum(1 << over for over, _ in beside if over is not None))
            self.jumps.append([(1 << o, 1 << to, to) for o, to in beside if o is not None and to is not None])

    def symmetries(self):
        """(linear part, permutation of the cells): the linear maps that keep the directions, moved onto the board."""
        found, rule = [], RULES[self.moves]
        for a, c in rule:
            for b, d in rule:
                linear = lambda p: (a * p[0] + b * p[1], c * p[0] + d * p[1])
                if {linear(v) for v in rule} != set(rule):
                    continue
                images = [linear(place) for place in self.places]
                (x0, y0), (x1, y1) = min(images), min(self.places)
                moved = [self.index.get((x - x0 + x1, y - y0 + y1)) for x, y in images]
                if None not in moved:
                    found.append(((a, b, c, d), moved))
        return sorted(found, key=lambda s: s[0] != (1, 0, 0, 1))

    def army(self, army):
        """The state of a named army, a list of cell names or their comma list."""
        if isinstance(army, str) and not re.fullmatch(r"\w+-\d+", army):
            army = army.split(",")
        if isinstance(army, list):
            bad = [name for name in army if name not in self.by_name]
            if bad or len(set(army)) != len(army):
                raise Invalid(f"army {','.join(army)}: {bad[0] if bad else 'a cell'} "
                              f"is {'no cell of the board' if bad else 'given twice'}")
            return sum(1 << self.by_name[name] for name in army)
        shape, size = army.rsplit("-", 1)
        k, halma = int(size), [5, 5, 4, 3, 2]
        if self.name == "star-121" and shape == "point" and 1 <= k <= 6:
            men, far = 10, [lambda u, v, w: w > 4, lambda u, v, w: u < -4, lambda u, v, w: v > 4,
                            lambda u, v, w: w < -4, lambda u, v, w: u > 4, lambda u, v, w: v < -4][k - 1]
            inside = lambda x, y: far(x - 8, y - 8, 16 - x - y)
        elif self.name == "checkers-32" and army == "checkers-12":
            men, inside = 12, lambda x, y: x + y - 3 < 3
        else:
            shapes = {"triangle": (k * (k + 1) // 2, lambda x, y: x + y < k),
                      "square": (k * k, lambda x, y: max(x, y) < k),
                      "halma": (k, lambda x, y: y < 5 and x < halma[y])}
            if shape not in shapes or self.name in ("star-121", "checkers-32"):
                raise Invalid(f"army {army!r} on board {self.name}: unknown")
            men, inside = shapes[shape]
        state = sum(1 << cell for cell, place in enumerate(self.places) if inside(*place))
        if state.bit_count() != men:
            raise Invalid(f"army {army!r} on board {self.name}: {state.bit_count()} of its {men} cells are there")
        return state

    def mirrored(self, state):
        """The army reflected in the line x + y = constant where the board allows, else turned by half a turn."""
        maps = dict(self.symmetries())
        for linear in (0, -1, -1, 0), (-1, 0, 0, -1):
            if linear in maps:
                return image(state, maps[linear])
        raise Invalid(f"board {self.name}: no mirrored target; state one")

    def ends(self, occupied, cell, jumps_only):
        """The cells that the man on `cell` can reach in one move, as a set of bits."""
        here = 1 << cell
        rest, reached, stack = occupied ^ here, here, [cell]
        while stack:
            for over, land, to in self.jumps[stack.pop()]:
                if rest & over and not (rest | reached) & land:
                    reached |= land
                    stack.append(to)
        return reached ^ here if jumps_only else (reached ^ here) | (self.near[cell] & ~occupied)

    def words(self, state):
        return " ".join(self.names[cell] for cell in bits(state))


def image(state, symmetry):
    return sum(1 << symmetry[cell] for cell in bits(state))


class Transfer:
    """Move the army `start` to `target` in as few moves as possible."""

    def __init__(self, board, start, target, jumps_only=False):
        self.board, self.start, self.target, self.jumps_only = board, start, target, jumps_only
        if start.bit_count() != target.bit_count():
            raise Invalid(f"{start.bit_count()} men for a target of {target.bit_count()} cells")
        every = board.symmetries()
        # On a board of one row two linear maps can be one permutation.
        fixing = {tuple(s): s for _, s in every if (image(start, s), image(target, s)) == (start, target)}
        self.fixing = list(fixing.values())
        swaps = [(m, s) for m, s in every if (image(start, s), image(target, s)) == (target, start)
                 and all(s[s[c]] == c for c in range(len(s)))
                 and all([s[k[c]] for c in range(len(s))] == [k[s[c]] for c in range(len(s))] for k in self.fixing)]
        swaps.sort(key=lambda swap: swap[0][0] * swap[0][3] - swap[0][1] * swap[0][2])  # reflections first
        self.mirrors = [s for _, s in swaps]
        self.mirror = self.mirrors[0] if swaps else None

    def successors(self, state):
        for cell in bits(state):
            for end in bits(self.board.ends(state, cell, self.jumps_only)):
                yield cell, end

    def levels(self, origin, depth=None, fixing=None, max_states=None):
        """(states, number of successors, of classes among these) of each level: the least image of each class first
        reached after i moves. The classes of the last level's successors are not counted."""
        fixing = fixing or self.fixing
        moved = [[1 << c for c in k] for k in fixing]
        level, before, stored, at = {min(image(origin, k) for k in fixing)}, set(), 1, 0
        while level:
            generated, following = 0, set()
            for state in level:
                images = [sum(k[c] for c in bits(state)) for k in moved]
                for cell, end in self.successors(state):
                    generated += 1
                    if at != depth:
                        following.add(min(i ^ k[cell] ^ k[end] for i, k in zip(images, moved)))
                guard(stored + len(following), max_states)
            yield level, generated, len(following)
            if at == depth:
                return
            # Moves can be undone, so a successor lies in this level, the one before or the one after.
            level, before, at = following - level - before, level, at + 1
            stored += len(level)

    def after(self, level, before, stored, max_states):
        """The level after these two: for each state the ways to it, for each symmetry in K those that it fixes."""
        following = {}
        for state, ways in level.items():
            for cell, end in self.successors(state):
                after = state ^ (1 << cell) ^ (1 << end)
                if after not in level and after not in before:
                    sums = following.setdefault(after, [0] * len(ways))
                    sums[:] = map(int.__add__, sums, ways)
            guard(stored + len(following), max_states)
        for state, ways in following.items():
            ways[1:] = [n if n and image(state, k) == state else 0 for n, k in zip(ways[1:], self.fixing[1:])]
        return following

    def reversals(self, length, classes, max_states=None):
        """Of the solutions of the shortest length, which are so many up to K: (up to K and the mirrored reversal, those that
        are their own mirrored reversals, these up to K), or None without a mirror.

        A solution that the reversal with k in K leaves alone is its first half, all of which k after k leaves alone, and
        ends where the mirror after k leads on: to itself, or to where the middle move leads.
        """
        if self.mirror is None:
            return None
        level, before, stored = {self.start: [1] * len(self.fixing)}, {}, 1
        for _ in range(length // 2):
            level, before = self.after(level, before, stored, max_states), level
            stored += len(level)
        own, reverse = ([0] * len(self.fixing) for _ in "ab")
        squares = [self.fixing.index([k[c] for c in k]) for k in self.fixing]
        for state, ways in level.items():
            ends = {state} if length % 2 == 0 else {state ^ 1 << c ^ 1 << e for c, e in self.successors(state)}
            for at, k in enumerate(self.fixing):
                if image(image(state, k), self.mirror) in ends:
                    reverse[at] += ways[squares[at]]
                    if at == 0:
                        own = list(map(int.__add__, own, ways))
        order = len(self.fixing)
        return (classes * order + sum(reverse)) // (2 * order), own[0], sum(own) // order

    def shortest(self, limit=None, max_states=None):
        """(shortest length or None, move sequences, those up to K); None: no solution of at most `limit` moves.

        Breadth first from both ends, without symmetry. Beside the number of ways to each state stand, for each
        symmetry in K, those on which it fixes every state: by Burnside's lemma their mean counts classes.
        """
        if self.start == self.target:
            return 0, 1, 1
        near, far = ({end: [1] * len(self.fixing)} for end in (self.start, self.target))
        near_before, far_before, length, stored = {}, {}, 0, 2
        while limit is None or length < limit:
            if len(far) < len(near):
                near, near_before, far, far_before = far, far_before, near, near_before
            following = self.after(near, near_before, stored, max_states)
            stored, length = stored + len(following), length + 1
            if meeting := following.keys() & far.keys():
                fixed = [sum(following[s][i] * far[s][i] for s in meeting) for i in range(len(self.fixing))]
                return length, fixed[0], sum(fixed) // len(fixed)
            if not following:
                break
            near, near_before = following, near
        return None, 0, 0


class Game:
    """Two armies, blue to move first; the first to fill the base of the other wins."""

    def __init__(self, board, start, target):
        self.board, self.start, self.target, self.jumps_only = board, start, target, False
        self.fixing, self.mirrors, self.mirror = Transfer(board, start, target).fixing, [], None

    def won(self, armies, at):
        """Whether the last of `at` moves filled the base of the other side."""
        return at > 0 and armies[(at + 1) % 2] == (self.target, self.start)[(at + 1) % 2]

    def levels(self, depth=None, fixing=None, max_states=None):
        """(states, successors, classes among these, whether some state is won) of each level, as for a transfer; even
        levels have blue to move."""
        fixing = fixing or self.fixing
        level, seen, at = {(self.start, self.target)}, [set(), set()], 0
        while level:
            won = {armies for armies in level if self.won(armies, at)}
            seen[at % 2] |= level
            generated, following = 0, set()
            for armies in level - won:
                for after in self.successors(armies, at % 2):
                    generated += 1
                    if at != depth:
                        following.add(min(tuple(image(army, k) for army in after) for k in fixing))
                guard(len(seen[0]) + len(seen[1]) + len(following), max_states)
            yield level, generated, len(following), bool(won)
            if at == depth:
                return
            at += 1
            level = following - seen[at % 2]

    def successors(self, armies, turn):
        for cell in bits(armies[turn]):
            for end in bits(self.board.ends(armies[0] | armies[1], cell, False)):
                after = list(armies)
                after[turn] ^= (1 << cell) | (1 << end)
                yield tuple(after)

    def shortest(self, limit=None, max_states=None):
        """As for a transfer; the numbers of solutions: see counts."""
        lengths = (at for at, (*_, won) in enumerate(self.levels(limit, None, max_states)) if won)
        return next(lengths, None), None, None

    def counts(self, length, max_states=None):
        """Of the games of this length, the shortest: (how many, up to K, last positions, these up to K).

        Without symmetry; beside the number of ways to each state those that each symmetry in K fixes, as for a transfer.
        """
        ways, seen = {(self.start, self.target): [1] * len(self.fixing)}, [set(), set()]
        for at in range(length):
            seen[at % 2] |= ways.keys()
            following = {}
            for armies, numbers in ways.items():
                for after in self.successors(armies, at % 2):
                    # A state met again with the same side to move is on no shortest game.
                    if after not in seen[(at + 1) % 2]:
                        sums = following.setdefault(after, [0] * len(numbers))
                        sums[:] = map(int.__add__, sums, numbers)
                guard(len(seen[0]) + len(seen[1]) + len(following), max_states)
            for state, sums in following.items():
                fixed = [tuple(image(army, k) for army in state) == state for k in self.fixing]
                sums[:] = [n if keeps else 0 for n, keeps in zip(sums, fixed)]
            ways = following
        last = {state: numbers for state, numbers in ways.items() if self.won(state, length)}
        sums = [sum(numbers[at] for numbers in last.values()) for at in range(len(self.fixing))]
        classes = {min(tuple(image(army, k) for army in state) for k in self.fixing) for state in last}
        return sums[0], sum(sums) // len(sums), len(last), len(classes)

    def key(self, armies, at):
        """The number that stands for a state in digests: whose turn it is, blue's rank, red's rank, side by side."""
        width = comb(len(self.board.places), self.start.bit_count()).bit_length()
        return (at % 2 << width | rank(armies[0])) << width | rank(armies[1])


def guard(states, most):
    if most is not None and states > most:
        raise TooLarge(f"more than {most} states")


def rank(state):
    """Men on c_1 < c_2 < ... have rank C(c_1, 1) + C(c_2, 2) + ..., which orders states as their integers do."""
    return sum(comb(cell, j) for j, cell in enumerate(bits(state), 1))


def fmix(x):
    x = (x ^ x >> 33) * FMIX_1 & M64
    x = (x ^ x >> 33) * FMIX_2 & M64
    return x ^ x >> 33


def digest(keys, under=DIGEST_KEYS):
    """The sum modulo 2^128 of the keys, mixed one by one: 32 hex digits."""
    total = 0
    for key in keys:
        halves = list(under)
        for i in range(4):
            word = key >> 64 * i & M64
            halves = [fmix((h ^ word) + GOLDEN * (i + 1) & M64) for h in halves]
        total += (halves[0] << 64) + halves[1]
    return f"{total & M128:032x}"


def written_moves(problem, text):
    """The moves of a written solution, each the names of its landings; `(reflect)` is carried out."""
    text, reflect = re.subn(r"\(reflect\)", "", text)
    moves = [re.sub(r"\s", "", move).split("-") for move in text.split(",") if move.strip()]
    if not reflect:
        return moves
    board = problem.board
    if not moves or getattr(problem, "mirror", None) is None:
        raise Wrong("(reflect), but " + ("no symmetry swaps the start and the target" if moves else "no moves"))
    for name in (name for move in moves for name in move if name and name not in board.by_name):
        raise Wrong(f"{name}: no cell of the board")
    mirror = lambda move: [board.names[problem.mirror[board.by_name[name]]] for name in reversed(move)]
    if moves[-1][-1]:
        return moves + [mirror(move) for move in reversed(moves)]
    half = moves.pop()[:-1]
    # A landing that the mirror leaves alone is the middle itself and stands once.
    whole = half + mirror(half)[mirror(half)[0] == half[-1]:]
    return moves + [whole] + [mirror(move) for move in reversed(moves)]


def replay(problem, moves):
    """Plays `moves`; Wrong where one breaks a rule, or the goal is not reached, or reached before the last move."""
    board, game = problem.board, isinstance(problem, Game)
    armies = [problem.start, problem.target] if game else [problem.start, 0]
    goals = [problem.target, problem.start]
    done = not game and problem.start == problem.target
    for number, move in enumerate(moves, 1):
        where = f"move {number}, {'-'.join(move)}"
        side = (number - 1) % 2 if game else 0
        unknown = [name for name in move if name not in board.by_name]
        if done or unknown or len(move) < 2:
            raise Wrong(f"{where}: {'the goal was reached before' if done else 'not a chain of cells'}")
        cells = [board.by_name[name] for name in move]
        if not armies[side] >> cells[0] & 1 or cells[0] == cells[-1]:
            raise Wrong(f"{where}: {'no man of the mover there' if cells[0] != cells[-1] else 'goes nowhere'}")
        armies[side] ^= 1 << cells[0]
        others = armies[0] | armies[1]
        for here, there in zip(cells, cells[1:]):
            (x, y), (u, v) = board.places[here], board.places[there]
            step = len(cells) == 2 and not problem.jumps_only and (u - x, v - y) in RULES[board.moves]
            over = board.index.get(((x + u) // 2, (y + v) // 2))
            jump = (u - x) % 2 == (v - y) % 2 == 0 and ((u - x) // 2, (v - y) // 2) in RULES[board.moves] \
                and over is not None and others >> over & 1
            if others >> there & 1 or not (step or jump):
                raise Wrong(f"{where}: {board.names[here]}-{board.names[there]} is neither a step nor a jump")
        armies[side] |= 1 << cells[-1]
        done = armies[side] == goals[side]
    if not done:
        raise Wrong(f"the goal is not reached after {len(moves)} moves")
