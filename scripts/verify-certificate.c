/* Verifies certificates: "no way of at most L moves leads from the start to the target". docs/certificate.md says what is
   checked and why that is a proof; this follows it, from the rules alone. Nothing but the C library (and an unsigned
   64-bit type) is used. Status: 0 all hold, 4 one does not, 2 one cannot be read. */

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { CELLS = 128, MEN = 64, CLASSES = 32, ORDER = 16, LEVELS = 250, DIRECTIONS = 64, FAR = 1000 };

typedef uint64_t u64;
typedef unsigned char byte;

static const char *file;
static jmp_buf next_file;

/* Ends the file that is looked at, with that status. */
static void end(int status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    printf("%s: %s: ", file, status == 2 ? "cannot be read" : "REFUSED");
    vprintf(format, arguments);
    printf("\n");
    va_end(arguments);
    longjmp(next_file, status);
}

#define UNREADABLE(...) end(2, __VA_ARGS__)
#define REFUSE(...) end(4, __VA_ARGS__)

static void *room_for(u64 count, u64 size)
{
    void *p = count > SIZE_MAX / 2 / size ? NULL : malloc(count * size + 1);
    if (!p)
        UNREADABLE("memory does not suffice for it");
    return p;
}

/* What the file says. */

static int cells, directions, jumps_only, men, length, order, classes, leading, meeting, behind, half;
static int x[CELLS], y[CELLS], dx[DIRECTIONS], dy[DIRECTIONS];
static byte start[MEN], target[MEN], fixing[ORDER][CELLS], mirror[CELLS], class_of[CELLS];
static int offset, value[CLASSES];

struct family {
    const char *name;
    int levels;
    u64 count[LEVELS], *key[LEVELS];
};
static struct family first = {"F", 0, {0}, {0}}, ahead = {"E", 0, {0}, {0}}, back = {"G", 0, {0}, {0}};

/* Reading. */

static FILE *in;
static u64 at;

static u64 number(void)
{
    u64 sum = 0;
    for (int shift = 0;; shift += 7) {
        int c = getc_unlocked(in);
        if (c == EOF)
            UNREADABLE("it ends early, at byte %" PRIu64, at);
        at++;
        if (shift > 56 || (shift == 56 && (c & 0x7f) > 31))
            UNREADABLE("a number of more than 61 bits before byte %" PRIu64, at);
        sum |= (u64)(c & 0x7f) << shift;
        if (!(c & 0x80)) {
            if (!c && shift)
                UNREADABLE("a number with an idle byte before byte %" PRIu64, at);
            return sum;
        }
    }
}

static int bounded(const char *what, int most)
{
    u64 n = number();
    if (most < 0 || n > (u64)most)
        UNREADABLE("%s is %" PRIu64 ", more than %d, before byte %" PRIu64, what, n, most, at);
    return (int)n;
}

static void some_cells(byte *to, int count)
{
    for (int i = 0; i < count; i++)
        to[i] = (byte)bounded("a cell", cells - 1);
}

/* choose[n][k]: ways to choose k of n, or 2^61 where there are more. */
static u64 choose[CELLS + 1][MEN + 2];

static void binomials(void)
{
    for (int n = 0; n <= cells; n++)
        for (int k = 0; k <= men + 1; k++) {
            u64 sum = k == 0 ? 1 : n == 0 ? 0 : choose[n - 1][k - 1] + choose[n - 1][k];
            choose[n][k] = sum < (u64)1 << 61 ? sum : (u64)1 << 61;
        }
    if (choose[cells][men] >= (u64)1 << 61)
        UNREADABLE("its states do not fit numbers of 61 bits");
}

