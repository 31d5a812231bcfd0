//! Notes of a worker to its user.

use std::collections::HashSet;
use std::sync::Mutex;

use plyground_core::sync::lock;

/// The most runs and trainings that are told of.
const MOST_NOTES: usize = 1_000;

/// Notes to the user, each subject told once.
pub struct Notes<'a> {
    tell: &'a (dyn Fn(&str) + Sync),
    told: Mutex<HashSet<String>>,
}

impl<'a> Notes<'a> {
    /// Notes that are given to this function.
    pub fn new(tell: &'a (dyn Fn(&str) + Sync)) -> Self {
        Self { tell, told: Mutex::default() }
    }

    /// Tells that a run or a training cannot be played here, unless that was told before.
    pub fn unplayable(&self, what: &str, name: &str, reason: &dyn std::fmt::Display) {
        let mut told = lock(&self.told);
        if told.len() < MOST_NOTES && told.insert(format!("{what} {name}")) {
            (self.tell)(&format!("the {what} {name} cannot be played here and is left to other workers: {reason}"));
        }
    }
}
