//! Law: a file of records is refused with an error, or reads, writes and reads again as the same records; replaying never panics.
#![no_main]

use libfuzzer_sys::fuzz_target;
use plyground_session::{JSON_LINES, formats, read_any, replay};

fuzz_target!(|text: &str| {
    for format in formats() {
        let Ok(records) = (format.read)(text) else { continue };
        for record in &records {
            let _ = replay(record);
        }
        if let Ok(written) = (format.write)(&records) {
            let again = (format.read)(&written).expect("what was written can be read");
            assert_eq!(again, records);
        }
        let lines = (JSON_LINES.write)(&records).expect("every record fits the project's own format");
        assert_eq!(read_any(&lines).expect("what was written can be read"), records);
    }
});