static void read_family(struct family *f)
{
    f->levels = bounded("the number of levels", LEVELS);
    for (int level = 0; level < f->levels; level++) {
        u64 count = number(), before = 0, held = 0;
        f->count[level] = 0;
        for (u64 i = 0; i < count; i++) {
            u64 step = number();
            if (!step && i)
                UNREADABLE("two like states on level %d of %s, before byte %" PRIu64, level, f->name, at);
            before += step;
            if (before >= choose[cells][men])
                UNREADABLE("a state that there is not, on level %d of %s, before byte %" PRIu64, level, f->name, at);
            if (i == held) {
                /* Not what the file promises, but what it has. */
                u64 more = held ? 2 * held : 64;
                if (more > count)
                    more = count;
                u64 *keys = room_for(more, sizeof *keys);
                if (held)
                    memcpy(keys, f->key[level], held * sizeof *keys);
                free(f->key[level]);
                f->key[level] = keys;
                held = more;
            }
            f->key[level][i] = before;
            f->count[level]++;
        }
    }
}

static void read_all(void)
{
    char magic[17] = {0};
    if (fread(magic, 1, 16, in) != 16 || strcmp(magic, "halma refutes 01"))
        UNREADABLE("it does not begin with \"halma refutes 01\"");
    at = 16;
    cells = bounded("the number of cells", CELLS);
    for (int c = 0; c < cells; c++)
        x[c] = bounded("x", 255), y[c] = bounded("y", 255);
    directions = bounded("the number of directions", DIRECTIONS);
    for (int d = 0; d < directions; d++)
        dx[d] = bounded("dx", 16) - 8, dy[d] = bounded("dy", 16) - 8;
    jumps_only = bounded("jumps only", 1);
    men = bounded("the number of men", cells < MEN ? cells : MEN);
    some_cells(start, men);
    some_cells(target, men);
    length = bounded("the length", LEVELS - 1);
    order = bounded("the order of K", ORDER);
    for (int k = 0; k < order; k++)
        some_cells(fixing[k], cells);
    classes = bounded("the number of classes", CLASSES);
    for (int c = 0; c < cells; c++)
        class_of[c] = (byte)bounded("a class", classes - 1);
    leading = bounded("leading", 1);
    if (leading) {
        some_cells(mirror, cells);
        offset = bounded("the offset", 1000);
        for (int q = 0; q < classes; q++)
            value[q] = bounded("a value", 2000);
    }
    meeting = bounded("the meeting level", length);
    behind = bounded("the bound behind", 1);
    half = leading ? length / 2 : 0;
    binomials();
    read_family(&first);
    read_family(&ahead);
    read_family(&back);
    if (getc(in) != EOF)
        UNREADABLE("bytes too many, from byte %" PRIu64 " on", at);
}

/* The board: cell numbers by place, or -1. */

static short place[256 + 64][256 + 64];

static int cell_at(int x, int y)
{
    return place[x + 32][y + 32];
}

static void check_board(void)
{
    memset(place, -1, sizeof place);
    for (int c = 0; c < cells; c++) {
        if (cell_at(x[c], y[c]) >= 0)
            REFUSE("cells %d and %d are at one place", cell_at(x[c], y[c]), c);
        place[x[c] + 32][y[c] + 32] = (short)c;
    }
    for (int d = 0; d < directions; d++) {
        int e = 0;
        while (e < directions && (dx[e] != -dx[d] || dy[e] != -dy[d]))
            e++;
        if (e == directions)
            REFUSE("direction %d, %d has no opposite", dx[d], dy[d]);
    }
    for (int i = 1; i < men; i++)
        if (start[i - 1] >= start[i] || target[i - 1] >= target[i])
            REFUSE("the start's or the target's cells do not ascend");
    if (meeting < half)
        REFUSE("the levels meet on level %d, before the middle", meeting);
}

/* Permutations. */

