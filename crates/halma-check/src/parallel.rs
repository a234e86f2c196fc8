//! Parallel loops. rayon runs them, but it sees no types: so its machinery is compiled once, and not for every kind of
//! state and every closure.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

/// Calls `run` so many times, on all threads.
fn runners(count: usize, run: &(dyn Fn() + Sync)) {
    (0..count).into_par_iter().with_max_len(1).for_each(|_| run());
}

/// The results of `work` for `0..count`, in order, up to the first one that `ends`: that one is the last.
fn up_to<R: Send>(count: usize, work: impl Fn(usize) -> R + Sync, ends: impl Fn(&R) -> bool + Sync) -> Vec<R> {
    let results: Vec<Mutex<Option<R>>> = (0..count).map(|_| Mutex::new(None)).collect();
    let (next, last) = (AtomicUsize::new(0), AtomicUsize::new(usize::MAX));
    runners(count.min(rayon::current_num_threads()), &|| {
        // Numbers are dealt in order: all before the last one have begun, and are completed.
        while let number = next.fetch_add(1, Ordering::Relaxed)
            && number < count
            && number < last.load(Ordering::Relaxed)
        {
            let result = work(number);
            if ends(&result) {
                last.fetch_min(number, Ordering::Relaxed);
            }
            *results[number].lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
        }
    });
    let wanted = last.into_inner().saturating_add(1);
    let results = results.into_iter().take(wanted);
    results.filter_map(|result| result.into_inner().unwrap_or_else(PoisonError::into_inner)).collect()
}

/// The results of `work` for each of `0..count`, in order, or the first error.
pub fn map<R: Send, E: Send>(count: usize, work: impl Fn(usize) -> Result<R, E> + Sync) -> Result<Vec<R>, E> {
    up_to(count, work, Result::is_err).into_iter().collect()
}

/// The results of `work` for pieces of `size` items, in order, or the first error.
pub fn map_chunks<T: Sync, R: Send, E: Send>(
    items: &[T],
    size: usize,
    work: impl Fn(&[T]) -> Result<R, E> + Sync,
) -> Result<Vec<R>, E> {
    map(items.len().div_ceil(size), |number| work(&items[number * size..items.len().min((number + 1) * size)]))
}

/// What `work` finds or refuses for the first of `0..count` for which it does so.
pub fn first<R: Send, E: Send>(
    count: usize,
    work: impl Fn(usize) -> Result<Option<R>, E> + Sync,
) -> Result<Option<R>, E> {
    let found = up_to(count, work, |result| !matches!(result, Ok(None)));
    found.into_iter().next_back().unwrap_or(Ok(None))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_order_and_the_first_error_is_returned() {
        assert_eq!(map(1000, Ok::<_, ()>), Ok((0..1000).collect::<Vec<_>>()));
        assert_eq!(map(1000, |n| if n % 300 == 299 { Err(n) } else { Ok(n) }), Err(299));
        let pieces = map_chunks(&[1, 2, 3, 4, 5], 2, |piece| Ok::<_, ()>(piece.to_vec()));
        assert_eq!(pieces, Ok(vec![vec![1, 2], vec![3, 4], vec![5]]));
    }

    #[test]
    fn the_first_of_several_is_found_and_an_error_after_it_is_not() {
        let found = |n: usize| match n {
            40 | 70 => Ok(Some(n)),
            50 => Err(n),
            _ => Ok(None),
        };
        assert_eq!(first(1000, found), Ok(Some(40)));
        assert_eq!(first(40, found), Ok(None));
        assert_eq!(first(1000, |n| if n == 50 { Err(n) } else { Ok(None::<()>) }), Err(50));
    }
}
