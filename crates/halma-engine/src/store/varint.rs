//! Variable-length integers (LEB128), for differences of keys: seven bits a byte, the lowest first; the eighth bit is
//! set on all bytes but the last.

use crate::key::Key;

/// The number one, as a key.
#[inline]
#[must_use]
pub fn one<K: Key>() -> K {
    K::from_words([1, 0, 0, 0])
}

/// The most bytes of a coded value.
#[must_use]
pub fn longest<K: Key>() -> usize {
    (8 * K::BYTES).div_ceil(7)
}

/// Appends `value`.
#[inline]
pub fn put<K: Key>(value: K, bytes: &mut Vec<u8>) {
    let mut words = value.words();
    while words[1] | words[2] | words[3] != 0 {
        bytes.push(words[0] as u8 | 0x80);
        for i in 0..3 {
            words[i] = words[i] >> 7 | words[i + 1] << 57;
        }
        words[3] >>= 7;
    }
    let mut rest = words[0];
    while rest >= 0x80 {
        bytes.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    bytes.push(rest as u8);
}

/// Reads a value and moves `bytes` past it. Bytes that [`put`] did not write give an arbitrary value, never a panic;
/// checksums detect them.
#[inline]
#[must_use]
pub fn get<K: Key>(bytes: &mut &[u8]) -> K {
    let (mut value, mut shift) = (0u64, 0);
    while let Some((&byte, rest)) = bytes.split_first() {
        *bytes = rest;
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            break;
        }
        shift += 7;
        if shift > 56 {
            return get_wide(value, shift, bytes);
        }
    }
    K::from_words([value, 0, 0, 0])
}

/// The rest of a value of more than eight bytes.
#[cold]
fn get_wide<K: Key>(low: u64, mut shift: usize, bytes: &mut &[u8]) -> K {
    let mut words = [low, 0, 0, 0];
    while let Some((&byte, rest)) = bytes.split_first() {
        *bytes = rest;
        let (word, bit) = (shift / 64, shift % 64);
        if word < 4 {
            words[word] |= u64::from(byte & 0x7f) << bit;
            if bit > 57 && word < 3 {
                words[word + 1] |= u64::from(byte & 0x7f) >> (64 - bit);
            }
        }
        if byte < 0x80 {
            break;
        }
        shift += 7;
    }
    K::from_words(words)
}