static void check_automorphism(const byte *k, const char *name)
{
    byte hit[CELLS] = {0};
    for (int c = 0; c < cells; c++) {
        if (hit[k[c]]++)
            REFUSE("%s takes two cells to cell %d", name, k[c]);
        for (int d = 0; d < directions; d++) {
            int over = cell_at(x[c] + dx[d], y[c] + dy[d]), land = cell_at(x[c] + 2 * dx[d], y[c] + 2 * dy[d]);
            if (over < 0)
                continue;
            /* A step to some direction; and a jump goes on in that one. */
            int found = 0;
            for (int e = 0; e < directions && !found; e++)
                found = cell_at(x[k[c]] + dx[e], y[k[c]] + dy[e]) == k[over]
                    && (land < 0 || cell_at(x[k[c]] + 2 * dx[e], y[k[c]] + 2 * dy[e]) == k[land]);
            if (!found)
                REFUSE("%s does not keep what leads from cell %d over cell %d", name, c, over);
        }
    }
}

static void check_takes(const byte *k, const byte *from, const byte *to, const char *name)
{
    byte in_to[CELLS] = {0};
    for (int i = 0; i < men; i++)
        in_to[to[i]] = 1;
    for (int i = 0; i < men; i++)
        if (!in_to[k[from[i]]])
            REFUSE("%s takes cell %d to cell %d, where it may not", name, from[i], k[from[i]]);
}

static void check_symmetries(void)
{
    int identity = 0;
    for (int k = 0; k < order; k++) {
        check_automorphism(fixing[k], "a permutation of K");
        check_takes(fixing[k], start, start, "a permutation of K");
        check_takes(fixing[k], target, target, "a permutation of K");
        int still = 1;
        for (int c = 0; c < cells; c++) {
            still &= fixing[k][c] == c;
            if (leading && value[class_of[fixing[k][c]]] != value[class_of[c]])
                REFUSE("a permutation of K changes the value of cell %d", c);
        }
        identity |= still;
        for (int l = 0; l < order; l++) {
            int together = 0;
            while (together < order) {
                int c = 0;
                while (c < cells && fixing[together][c] == fixing[l][fixing[k][c]])
                    c++;
                if (c == cells)
                    break;
                together++;
            }
            if (together == order)
                REFUSE("K is no group: permutations %d and %d together are not in it", k, l);
        }
    }
    if (!identity)
        REFUSE("K lacks the identity");
    if (leading) {
        check_automorphism(mirror, "the mirror");
        check_takes(mirror, start, target, "the mirror");
        check_takes(mirror, target, start, "the mirror");
        for (int c = 0; c < cells; c++)
            if (value[class_of[mirror[c]]] + value[class_of[c]] != 2 * offset)
                REFUSE("the mirror does not negate the value of cell %d", c);
    }
}

/* Histograms: their entries are the digits of their numbers. */

static int room[CLASSES];
static u64 weight[CLASSES];
/* Sets of classes, a bit each: where steps from one lead to, and jumps from one over another. */
static uint32_t step_to[CLASSES], jump_to[CLASSES][CLASSES];

static void make_classes(void)
{
    memset(room, 0, sizeof room);
    memset(step_to, 0, sizeof step_to);
    memset(jump_to, 0, sizeof jump_to);
    for (int c = 0; c < cells; c++) {
        int q = class_of[c];
        room[q]++;
        for (int d = 0; d < directions; d++) {
            int over = cell_at(x[c] + dx[d], y[c] + dy[d]), land = cell_at(x[c] + 2 * dx[d], y[c] + 2 * dy[d]);
            if (over >= 0)
                step_to[q] |= (uint32_t)1 << class_of[over];
            if (over >= 0 && land >= 0)
                jump_to[q][class_of[over]] |= (uint32_t)1 << class_of[land];
        }
    }
    u64 product = 1;
    for (int q = 0; q < classes; q++) {
        u64 radix = (u64)(room[q] < men ? room[q] : men) + 1;
        weight[q] = product;
        if (product > ((u64)1 << 60) / radix)
            UNREADABLE("too many histograms");
        product *= radix;
    }
}

static u64 histogram_of(const byte *army, byte *h)
{
    u64 n = 0;
    memset(h, 0, CLASSES);
    for (int i = 0; i < men; i++)
        h[class_of[army[i]]]++, n += weight[class_of[army[i]]];
    return n;
}

