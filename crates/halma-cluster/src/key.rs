//! The shared secret of a run's processes: 32 random bytes, in a file or in the environment.

use std::fs::OpenOptions;
use std::io::{Read, Write};
use std::path::Path;

use halma_files::folder;

use super::ClusterError;

/// The variable for a key, if no file is given.
pub const VARIABLE: &str = "HALMA_CLUSTER_KEY";
/// A key as text: hexadecimal digits.
const DIGITS: usize = 64;

/// The secret of a run. It is never printed, not even by `Debug`.
///
/// ```
/// use halma_cluster::Secret;
/// let secret = Secret::parse(&"0123456789abcdef".repeat(4))?;
/// assert_eq!(format!("{secret:?}"), "Secret(..)");
/// # Ok::<(), halma_cluster::ClusterError>(())
/// ```
#[derive(Clone)]
pub struct Secret([u8; 32]);

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret(..)")
    }
}

impl Secret {
    /// A new one, from the system's source of random numbers.
    ///
    /// # Errors
    /// Where the system has none.
    pub fn random() -> std::io::Result<Self> {
        Ok(Self(random()?))
    }

    /// The key that a text holds: 64 hexadecimal digits. Errors never show the text.
    ///
    /// # Errors
    /// Where it holds something else.
    pub fn parse(text: &str) -> Result<Self, ClusterError> {
        let text = text.trim();
        let wrong = |what: &str| ClusterError::Input(format!("{what}; `halma cluster-key -o FILE` makes a key"));
        if text.len() != DIGITS || !text.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            return Err(wrong("it holds no key: allowed are 64 hexadecimal digits"));
        }
        let mut key = [0; 32];
        for (byte, digits) in key.iter_mut().zip(text.as_bytes().chunks(2)) {
            let digit = |at: usize| char::from(digits[at]).to_digit(16).unwrap_or(0) as u8;
            *byte = digit(0) << 4 | digit(1);
        }
        match key.iter().all(|&byte| byte == key[0]) {
            true => Err(wrong("it holds no random key: all its bytes are the same")),
            false => Ok(Self(key)),
        }
    }

    /// Reads a key from a file that only its owner can read.
    ///
    /// # Errors
    /// Where there is no such file, others can read it, or it holds no key.
    pub fn read(file: &Path) -> Result<Self, ClusterError> {
        let wrong = |what: String| ClusterError::Input(format!("{}: {what}", file.display()));
        let unread = |e: std::io::Error| wrong(format!("the key cannot be read: {e}"));
        // What is judged is what is read: another file may get the name meanwhile.
        let key = folder::open_named(file).map_err(unread)?;
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = key.metadata().map_err(unread)?.permissions().mode() & 0o777;
            if mode & 0o077 != 0 {
                return Err(wrong(format!(
                    "others may use this key (mode {mode:04o}): make it yours with `chmod 600`"
                )));
            }
        }
        let mut text = Vec::new();
        key.take(1024).read_to_end(&mut text).map_err(unread)?;
        Self::parse(&String::from_utf8_lossy(&text)).map_err(|e| wrong(e.to_string()))
    }

    /// The key in [`VARIABLE`], if it is set.
    ///
    /// # Errors
    /// Where it holds something else; an empty value is an error, too, since its user meant to have a key.
    pub fn from_environment() -> Result<Option<Self>, ClusterError> {
        let Some(text) = std::env::var_os(VARIABLE) else { return Ok(None) };
        let secret = Self::parse(&text.to_string_lossy());
        secret.map(Some).map_err(|e| ClusterError::Input(format!("{VARIABLE}: {e}")))
    }

    /// Writes the key to a new file that only its owner can read.
    ///
    /// # Errors
    /// Where there is a file of that name, or none can be written.
    pub fn write(&self, file: &Path) -> std::io::Result<()> {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut text: String = self.0.iter().map(|byte| format!("{byte:02x}")).collect();
        text.push('\n');
        let mut opened = options.open(file)?;
        let written = opened.write_all(text.as_bytes()).and_then(|()| opened.sync_all());
        if written.is_err() {
            // A part of a key is removed.
            let _ = std::fs::remove_file(file);
        }
        written
    }

    /// The stand-in for a secret in a run without one. It is public and proves nothing; frames are hashed and counted
    /// all the same.
    pub(super) fn none() -> Self {
        Self(blake3::derive_key("halma 2026 cluster without a key", b""))
    }

    pub(super) fn bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

/// Random bytes from the system.
pub(super) fn random() -> std::io::Result<[u8; 32]> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(std::io::Error::other)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_written_key_is_read_again_and_never_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("key");
        let secret = Secret::random().unwrap();
        secret.write(&file).unwrap();
        assert_eq!(Secret::read(&file).unwrap().bytes(), secret.bytes());
        assert_eq!(Secret::random().unwrap().write(&file).unwrap_err().kind(), std::io::ErrorKind::AlreadyExists);
        assert_eq!(Secret::read(&file).unwrap().bytes(), secret.bytes());
        assert_ne!(Secret::random().unwrap().bytes(), secret.bytes());
    }

    #[cfg(unix)]
    #[test]
    fn a_key_that_others_may_read_is_refused() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("key");
        Secret::random().unwrap().write(&file).unwrap();
        assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o640)).unwrap();
        let refused = Secret::read(&file).unwrap_err().to_string();
        assert!(refused.contains("mode 0640") && refused.contains("chmod 600"), "{refused}");
        assert!(Secret::read(Path::new("/dev/zero")).unwrap_err().to_string().contains("no regular file"));
    }

    #[test]
    fn what_is_no_key_is_refused_without_showing_it() {
        for text in ["", "secret", &"0".repeat(64), &"ab".repeat(31), &"xy".repeat(32), &"\u{e9}".repeat(32)] {
            let refused = Secret::parse(text).unwrap_err().to_string();
            assert!(refused.starts_with("it holds no ") && (text.is_empty() || !refused.contains(text)), "{refused}");
        }
    }
}
