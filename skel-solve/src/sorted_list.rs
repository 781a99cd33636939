//! Lists of keys with values, in the order of the keys. For a few hundred entries a list takes no longer than a tree, and it is
//! compiled once for all users of the crate.

/// The value of a key in a list that is sorted by keys, a new one where there is none.
pub(crate) fn entry<K: Ord, V: Default>(list: &mut Vec<(K, V)>, key: K) -> &mut V {
    let at = list.binary_search_by(|(known, _)| known.cmp(&key)).unwrap_or_else(|at| {
        list.insert(at, (key, V::default()));
        at
    });
    &mut list[at].1
}