static void histogram(u64 n, byte *h)
{
    for (int q = 0; q < classes; q++) {
        u64 radix = (u64)(room[q] < men ? room[q] : men) + 1;
        h[q] = (byte)(n % radix);
        n /= radix;
    }
}

/* The numbers of the histograms one abstract move from h (whose number is n), some perhaps twice; how many. */
static int abstract_moves(byte *h, u64 n, u64 *to)
{
    int count = 0;
    for (int q = 0; q < classes; q++) {
        if (!h[q])
            continue;
        h[q]--;
        uint32_t manned = 0, room_left = 0, reached = (uint32_t)1 << q, todo = reached;
        for (int r = 0; r < classes; r++) {
            manned |= (uint32_t)(h[r] > 0) << r;
            room_left |= (uint32_t)(h[r] < room[r]) << r;
        }
        for (int from = 0; todo; from = (from + 1) % classes) {
            if (!(todo >> from & 1))
                continue;
            uint32_t land = 0;
            for (int over = 0; over < classes; over++)
                if (manned >> over & 1)
                    land |= jump_to[from][over];
            land &= room_left & ~reached;
            reached |= land;
            todo = (todo & ~((uint32_t)1 << from)) | land;
        }
        if (!jumps_only)
            reached |= step_to[q] & room_left;
        for (int r = 0; r < classes; r++)
            if (r != q && (reached >> r & 1))
                to[count++] = n - weight[q] + weight[r];
        h[q]++;
    }
    return count;
}

/* Tables of distances: histograms in the order in which they were entered, and found by open addressing. */

struct table {
    u64 count, mask, *entered;
    byte *far;
    struct slot {
        u64 n;
        int far_and_1; /* or 0, where it is empty */
    } *slot;
};
static struct table from_start, to_target, to_middles, to_meeting;

static struct slot *slot_of(const struct table *t, u64 n)
{
    u64 s = (n * 0x9e3779b97f4a7c15) >> 20 & t->mask;
    while (t->slot[s].far_and_1 && t->slot[s].n != n)
        s = (s + 1) & t->mask;
    return &t->slot[s];
}

static int distance(const struct table *t, u64 n)
{
    const struct slot *s = slot_of(t, n);
    return s->far_and_1 ? s->far_and_1 - 1 : FAR;
}

/* Makes room for as many histograms as half of the slots. */
static void resize(struct table *t, u64 slots)
{
    u64 *entered = realloc(t->entered, slots / 2 * sizeof *entered);
    if (entered)
        t->entered = entered;
    byte *far = realloc(t->far, slots / 2);
    if (far)
        t->far = far;
    struct slot *slot = calloc(slots, sizeof *slot);
    if (!entered || !far || !slot) {
        free(slot);
        UNREADABLE("memory does not suffice for it");
    }
    free(t->slot);
    t->slot = slot;
    t->mask = slots - 1;
    for (u64 i = 0; i < t->count; i++)
        *slot_of(t, t->entered[i]) = (struct slot){t->entered[i], t->far[i] + 1};
}

static void enter(struct table *t, u64 n, int far)
{
    if (slot_of(t, n)->far_and_1)
        return;
    if (2 * (t->count + 1) > t->mask)
        resize(t, 2 * (t->mask + 1));
    t->entered[t->count] = n;
    t->far[t->count++] = (byte)far;
    *slot_of(t, n) = (struct slot){n, far + 1};
}

static void empty(struct table *t)
{
    free(t->entered), free(t->far), free(t->slot);
    *t = (struct table){0, 0, NULL, NULL, NULL};
    resize(t, 1024);
}

/* All distances up to last, from what was entered at 0; of histograms for which other + distance <= limit alone. */
static void fill(struct table *t, int last, const struct table *other, int limit)
{
    byte h[CLASSES];
    u64 to[CLASSES * CLASSES];
    for (u64 i = 0; i < t->count && t->far[i] < last; i++) {
        int far = t->far[i] + 1;
        histogram(t->entered[i], h);
        for (int j = abstract_moves(h, t->entered[i], to); j--;)
            if (!other || distance(other, to[j]) + far <= limit)
                enter(t, to[j], far);
    }
}

