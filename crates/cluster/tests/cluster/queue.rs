//! The laws of all queues, on the one of NATS.

use crate::queue_laws as laws;

macro_rules! laws {
    ($($law:ident)*) => {
        $(#[test]
        fn $law() {
            laws::$law();
        })*
    };
}

laws! {
    a_job_is_there_once_and_comes_out_as_it_went_in
    what_one_has_no_other_gets_until_it_is_released_or_finished
    a_lease_that_is_not_extended_comes_back_and_one_that_is_extended_does_not
    two_that_work_on_a_run_share_it
    a_worker_that_is_told_to_stop_gives_back_what_is_not_played
}
