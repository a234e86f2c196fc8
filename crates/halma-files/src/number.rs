//! Numbers in JSON: those beyond 2^53, which a double would round, are strings of digits.

use std::fmt;
use std::str::FromStr;

use serde::de::{Error, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The largest whole number up to which a double holds every one.
const EXACT: u64 = 1 << 53;

/// A whole number of any size, as its decimal digits.
///
/// ```
/// use halma_files::number::Count;
/// assert_eq!(serde_json::to_string(&Count::from(530u64))?, "530");
/// assert_eq!(serde_json::to_string(&Count::from(u128::MAX))?, "\"340282366920938463463374607431768211455\"");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Count(String);

/// A digest of 128 bits, in JSON 32 hex digits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Digest(pub u128);

impl From<u64> for Count {
    fn from(number: u64) -> Self {
        Self(number.to_string())
    }
}

impl From<u128> for Count {
    fn from(number: u128) -> Self {
        Self(number.to_string())
    }
}

impl FromStr for Count {
    type Err = String;

    /// Decimal digits without sign or leading zeros, as every big integer prints itself.
    fn from_str(digits: &str) -> Result<Self, String> {
        let decimal = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
        match decimal && (digits == "0" || !digits.starts_with('0')) {
            true => Ok(Self(digits.into())),
            false => Err(format!("`{digits}` is no whole number")),
        }
    }
}

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl Serialize for Count {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.parse::<u64>() {
            Ok(small) => digits::serialize(&small, serializer),
            Err(_) => serializer.serialize_str(&self.0),
        }
    }
}

impl<'de> Deserialize<'de> for Count {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(CountReader)
    }
}

struct CountReader;

impl Visitor<'_> for CountReader {
    type Value = Count;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a whole number, as a string of digits where it exceeds 2^53")
    }
    fn visit_u64<E: Error>(self, number: u64) -> Result<Count, E> {
        Ok(number.into())
    }
    fn visit_str<E: Error>(self, digits: &str) -> Result<Count, E> {
        digits.parse().map_err(|_| E::invalid_value(Unexpected::Str(digits), &self))
    }
}

/// `u64` fields: for `#[serde(with = "digits")]`.
pub mod digits {
    use super::{Count, Deserialize, Deserializer, EXACT, Error, Serializer};

    /// As a number, or as digits beyond 2^53.
    ///
    /// # Errors
    /// The serializer's.
    pub fn serialize<S: Serializer>(number: &u64, serializer: S) -> Result<S::Ok, S::Error> {
        match *number {
            0..=EXACT => serializer.serialize_u64(*number),
            _ => serializer.collect_str(number),
        }
    }

    /// From either.
    ///
    /// # Errors
    /// The deserializer's; what is no number or exceeds 64 bits.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
        let Count(digits) = Count::deserialize(deserializer)?;
        digits.parse().map_err(|_| D::Error::custom(format!("{digits} exceeds 64 bits")))
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

impl FromStr for Digest {
    type Err = String;

    fn from_str(hex: &str) -> Result<Self, String> {
        let lower = |b: u8| b.is_ascii_digit() || (b'a'..=b'f').contains(&b);
        let number = (hex.len() == 32 && hex.bytes().all(lower)).then(|| u128::from_str_radix(hex, 16).ok());
        number.flatten().map(Self).ok_or_else(|| format!("`{hex}` is no digest: allowed are 32 hex digits"))
    }
}

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_a_double_would_round_are_strings() {
        let json = |n: u64| serde_json::to_string(&Count::from(n)).unwrap();
        assert_eq!(json(EXACT), "9007199254740992");
        assert_eq!(json(EXACT + 1), "\"9007199254740993\"");
        for digits in ["0", "9007199254740993", "123456789012345678901234567890123456789012345678901234567890"] {
            let count: Count = digits.parse().unwrap();
            assert_eq!(serde_json::from_str::<Count>(&serde_json::to_string(&count).unwrap()).unwrap(), count);
        }
        for wrong in ["\"\"", "\"-1\"", "\"01\"", "\"1e9\"", "1.5", "-1", "null"] {
            assert!(serde_json::from_str::<Count>(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_digest_is_32_hex_digits() {
        assert_eq!(Digest(255).to_string(), "000000000000000000000000000000ff");
        assert_eq!(Digest(u128::MAX).to_string().parse(), Ok(Digest(u128::MAX)));
        for wrong in ["", "ff", "000000000000000000000000000000FF", "+00000000000000000000000000000ff"] {
            assert!(wrong.parse::<Digest>().is_err(), "{wrong}");
        }
    }
}