static long weigh(const byte *h)
{
    long sum = 0;
    for (int q = 0; q < classes; q++)
        sum += (long)h[q] * value[q];
    return sum;
}

static int leads(byte *h, u64 n)
{
    long mark = (long)men * offset, w = weigh(h);
    if (length % 2 == 0 || w >= mark)
        return w >= mark;
    byte g[CLASSES];
    u64 to[CLASSES * CLASSES];
    for (int j = abstract_moves(h, n, to); j--;) {
        histogram(to[j], g);
        if (w + weigh(g) >= 2 * mark)
            return 1;
    }
    return 0;
}

/* States. */

static u64 key_of(const byte *army)
{
    u64 key = 0;
    for (int i = 0; i < men; i++)
        key += choose[army[i]][i + 1];
    return key;
}

static void army_of(u64 key, byte *army)
{
    int c = cells - 1;
    for (int i = men; i--; c--) {
        while (choose[c][i + 1] > key)
            c--;
        army[i] = (byte)c;
        key -= choose[c][i + 1];
    }
}

static void image(const byte *k, const byte *army, byte *to)
{
    for (int i = 0; i < men; i++) {
        byte c = k[army[i]];
        int j = i;
        for (; j && to[j - 1] > c; j--)
            to[j] = to[j - 1];
        to[j] = c;
    }
}

/* The least key of the army's class under K; the army may have any order. */
static u64 least_key(const byte *army)
{
    u64 least = UINT64_MAX;
    byte to[MEN];
    for (int k = 0; k < order; k++) {
        image(fixing[k], army, to);
        u64 key = key_of(to);
        if (key < least)
            least = key;
    }
    return least;
}

