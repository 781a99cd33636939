//! A map as a list of keys and values, sorted by key. For a few hundred entries it is as fast as a tree. Its code is
//! compiled once, in this crate, and not again for each user of the crate.

/// The value of a key in a sorted list. A default value is inserted if the key is absent.
pub(crate) fn entry<K: Ord, V: Default>(list: &mut Vec<(K, V)>, key: K) -> &mut V {
    let at = list.binary_search_by(|(known, _)| known.cmp(&key)).unwrap_or_else(|at| {
        list.insert(at, (key, V::default()));
        at
    });
    &mut list[at].1
}
