//! Parallel loops. rayon runs them, but it sees no types: so its machinery is compiled once, and not for every
//! puzzle and every closure.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use rayon::ThreadPool;
use rayon::prelude::*;

/// Runs `work` in the pool.
pub fn install<R: Send>(pool: &ThreadPool, work: impl FnOnce() -> R + Send) -> R {
    fn run(pool: &ThreadPool, work: &mut (dyn FnMut() + Send)) {
        pool.install(work);
    }
    let (mut work, mut result) = (Some(work), None);
    run(pool, &mut || result = work.take().map(|work| work()));
    let Some(result) = result else { unreachable!("the pool calls it once") };
    result
}

/// The results of `work` on each thread of the pool, by the thread's number.
pub fn broadcast<R: Send>(pool: &ThreadPool, work: impl Fn(usize) -> R + Sync) -> Vec<R> {
    fn run(pool: &ThreadPool, work: &(dyn Fn(usize) + Sync)) {
        pool.broadcast(|thread| work(thread.index()));
    }
    let results: Vec<Mutex<Option<R>>> = (0..pool.current_num_threads()).map(|_| Mutex::new(None)).collect();
    run(pool, &|thread| *lock(&results[thread]) = Some(work(thread)));
    taken(results).collect()
}

/// Calls `run` so many times, on the threads of the current pool.
fn runners(count: usize, run: &(dyn Fn() + Sync)) {
    (0..count).into_par_iter().with_max_len(1).for_each(|_| run());
}

/// The results of `work` for each of `0..count`, in order. Each thread has scratch space.
///
/// # Errors
/// The error of the least number for which `work` fails; what has not begun then is left out.
pub fn map<S, R: Send, E: Send>(
    count: usize,
    scratch: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, usize) -> Result<R, E> + Sync,
) -> Result<Vec<R>, E> {
    let results: Vec<Mutex<Option<Result<R, E>>>> = (0..count).map(|_| Mutex::new(None)).collect();
    let (next, failed) = (AtomicUsize::new(0), AtomicBool::new(false));
    runners(count.min(rayon::current_num_threads()), &|| {
        let mut scratch = scratch();
        while !failed.load(Ordering::Relaxed)
            && let number = next.fetch_add(1, Ordering::Relaxed)
            && number < count
        {
            let result = work(&mut scratch, number);
            failed.fetch_or(result.is_err(), Ordering::Relaxed);
            *lock(&results[number]) = Some(result);
        }
    });
    taken(results).collect()
}

/// The first result that `work` finds for one of `0..count`. Each thread has scratch space.
///
/// # Errors
/// As [`map`].
pub fn find_first<S, R: Send, E: Send>(
    count: usize,
    scratch: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, usize) -> Result<Option<R>, E> + Sync,
) -> Result<Option<R>, E> {
    // What is found ends the loop as an error does: `map` returns that of the least number.
    let ends = |scratch: &mut S, number| work(scratch, number).transpose().map_or(Ok(()), Err);
    map(count, scratch, ends).err().transpose()
}

/// The results of `work` for each of `items`, in order, as [`map`] has them.
///
/// # Errors
/// As [`map`].
pub fn map_mut<T: Send, S, R: Send, E: Send>(
    items: &mut [T],
    scratch: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, &mut T) -> Result<R, E> + Sync,
) -> Result<Vec<R>, E> {
    let items: Vec<Mutex<&mut T>> = items.iter_mut().map(Mutex::new).collect();
    map(items.len(), scratch, |scratch, number| work(scratch, &mut lock(&items[number])))
}

/// The results of `work` for pieces of `size` items, in order, as [`map`] has them.
///
/// # Errors
/// As [`map`].
pub fn map_chunks<T: Sync, S, R: Send, E: Send>(
    items: &[T],
    size: usize,
    scratch: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, &[T]) -> Result<R, E> + Sync,
) -> Result<Vec<R>, E> {
    let piece = |number| &items[number * size..items.len().min((number + 1) * size)];
    map(items.len().div_ceil(size), scratch, |scratch, number| work(scratch, piece(number)))
}

/// What is in these mutexes, as far as there is something.
fn taken<R>(results: Vec<Mutex<Option<R>>>) -> impl Iterator<Item = R> {
    results.into_iter().filter_map(|result| result.into_inner().unwrap_or_else(PoisonError::into_inner))
}

/// Locks a mutex. Poisoning needs no handling: a panic ends the search anyway.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_order_with_few_scratch_spaces() {
        let made = std::sync::atomic::AtomicUsize::new(0);
        let scratch = || made.fetch_add(1, Ordering::Relaxed);
        let squares = map(1000, scratch, |_, number| Ok::<_, ()>(number * number));
        assert_eq!(squares, Ok((0..1000).map(|number| number * number).collect()));
        assert!(made.load(Ordering::Relaxed) <= rayon::current_num_threads());
        let mut numbers = [1, 2, 3];
        assert_eq!(map_mut(&mut numbers, || (), |(), n| Ok::<_, ()>(std::mem::replace(n, 0))), Ok(vec![1, 2, 3]));
        assert_eq!(numbers, [0; 3]);
        let pieces = map_chunks(&[1, 2, 3, 4, 5], 2, || (), |(), piece| Ok::<_, ()>(piece.to_vec()));
        assert_eq!(pieces, Ok(vec![vec![1, 2], vec![3, 4], vec![5]]));
    }

    #[test]
    fn every_thread_of_the_pool_is_called_once() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
        assert_eq!(broadcast(&pool, |thread| thread), [0, 1, 2]);
        assert_eq!(install(&pool, rayon::current_num_threads), 3);
    }

    #[test]
    fn an_error_ends_the_loop_and_is_returned() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let begun = std::sync::atomic::AtomicUsize::new(0);
        let work = |(): &mut (), number| {
            begun.fetch_add(1, Ordering::Relaxed);
            if number == 3 { Err(number) } else { Ok(()) }
        };
        assert_eq!(pool.install(|| map(1000, || (), work)), Err(3));
        assert!(begun.load(Ordering::Relaxed) < 1000);
    }

    #[test]
    fn the_first_that_is_found_ends_the_loop() {
        for threads in [1, 3] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            for from in [0, 3, 500, 1000] {
                let begun = AtomicUsize::new(0);
                let work = |(): &mut (), number| {
                    begun.fetch_add(1, Ordering::Relaxed);
                    Ok::<_, ()>((number >= from).then_some(number))
                };
                let first = pool.install(|| find_first(1000, || (), work));
                assert_eq!(first, Ok((from < 1000).then_some(from)));
                assert!(threads > 1 || begun.into_inner() == 1000.min(from + 1));
            }
        }
        assert_eq!(find_first(9, || (), |(), number| if number == 3 { Err(number) } else { Ok(None::<()>) }), Err(3));
    }
}
