//! Certificates of Plyground, checked by a program that shares nothing with it but the description.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use plyground_core::{Rng, Seed};
use plyground_session::{CertificateOptions, NoObserver, NoResources, Outcome, Player, Turn, certify, open};
use plyground_verify::rules::{End, Game, Move};
use plyground_verify::verify;

const WHOLE: (usize, usize) = (1, 1);

/// Small games with what is proved of them.
const SOLVED: [(&str, &str); 12] = [
    ("pawn:size=4x4", "the first player wins pawn:size=4x4"),
    ("pawn:size=4x5", "the second player wins pawn:size=4x5"),
    ("pawn:size=5x5,double", "the first player wins pawn:size=5x5,double"),
    ("breakthrough:size=3x4", "the second player wins breakthrough:size=3x4"),
    ("clobber:size=3x3", "the first player wins clobber:size=3x3"),
    ("clobber:size=4x4", "the first player wins clobber:size=4x4"),
    ("clobber:size=2x4,own", "the first player wins clobber:size=2x4,own"),
    ("crosphere:size=3x3,strong=2", "the first player wins crosphere:size=3x3,strong=2"),
    ("crosphere:size=3x3,strong=3", "crosphere:size=3x3,strong=3 is a draw"),
    ("mnk:size=3x3,k=3", "mnk:size=3x3,k=3 is a draw"),
    ("mnk:size=4x3,k=3", "the first player wins mnk:size=4x3,k=3"),
    ("connect-four:size=4x4,k=4", "connect-four:size=4x4,k=4 is a draw"),
];

fn certificate(game: &str, limit: u32, split: u32) -> Vec<u8> {
    let options = CertificateOptions { limit, split };
    certify(game, 16, None, options, &NoResources, &mut NoObserver).unwrap().bytes
}

/// The first line of what is verified.
fn sentence(verdict: &Result<String, String>) -> Option<&str> {
    verdict.as_ref().ok()?.lines().next()
}

fn random(seed: u64) -> Rng {
    Seed(seed).rng()
}

fn sealed(mut body: Vec<u8>) -> Vec<u8> {
    let sum = body.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    body.extend(sum.to_le_bytes());
    body
}

fn text(game: &str, ranks: u8, mv: Move) -> String {
    let square = |square: u8| format!("{}{}", char::from(b'a' + square / ranks), square % ranks + 1);
    match game.split(':').next() {
        Some("connect-four") => char::from(b'a' + mv.to / ranks).to_string(),
        Some("crosphere") => format!("{}{}", if mv.weak { 'w' } else { 's' }, square(mv.to)),
        Some("mnk") => square(mv.to),
        _ => square(mv.from) + &square(mv.to),
    }
}

#[test]
fn both_programs_play_the_same_games() {
    let games = [
        "pawn:size=4x4",
        "pawn:size=5x6",
        "pawn:size=6x8,double",
        "breakthrough:size=4x5",
        "breakthrough:size=8x8",
        "clobber:size=5x6",
        "clobber:size=4x3,own",
        "clobber:size=8x8",
        "crosphere:size=4x4,strong=1",
        "crosphere:size=5x6,strong=3",
        "crosphere:size=8x8,strong=5",
        "mnk:size=3x3,k=3",
        "mnk:size=5x4,k=3",
        "mnk:size=8x8,k=5",
        "connect-four:size=7x6,k=4",
        "connect-four:size=5x5,k=3",
    ];
    for (number, name) in games.into_iter().enumerate() {
        let game = Game::parse(name).unwrap();
        let size = name.split("size=").nth(1).unwrap().split(',').next().unwrap();
        let ranks: u8 = size.split('x').nth(1).unwrap().parse().unwrap();
        let mut rng = random(number as u64);
        for _ in 0..60 {
            let mut session = open(name, None).unwrap();
            assert_eq!(session.spec(), name, "certificates name all parameters");
            let (mut position, mut moves, mut end) = (game.start(), Vec::new(), None);
            while end.is_none() {
                game.moves(&position, &mut moves);
                let here: BTreeSet<String> = moves.iter().map(|&mv| text(name, ranks, mv)).collect();
                let there: BTreeSet<String> = session.moves().into_iter().map(|mv| mv.text).collect();
                assert_eq!(here, there, "{name} {}", session.position());
                assert!(moves.is_sorted(), "{name} {}: {moves:?}", session.position());
                let mv = moves[rng.below(moves.len() as u32) as usize];
                session.play(&text(name, ranks, mv)).unwrap();
                (position, end) = game.play(&position, mv, &mut moves);
            }
            let expected = match session.turn() {
                Turn::Over(Outcome { winner: Some(Player::First), .. }) => End::Won(0),
                Turn::Over(Outcome { winner: Some(Player::Second), .. }) => End::Won(1),
                Turn::Over(Outcome { winner: None, .. }) => End::Drawn,
                turn => panic!("{name} {}: {turn:?}", session.position()),
            };
            assert_eq!(end, Some(expected), "{name} {}", session.position());
        }
    }
}