static int on_level(const struct family *f, int level, u64 key)
{
    if (level < 0 || level >= f->levels)
        return 0;
    u64 low = 0, high = f->count[level];
    while (low < high) {
        u64 middle = low + (high - low) / 2;
        if (f->key[level][middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low < f->count[level] && f->key[level][low] == key;
}

/* Another state of the class would never be found where it is looked for. */
static void check_least(const struct family *f)
{
    byte army[MEN];
    for (int level = 0; level < f->levels; level++)
        for (u64 s = 0; s < f->count[level]; s++) {
            army_of(f->key[level][s], army);
            if (least_key(army) != f->key[level][s])
                REFUSE("%s: state %" PRIu64 " of level %d is not the least of its class under K", f->name, s, level);
        }
}

static u64 successors;

/* By cell and direction: the next cell, and the one after it if both are there; else -1. */
static short next_cell[CELLS][DIRECTIONS], cell_after[CELLS][DIRECTIONS];

static void make_lines(void)
{
    for (int c = 0; c < cells; c++)
        for (int d = 0; d < directions; d++) {
            int over = cell_at(x[c] + dx[d], y[c] + dy[d]), land = cell_at(x[c] + 2 * dx[d], y[c] + 2 * dy[d]);
            next_cell[c][d] = (short)over;
            cell_after[c][d] = (short)(over >= 0 ? land : -1);
        }
}

/* Every successor of the states before level last is on the next level or an earlier one, or is cut: its level and its
   distance in the table, which are both of moves, are more than limit together. */
static void check_closed(const struct family *f, int last, const struct table *bound, int limit)
{
    /* A new stamp for each man of each state, so that `seen` is never cleared. 64 bits do not overflow. */
    static u64 stamp, seen[CELLS];
    /* What the table says of a man's going from class to class, which several men do: since which state, and the distance. */
    static struct {
        u64 since;
        int far;
    } known[CLASSES][CLASSES];
    static u64 states_seen;
    for (int level = 0; level < f->levels && level < last; level++) {
        for (u64 s = 0; s < f->count[level]; s++) {
            byte army[MEN], h[CLASSES], occupied[CELLS] = {0}, todo[CELLS];
            army_of(f->key[level][s], army);
            u64 n = histogram_of(army, h);
            states_seen++;
            for (int i = 0; i < men; i++)
                occupied[army[i]] = 1;
            for (int i = 0; i < men; i++) {
                int from = army[i], waiting = 0, done = 0;
                occupied[from] = 0;
                seen[from] = ++stamp;
                todo[waiting++] = (byte)from;
                /* todo: where he comes by jumps, in order; then the steps, which lead no further. */
                while (done < waiting) {
                    int c = todo[done++];
                    for (int d = 0; d < directions; d++) {
                        int over = next_cell[c][d], land = cell_after[c][d];
                        if (land >= 0 && occupied[over] && !occupied[land] && seen[land] != stamp)
                            seen[land] = stamp, todo[waiting++] = (byte)land;
                    }
                }
                for (int d = 0; d < directions && !jumps_only; d++) {
                    int to = next_cell[from][d];
                    if (to >= 0 && !occupied[to] && seen[to] != stamp)
                        seen[to] = stamp, todo[waiting++] = (byte)to;
                }
                for (done = 1; done < waiting; done++) {
                    int to = todo[done], q = class_of[from], r = class_of[to];
                    successors++;
                    if (bound && known[q][r].since != states_seen) {
                        known[q][r].since = states_seen;
                        known[q][r].far = distance(bound, n - weight[q] + weight[r]);
                    }
                    if (bound && level + 1 + known[q][r].far > limit)
                        continue;
                    army[i] = (byte)to;
                    u64 key = least_key(army);
                    int there = level + 1;
                    while (there >= 0 && !on_level(f, there, key))
                        there--;
                    if (there < 0)
                        REFUSE("%s: state %" PRIu64 " of level %d: the man on cell %d goes to cell %d, which leads to the state of "
                               "key %" PRIu64 ": it is on no level up to the next, and not cut",
                               f->name, s, level, from, to, key);
                }
                army[i] = (byte)from;
                occupied[from] = 1;
            }
        }
    }
}

/* Begins a table with the histogram of an army. */
static void from_army(struct table *t, const byte *army)
{
    byte h[CLASSES];
    empty(t);
    enter(t, histogram_of(army, h), 0);
}

static void check_levels(void)
{
    byte army[MEN], to[MEN], h[CLASSES];
    from_army(&to_target, target);
    fill(&to_target, length - half, NULL, 0);
    if (leading) {
        from_army(&from_start, start);
        fill(&from_start, half, NULL, 0);
        empty(&to_middles);
        for (u64 i = 0; i < to_target.count; i++) {
            u64 n = to_target.entered[i];
            histogram(n, h);
            if (distance(&from_start, n) <= half && leads(h, n))
                enter(&to_middles, n, 0);
        }
        fill(&to_middles, half, &from_start, half);
        if (!on_level(&first, 0, least_key(start)))
            REFUSE("F: the start is not on level 0");
        check_closed(&first, half, &to_middles, half);
        for (int level = 0; level < first.levels; level++)
            for (u64 s = 0; s < first.count[level]; s++) {
                army_of(first.key[level][s], army);
                u64 n = histogram_of(army, h);
                if (distance(&to_target, n) <= length - half && leads(h, n) && !on_level(&ahead, 0, least_key(army)))
                    REFUSE("F: state %" PRIu64 " of level %d is a middle, and not on level 0 of E", s, level);
            }
    } else if (!on_level(&ahead, 0, least_key(start)))
        REFUSE("E: the start is not on level 0");
    /* States on the meeting level are not expanded: the levels from the target (G) take over there. */
    check_closed(&ahead, meeting - half, &to_target, length - half);

    if (behind) {
        empty(&to_meeting);
        for (int level = 0; level < ahead.levels; level++)
            for (u64 s = 0; s < ahead.count[level]; s++) {
                army_of(ahead.key[level][s], army);
                if (distance(&to_target, histogram_of(army, h)) > length - meeting)
                    continue;
                for (int k = 0; k < order; k++) {
                    image(fixing[k], army, to);
                    enter(&to_meeting, histogram_of(to, h), 0);
                }
            }
        fill(&to_meeting, length - meeting, &to_target, length - meeting);
    }
    if (!on_level(&back, 0, least_key(target)))
        REFUSE("G: the target is not on level 0");
    check_closed(&back, length - meeting, behind ? &to_meeting : NULL, length - meeting);
    for (int i = 0; i < ahead.levels; i++)
        for (int j = 0; j < back.levels; j++) {
            int swap = ahead.count[i] > back.count[j];
            const struct family *few = swap ? &back : &ahead, *many = swap ? &ahead : &back;
            int a = swap ? j : i, b = swap ? i : j;
            for (u64 s = 0; s < few->count[a]; s++)
                if (on_level(many, b, few->key[a][s]))
                    REFUSE("level %d of E and level %d of G have the state of key %" PRIu64 " in common", i, j, few->key[a][s]);
        }
}

static u64 states(const struct family *f)
{
    u64 sum = 0;
    for (int level = 0; level < f->levels; level++)
        sum += f->count[level];
    return sum;
}

static void say(const char *before, const byte *army)
{
    printf("%s", before);
    for (int i = 0; i < men; i++)
        printf(" %d,%d", x[army[i]], y[army[i]]);
}

/* The board, so that who reads the verdict knows of which one it is: as a rectangle, or each cell. */
static void say_board(void)
{
    int width = 0, height = 0;
    for (int c = 0; c < cells; c++) {
        width = x[c] >= width ? x[c] + 1 : width;
        height = y[c] >= height ? y[c] + 1 : height;
    }
    printf("%d men on %d cells (", men, cells);
    if (width * height == cells)
        printf("%d by %d", width, height);
    for (int c = 0; width * height != cells && c < cells; c++)
        printf("%s%d,%d", c ? " " : "", x[c], y[c]);
    printf("), %d directions (", directions);
    for (int d = 0; d < directions; d++)
        printf("%s%d,%d", d ? " " : "", dx[d], dy[d]);
    printf(")%s,", jumps_only ? ", jumps only" : "");
}

static void verify(void)
{
    clock_t begun = clock();
    successors = 0;
    read_all();
    check_board();
    check_symmetries();
    make_classes();
    make_lines();
    check_least(&first), check_least(&ahead), check_least(&back);
    check_levels();
    printf("%s: PROVED: ", file);
    say_board();
    say(" from", start);
    say(" to", target);
    printf(": no way of at most %d moves; %" PRIu64 " states, %" PRIu64 " successors, %.1f s\n", length,
           states(&first) + states(&ahead) + states(&back), successors, (double)(clock() - begun) / CLOCKS_PER_SEC);
}

static void forget(struct family *f)
{
    for (int level = 0; level < LEVELS; level++) {
        free(f->key[level]);
        f->key[level] = NULL;
        f->count[level] = 0;
    }
    f->levels = 0;
}

int main(int count, char **files)
{
    volatile int worst = 0;
    if (count < 2) {
        fprintf(stderr, "usage: verify-certificate FILE...\n");
        return 2;
    }
    for (volatile int i = 1; i < count; i++) {
        file = files[i];
        in = fopen(file, "rb");
        volatile int status = 2;
        if (!in)
            printf("%s: cannot be read: it cannot be opened\n", file);
        else
            switch (setjmp(next_file)) {
            case 0:
                verify();
                status = 0;
                break;
            case 4:
                status = 4;
                break;
            }
        if (in)
            fclose(in);
        forget(&first), forget(&ahead), forget(&back);
        /* A refusal is worse than what nobody could read. */
        if (status == 4 || !worst)
            worst = status ? status : worst;
        fflush(stdout);
    }
    /* What nobody could read is not proved to anybody. */
    if (fflush(stdout) || ferror(stdout))
        return 2;
    return worst;
}
