//! Small, fixed arithmetic for choices that a seed decides: the same on every machine and in every version.

/// Mixes bytes into one number (FNV-1a, with a last stir).
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mix(u64);

impl Mix {
    pub(crate) fn new(seed: u64) -> Self {
        let mut mix = Self(0xcbf2_9ce4_8422_2325);
        mix.add(&seed.to_le_bytes());
        mix
    }

    pub(crate) fn add(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
        // Keeps "ab" and "c" apart from "a" and "bc".
        self.0 = (self.0 ^ bytes.len() as u64).wrapping_mul(0x0100_0000_01b3);
    }

    pub(crate) fn value(self) -> u64 {
        stir(self.0)
    }
}

/// A sequence of numbers (SplitMix64).
#[derive(Debug)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        stir(self.0)
    }

    /// A number below this one; 0 below 0.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        let end = end.max(1) as u64;
        usize::try_from(self.next() % end).unwrap_or(0)
    }

    /// True in so many of a hundred cases.
    pub(crate) fn percent(&mut self, percent: u64) -> bool {
        self.next() % 100 < percent
    }

    /// One of these, if there is one.
    pub(crate) fn pick<'t, T>(&mut self, items: &'t [T]) -> Option<&'t T> {
        let place = self.below(items.len());
        items.get(place)
    }

    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for end in (1..items.len()).rev() {
            let other = self.next() % (end as u64 + 1);
            items.swap(end, usize::try_from(other).unwrap_or(end));
        }
    }
}

fn stir(mut value: u64) -> u64 {
    value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}
