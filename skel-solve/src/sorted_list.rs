//! Lists that are sorted by keys.
//!
//! A map as a list of keys and values is as fast as a tree for a few hundred entries. Its code is
//! compiled once, in this crate, and not again for each user of the crate.

/// The value of a key in a sorted list. A default value is inserted if the key is absent.
pub(crate) fn entry<K: Ord, V: Default>(list: &mut Vec<(K, V)>, key: K) -> &mut V {
    let at = list.binary_search_by(|(known, _)| known.cmp(&key)).unwrap_or_else(|at| {
        list.insert(at, (key, V::default()));
        at
    });
    &mut list[at].1
}

/// The numbers of elements by ascending keys, of which there are `count`; those with equal keys in their
/// order. Time: linear.
pub(crate) fn by_keys(keys: &[u32], count: usize) -> Vec<u32> {
    let mut next = vec![0_u32; count + 1];
    keys.iter().for_each(|&key| next[key as usize + 1] += 1);
    for key in 0..count {
        next[key + 1] += next[key];
    }
    let mut numbers = vec![0; keys.len()];
    for (number, &key) in keys.iter().enumerate() {
        let place = &mut next[key as usize];
        numbers[*place as usize] = number as u32;
        *place += 1;
    }
    numbers
}
