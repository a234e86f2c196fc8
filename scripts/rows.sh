#!/usr/bin/env bash
# Writes the tables of results/rows: shifting checkers solved for n, m <= 12, moving pairs counted, reversals for all
# places of the vacancy.
#
#   scripts/rows.sh [PAIRS_MAX [REVERSE_MAX]]     default 18 and 9: two minutes and 2 GB on two cores
set -euo pipefail
cd "$(dirname "$0")/.."
pairs_max=${1:-18} reverse_max=${2:-9}
# HALMA names another binary than the one built here, ROWS_MEMORY what counting may take (n = 20 took 10.3 GB).
[ -n "${HALMA:-}" ] || cargo build --release --quiet
halma=${HALMA:-target/release/halma}
memory=(${ROWS_MEMORY:+--memory "$ROWS_MEMORY"})
out=results/rows
mkdir -p "$out"
made="Made by \`${ROWS_MEMORY:+ROWS_MEMORY='$ROWS_MEMORY' }scripts/rows.sh $pairs_max $reverse_max\`."

# JSON documents, one a line, as a JSON array.
array() { sed -e '1s/^/[/' -e '2,$s/^/,/' -e '$s/$/]/'; }

for n in $(seq 0 12); do
    for m in $(seq 0 12); do "$halma" row shift "$n" "$m" --solve --json; done
done | array >"$out/shift.json"
{
    echo "# Shifting checkers: minima found by search, and numbers of shortest solutions"
    echo
    echo "$made \`halma row shift N M --solve\` tries all twelve kinds of moves and refutes every shorter length;"
    echo "the numbers of solutions are those of the paper's Theorem 4, which \`tests/suite/rows.rs\` compares with exhaustive enumeration."
    echo
    echo "| n \\ m |$(printf ' %s |' $(seq 0 12))"
    echo "|$(printf ' --- |%.0s' $(seq 0 13))"
    tr -d '[]' <"$out/shift.json" | sed -nE 's/.*"m":([0-9]+),"n":([0-9]+).*"minimum":([0-9]+),"count":([0-9]+).*/\2 \1 \3 (\4) |/p' |
        while read -r n m cell; do
            if ((m == 0)); then printf '| %s |' "$n"; fi
            printf ' %s' "$cell"
            if ((m == 12)); then echo; fi
        done
} >"$out/shift.md"

for n in $(seq 0 "$pairs_max"); do "$halma" row pairs "$n" --count --json "${memory[@]}"; done | array >"$out/pairs.json"
{
    echo "# Moving pairs: shortest solutions, counted by exhaustive search"
    echo
    echo "$made Row n is \`halma row pairs N --count --json\`."
    echo
    echo "The paper suspects 2^(n-4), from n = 8 and 9; 96 at n = 10 refutes it. **Conjecture** (fits every count from n = 4 on; not"
    echo "proved): for n = 4j + r, with C(j) the Catalan numbers,"
    echo
    echo "    (j!)^4 C(j-1),  (j!)^4 j C(j-1),  (j!)^4 j(j+1)/2 C(j),  (j!)^4 j(j+1)^2/2 C(j)     for r = 0, 1, 2, 3."
    echo
    echo "| n | moves | solutions, counted | 2^(n-4) | conjecture |"
    echo "| --- | --- | --- | --- | --- |"
    tr -d '[]' <"$out/pairs.json" | sed -nE 's/.*"n":([0-9]+).*"minimum":([0-9a-z]+),"count":([0-9]+).*/\1 \2 \3/p' |
        while read -r n minimum count; do
            power= conjecture=
            if ((n >= 4)); then power=$((1 << (n - 4))) conjecture=$("$halma" row pairs "$n" --conjecture); fi
            if [ "$n" -ge 4 ] && [ "$conjecture" != "$count" ]; then
                echo "rows.sh: n = $n: the conjecture says $conjecture, counted are $count" >&2
                exit 1
            fi
            echo "| $n | ${minimum/null/unsolvable} | $count | $power | $conjecture |"
        done
} >"$out/pairs.md"

for n in $(seq 1 "$reverse_max"); do "$halma" row reverse "$n" --table --json; done | array >"$out/reversal.json"
{
    echo "# Reversals: minima, and numbers of shortest solutions in brackets"
    echo
    echo "$made The table for n is \`halma row reverse N --table\`: s and f are the places of the vacancy at the start and at"
    echo "the end."
    echo
    echo "**Formula**, with t = min(s + f, 2n - s - f): n odd: n(n+1)/2 + n - t, less 2 for each of s and f that is 0 (where"
    echo "s + f > n: that is n), and just n(n+1)/2 where t = n. n even: n(n+1)/2 - 2 + t, and n(n+1)/2 where t = 0. (n = 1 and, for"
    echo "n = 2, a vacancy that goes from one end to the other are exceptions.) A construction attains it for every n (\`halma row"
    echo "reverse N --start S --end F\`). That nothing is shorter is proved for n even and t <= 1, and for n odd and t = n or {s, f} ="
    echo "{0, n - 1} or {1, n}; found by search for all s and f here; and a **conjecture** beyond."
    for n in $(seq 1 "$reverse_max"); do
        echo
        "$halma" row reverse "$n" --table
    done
} >"$out/reversal.md"
