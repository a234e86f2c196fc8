//! Binomial coefficients.

/// The number of ways to choose `k` out of `n`, unless it is 2^128 or more.
#[must_use]
pub fn choose(n: usize, k: usize) -> Option<u128> {
    let k = k.min(n.checked_sub(k)?);
    let mut row = vec![0u128; k + 1];
    row[0] = 1;
    for i in 1..=n {
        for j in (1..=k.min(i)).rev() {
            // C(i, j) with j <= k <= n/2 never exceeds C(n, k) on the way, so an overflow here is one there.
            row[j] = row[j].checked_add(row[j - 1])?;
        }
    }
    Some(row[k])
}
