//! The library as its users see it: the examples as programs, the pages that show parts of them, matches.

mod examples;
mod matches;
mod pages;
