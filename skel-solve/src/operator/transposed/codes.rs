//! The distinct rates of a chain by their numbers, and the forms in which a list stores a rate.

use std::sync::Arc;

/// The largest number of distinct rates that are numbered.
pub(super) const MOST_CODES: usize = 1 << 16;

pub(super) type Table = [f64; MOST_CODES];

/// The distinct rates by their numbers, which lists of the same rates share.
pub(super) struct Numbered(pub(super) Box<Table>);

/// The number of bytes of [`Codes`].
pub(super) const CODES: u64 = (MOST_CODES * (size_of::<f64>() + 2 * size_of::<u32>())) as u64;

/// The distinct rates and their numbers, in a hash table with open addressing of twice the largest size.
pub(super) struct Codes {
    pub(super) table: Box<Table>,
    pub(super) count: usize,
    /// For each slot of the hash table the number of its rate plus one, or zero.
    slots: Vec<u32>,
    last: (f64, usize),
}

impl Codes {
    pub(super) fn new() -> Codes {
        let table = vec![0.0; MOST_CODES].into_boxed_slice();
        let table = table.try_into().unwrap_or_else(|_| unreachable!("the table has this length"));
        Codes { table, count: 0, slots: vec![0; 2 * MOST_CODES], last: (0.0, 0) }
    }

    /// The rates by their numbers.
    pub(super) fn numbered(self) -> Arc<Numbered> {
        Arc::new(Numbered(self.table))
    }

    /// The number of a rate, which is new if the rate is. It has no meaning once there are too many rates.
    pub(super) fn number(&mut self, rate: f64) -> usize {
        if rate == self.last.0 || self.count > MOST_CODES {
            return self.last.1;
        }
        match self.look_up(rate) {
            Ok(number) => {
                self.last = (rate, number);
                number
            }
            Err(slot) => self.add(rate, slot),
        }
    }

    /// The number of a rate that has one.
    pub(super) fn find(&self, rate: f64) -> Option<usize> {
        self.look_up(rate).ok()
    }

    /// The number of a rate, or the slot for it.
    fn look_up(&self, rate: f64) -> Result<usize, usize> {
        let mut slot = (rate.to_bits().wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 47) as usize;
        while let Some(number) = (self.slots[slot] as usize).checked_sub(1) {
            if self.table[number] == rate {
                return Ok(number);
            }
            slot = (slot + 1) % self.slots.len();
        }
        Err(slot)
    }

    fn add(&mut self, rate: f64, slot: usize) -> usize {
        let number = self.count;
        self.count += 1;
        if number < MOST_CODES {
            self.table[number] = rate;
            self.slots[slot] = self.count as u32;
            self.last = (rate, number);
        }
        number
    }

    /// The number of bytes of a stored rate: of its number, or of the rate itself.
    pub(super) fn bytes(&self) -> u64 {
        match self.count {
            0..=256 => 1,
            257..=MOST_CODES => 2,
            _ => 8,
        }
    }
}

/// The form in which a rate is stored.
pub(super) trait RateCode: Copy + Default + Sync {
    fn of(rate: f64, codes: &mut Codes) -> Self;

    /// The form of a rate that has a number.
    fn known(rate: f64, codes: &Codes) -> Self;

    /// The form of the rate of a number.
    fn of_number(number: u16, codes: &Codes) -> Self;

    fn rate(self, table: &Table) -> f64;
}

impl RateCode for u8 {
    fn of(rate: f64, codes: &mut Codes) -> u8 {
        codes.number(rate) as u8
    }

    fn known(rate: f64, codes: &Codes) -> u8 {
        codes.find(rate).unwrap_or_default() as u8
    }

    fn of_number(number: u16, _: &Codes) -> u8 {
        number as u8
    }

    fn rate(self, table: &Table) -> f64 {
        table[usize::from(self)]
    }
}

impl RateCode for u16 {
    fn of(rate: f64, codes: &mut Codes) -> u16 {
        codes.number(rate) as u16
    }

    fn known(rate: f64, codes: &Codes) -> u16 {
        codes.find(rate).unwrap_or_default() as u16
    }

    fn of_number(number: u16, _: &Codes) -> u16 {
        number
    }

    fn rate(self, table: &Table) -> f64 {
        table[usize::from(self)]
    }
}

impl RateCode for f64 {
    fn of(rate: f64, _: &mut Codes) -> f64 {
        rate
    }

    fn known(rate: f64, _: &Codes) -> f64 {
        rate
    }

    fn of_number(number: u16, codes: &Codes) -> f64 {
        number.rate(&codes.table)
    }

    fn rate(self, _: &Table) -> f64 {
        self
    }
}
