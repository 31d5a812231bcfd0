//! The host of TUC-Chess as clients of the original server meet it, and our client.

mod common;
mod faults;
mod floods;
mod live_page;
mod original;
mod programmes;
mod soak;
