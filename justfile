# What CI does, step by step: `just` lists it.

# All checks, as CI runs them
ci:
    .ci/run

# Tests, in about the time that compiling takes
test:
    cargo test --workspace --features cluster

# Tests that take minutes
long-tests:
    scripts/long-tests

# Formatting and lints
lint:
    scripts/lint

# The documentation of all crates
doc:
    cargo doc --workspace --no-deps --features cluster --open

# Each fuzz target for so many seconds
fuzz seconds="60":
    fuzz/run {{seconds}}

# Timings beside the peers, on an idle machine
bench:
    scripts/bench
