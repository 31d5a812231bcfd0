//! `ply-verify FILE`: checks a certificate.

use std::process::ExitCode;

const USAGE: &str = "usage: ply-verify FILE [--part K/N]
Checks a certificate that `ply certify` has written. With --part, only every Nth section, beginning with the Kth.
Exit code 0: verified; 1: refused; 2: the file or an option cannot be read.";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (file, part) = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [file] if !file.starts_with('-') => (file, Some((1, 1))),
        [file, "--part", part] | ["--part", part, file] => (file, read_part(part)),
        _ => ("", None),
    };
    let Some(part) = part else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    let bytes = match std::fs::read(file) {
        Ok(bytes) => bytes,
        Err(error) => {
            eprintln!("{file}: {error}");
            return ExitCode::from(2);
        }
    };
    match plyground_verify::verify(&bytes, part) {
        Ok(verdict) => {
            println!("{verdict}");
            ExitCode::SUCCESS
        }
        Err(fault) => {
            eprintln!("{file}: refused: {fault}");
            ExitCode::FAILURE
        }
    }
}

/// `K/N` with 1 <= K <= N.
fn read_part(text: &str) -> Option<(usize, usize)> {
    let (number, of) = text.split_once('/')?;
    let part: (usize, usize) = (number.parse().ok()?, of.parse().ok()?);
    (1..=part.1).contains(&part.0).then_some(part)
}