#[test]
fn certificates_of_small_games_are_verified() {
    for (game, proved) in SOLVED {
        for (limit, split) in [(0, 0), (30, 0), (1_000, 0), (30, 2)] {
            let bytes = certificate(game, limit, split);
            let expected = format!("verified: {proved}");
            let verdict = verify(&bytes, WHOLE);
            assert_eq!(sentence(&verdict), Some(&*expected), "{game}, limit {limit}, split {split}: {verdict:?}");
            for part in 1..=3 {
                let verdict = verify(&bytes, (part, 3));
                assert!(sentence(&verdict).is_some_and(|line| line.ends_with(proved)), "{game}, part {part}: {verdict:?}");
            }
        }
    }
}

#[test]
fn certificates_of_the_book_are_verified() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/certificates");
    let files: Vec<_> = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    assert!(!files.is_empty());
    for file in files {
        let verdict = verify(&fs::read(&file).unwrap(), WHOLE);
        assert!(verdict.is_ok(), "{}: {verdict:?}", file.display());
    }
}

#[test]
fn a_false_claim_is_refused() {
    for (game, _) in SOLVED {
        let bytes = certificate(game, 30, 0);
        // Behind the magic, the length, the spec, the limit and the number of claims.
        let place = 8 + 2 + game.len() + 4 + 1;
        for claim in (0..8).filter(|&claim| claim != bytes[place]) {
            let mut body = bytes[..bytes.len() - 8].to_vec();
            body[place] = claim;
            let verdict = verify(&sealed(body), WHOLE);
            // Who wins has at least a draw.
            let weaker = bytes[place] & 2 != 0 && claim & 3 == bytes[place] & 1;
            assert!(verdict.is_err() || weaker || claim & 3 == bytes[place] & 3, "{game}, claim {claim}: {verdict:?}");
        }
    }
}

#[test]
fn of_ten_thousand_changed_certificates_none_proves_a_falsehood() {
    let mut rng = random(7);
    let mut refused = 0;
    let originals: Vec<Vec<u8>> = SOLVED.iter().map(|(game, _)| certificate(game, 10, 0)).collect();
    let truths: BTreeSet<String> = SOLVED.iter().map(|(_, proved)| format!("verified: {proved}")).collect();
    for number in 0..10_000_usize {
        let original = &originals[number % originals.len()];
        let mut damaged = original.clone();
        let changes = 1 + rng.below(3);
        for _ in 0..changes {
            let place = rng.below(damaged.len() as u32) as usize;
            damaged[place] ^= 1 << rng.below(8);
        }
        if damaged != *original {
            assert!(verify(&damaged, WHOLE).is_err(), "a checksum does not notice {changes} changed bits");
        }
        // A liar writes the right checksum, and leaves the game as it is.
        let spec = 8 + 2 + SOLVED[number % SOLVED.len()].0.len();
        let mut body = damaged[..damaged.len() - 8].to_vec();
        body[..spec].copy_from_slice(&original[..spec]);
        let verdict = verify(&sealed(body), WHOLE);
        match sentence(&verdict) {
            None => refused += 1,
            // Another proof of the same, or of less.
            Some(line) => assert!(truths.contains(line) || is_weaker(line, &truths), "{line}"),
        }
    }
    assert!(refused > 5_000, "only {refused} were refused");
}

/// Is it said that a player has at least a draw, where that player wins or nobody does?
fn is_weaker(line: &str, truths: &BTreeSet<String>) -> bool {
    let Some((player, game)) = line.split_once(" player has at least a draw in ") else { return false };
    truths.contains(&format!("{player} player wins {game}")) || truths.contains(&format!("verified: {game} is a draw"))
}

#[test]
fn what_is_no_certificate_is_refused_with_a_reason() {
    let good = certificate("pawn:size=4x4", 30, 0);
    for (bytes, reason) in [
        (Vec::new(), "does not begin as a certificate"),
        (b"PLYCERT1".to_vec(), "ends too early"),
        (good[..good.len() - 1].to_vec(), "checksum is wrong"),
        (sealed([b"PLYCERT1\x0d\0pawn:size=9x9".as_slice(), &[0; 30]].concat()), "at most 64 squares"),
        (sealed([b"PLYCERT1\x05\0chess".as_slice(), &[0; 30]].concat()), "expected size"),
        (sealed([&good[..good.len() - 8], &[0]].concat()), "follow after the proof"),
    ] {
        let refused = verify(&bytes, WHOLE).unwrap_err();
        assert!(refused.contains(reason), "{refused}");
    }
}
