//! The ring's memory with its two indices, of rtrb, and its transfers of several values at once.

use std::collections::VecDeque;

use rtrb::chunks::ChunkError;
pub(super) use rtrb::{Consumer, Producer};

/// Both ends of an empty buffer.
pub(super) fn buffer<T>(capacity: usize) -> (Producer<T>, Consumer<T>) {
    rtrb::RingBuffer::new(capacity)
}

/// Moves as many values as there is room for, from the front, and says how many.
pub(super) fn fill<T>(producer: &mut Producer<T>, values: &mut VecDeque<T>) -> usize {
    let room = match producer.write_chunk_uninit(values.len()) {
        Ok(chunk) => chunk.len(),
        Err(ChunkError::TooFewSlots(room)) => room,
    };
    let chunk = producer.write_chunk_uninit(room).expect("there is never less room than there was");
    chunk.fill_from_iter(values.drain(..room))
}

/// Takes at most `most` of the values that are there, and says how many.
pub(super) fn take<T>(consumer: &mut Consumer<T>, values: &mut impl Extend<T>, most: usize) -> usize {
    let there = match consumer.read_chunk(most) {
        Ok(chunk) => chunk.len(),
        Err(ChunkError::TooFewSlots(there)) => there,
    };
    values.extend(consumer.read_chunk(there).expect("there are never fewer values than there were"));
    there
}
