//! Names the source that the program is built from: the git trees of `src` and `crates`, computed from the files themselves, so
//! that it is right in an edited checkout and outside of git, too. `git rev-parse COMMIT:src COMMIT:crates` prints the same for
//! the commit in question. As a package of a registry it comes without `crates`, whose tree is then called `registry`.

use std::fs;
use std::path::Path;

/// SHA-1 (FIPS 180-4), which git names its objects by.
fn sha1(message: &[u8]) -> [u8; 20] {
    let mut state: [u32; 5] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0];
    let mut padded = message.to_vec();
    padded.push(0x80);
    padded.resize(padded.len().next_multiple_of(64), 0);
    if padded.len() - message.len() < 9 {
        padded.resize(padded.len() + 64, 0);
    }
    let end = padded.len() - 8;
    padded[end..].copy_from_slice(&(8 * message.len() as u64).to_be_bytes());
    for block in padded.chunks(64) {
        let mut words: Vec<u32> =
            block.chunks(4).map(|b| b.iter().fold(0, |word, &byte| word << 8 | u32::from(byte))).collect();
        for i in 16..80 {
            words.push((words[i - 3] ^ words[i - 8] ^ words[i - 14] ^ words[i - 16]).rotate_left(1));
        }
        let [mut a, mut b, mut c, mut d, mut e] = state;
        for (i, word) in words.into_iter().enumerate() {
            let (f, k) = match i / 20 {
                0 => (b & c | !b & d, 0x5a82_7999),
                1 => (b ^ c ^ d, 0x6ed9_eba1),
                2 => (b & c | b & d | c & d, 0x8f1b_bcdc),
                _ => (b ^ c ^ d, 0xca62_c1d6_u32),
            };
            let next = a.rotate_left(5).wrapping_add(f).wrapping_add(e).wrapping_add(k).wrapping_add(word);
            (e, d, c, b, a) = (d, c, b.rotate_left(30), a, next);
        }
        for (sum, part) in state.iter_mut().zip([a, b, c, d, e]) {
            *sum = sum.wrapping_add(part);
        }
    }
    let bytes: Vec<u8> = state.iter().flat_map(|word| word.to_be_bytes()).collect();
    bytes.try_into().unwrap_or_default()
}

/// The name that git gives to an object.
fn object(kind: &str, content: &[u8]) -> [u8; 20] {
    sha1(&[format!("{kind} {}\0", content.len()).as_bytes(), content].concat())
}

/// The name of a folder's tree; none of an empty one, which git does not know.
fn tree(folder: &Path) -> std::io::Result<Option<[u8; 20]>> {
    let mut entries = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        // What Python leaves beside its sources; git does not have it.
        if name == "__pycache__" {
            continue;
        }
        let (mode, id) = match entry.file_type()?.is_dir() {
            true => match tree(&entry.path())? {
                Some(id) => ("40000", id),
                None => continue,
            },
            false => ("100644", object("blob", &fs::read(entry.path())?)),
        };
        // Git sorts folders as if their names ended in a slash.
        let order = if mode == "40000" { format!("{name}/") } else { name.clone() };
        entries.push((order, [format!("{mode} {name}\0").as_bytes(), &id].concat()));
    }
    entries.sort();
    let content: Vec<u8> = entries.into_iter().flat_map(|(_, bytes)| bytes).collect();
    Ok((!content.is_empty()).then(|| object("tree", &content)))
}

fn main() -> std::io::Result<()> {
    println!("cargo:rerun-if-changed=src");
    // What is not there counts as changed each time.
    if Path::new("crates").is_dir() {
        println!("cargo:rerun-if-changed=crates");
    }
    println!("cargo:rerun-if-changed=build.rs");
    let named = |folder: &str| -> std::io::Result<String> {
        Ok(tree(Path::new(folder))?.unwrap_or_default().iter().map(|byte| format!("{byte:02x}")).collect())
    };
    let crates = if Path::new("crates").is_dir() { named("crates")? } else { "registry".into() };
    println!("cargo:rustc-env=HALMA_SOURCE={}+{crates}", named("src")?);
    Ok(())
}
