#!/usr/bin/env bash
# Fills a small file system, and the disk that a job may use: the run stops with status 3, says what is full, and goes on
# to the undisturbed record once there is room.
#
#   scripts/full-disk-test.sh [BINARY]        needs root for the mount; without it that half is skipped, and said so
set -euo pipefail
halma=$(realpath "${1:-target/release/halma}")
root=$(mktemp -d)
mounted=
cleanup() {
    if [ -n "$mounted" ]; then umount "$root/small"; fi
    rm -r "$root"
}
trap cleanup EXIT

job() { # FILE [LINE]
    printf '%s\n' '[problem]' 'kind = "transfer"' 'board = "9x9"' 'moves = 6' 'army = "triangle-4"' \
        '[limits]' 'memory = "64 MiB"' 'checkpoint = "20 ms"' "${2:-}" >"$1"
}
levels() { "$halma" levels "$1" --depth 7 -q --json --output-dir "$2"; } # JOB FOLDER

# A record without times, memory and bytes written.
bare() { grep -vE '"(finished|seconds|cpu_seconds|peak_memory_bytes|disk_bytes_written)":' "$1"; }

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

# NAME FOLDER STATUS: what a stopped run must look like.
stopped() {
    [ "$3" = 3 ] || fail "$1: status $3 instead of 3: $(cat "$root/out" "$root/err")"
    cat "$root/out" "$root/err" | grep -oE '[^" ]*: (no room: |cannot be written: No space left)[^"]*' | head -1 >"$root/said" || true
    [ -s "$root/said" ] || fail "$1: it does not say what is full: $(cat "$root/out" "$root/err")"
    if [ -s "$root/out" ]; then grep -q '"verdict": "incomplete"' "$root/out" || fail "$1: a verdict: $(cat "$root/out")"; fi
    echo "$1: status 3, \"$(sed "s|$root/||" "$root/said")\""
}

# NAME FOLDER: goes on, and compares.
goes_on() {
    "$halma" resume "$2" -q >"$root/out" 2>"$root/err" || fail "$1: resume: status $?: $(cat "$root/out" "$root/err")"
    diff <(bare "$root/whole/result.json") <(bare "$2/result.json") >&2 || fail "$1: another record"
    echo "$1: went on; the record is the undisturbed one"
}

job "$root/job.toml"
levels "$root/job.toml" "$root/whole" >/dev/null
echo "undisturbed: $(grep disk_bytes_written "$root/whole/result.json")"

for limit in '10 KiB' '100 KiB' '1 MiB' '2 MiB'; do
    name="[limits] disk = \"$limit\""
    job "$root/limited.toml" "disk = \"$limit\""
    folder=$root/limited-${limit// /}
    status=0
    levels "$root/limited.toml" "$folder" >"$root/out" 2>"$root/err" || status=$?
    stopped "$name" "$folder" "$status"
    # The limit is not part of what the run is: the same command with another one goes on.
    job "$root/limited.toml" 'disk = "1 GiB"'
    levels "$root/limited.toml" "$folder" >"$root/out" 2>"$root/err" || fail "$name: status $?: $(cat "$root/err")"
    diff <(bare "$root/whole/result.json") <(bare "$folder/result.json") >&2 || fail "$name: another record"
    echo "$name: went on with 1 GiB; the record is the undisturbed one"
done

mkdir "$root/small"
if ! mount -t tmpfs -o size=1m tmpfs "$root/small" 2>"$root/err"; then
    echo "SKIPPED the small file system, which cannot be mounted: $(cat "$root/err")"
    exit 0
fi
mounted=yes
for size in 64k 128k 512k 1m 2m; do
    rm -rf "$root/small/run"
    mount -o "remount,size=$size" "$root/small"
    status=0
    levels "$root/job.toml" "$root/small/run" >"$root/out" 2>"$root/err" || status=$?
    stopped "tmpfs of $size" "$root/small/run" "$status"
    mount -o remount,size=64m "$root/small"
    goes_on "tmpfs of $size" "$root/small/run"
done
