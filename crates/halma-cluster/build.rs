//! Names what the compiler may use: processes of a cluster compare it.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let told = |name: &str| std::env::var(name).unwrap_or_default();
    println!("cargo:rustc-env=HALMA_TARGET={} {}", told("TARGET"), told("CARGO_CFG_TARGET_FEATURE"));
}
