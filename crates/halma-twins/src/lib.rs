//! Tests that need both the search and the verifier, which share no code: see `tests/`. Nothing is published from here.
