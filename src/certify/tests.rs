//! What certificates are made of, and what is refused.
