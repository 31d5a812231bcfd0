//! The agents of Crosphere.

use plyground_core::Params;

use super::{Entry, Preset};

/// Measured in docs/levels.md.
const LEVELS: [&str; 8] = [
    "alphabeta:depth=1,slip=0.16",
    "alphabeta:depth=1,slip=0.05",
    "alphabeta:nodes=1500",
    "alphabeta:nodes=5500",
    "alphabeta:nodes=28000",
    "alphabeta:nodes=250000",
    "alphabeta:nodes=2200000,time=900ms",
    "alphabeta:nodes=7000000,time=1900ms",
];

/// The opponents of the thesis' app: its three kinds in their three strengths. The network is a flat relative of the thesis' own
/// (docs/studies/crosphere.md), and for 8x8 boards only.
const THESIS_APP: &[Preset] = &[
    Preset {
        name: "thesis-rollouts-125",
        summary: "the thesis' app, random games, weak",
        spec: "mcts:preset=crosphere,leaf=rollout,sims=125",
    },
    Preset {
        name: "thesis-rollouts-250",
        summary: "the thesis' app, random games, medium",
        spec: "mcts:preset=crosphere,leaf=rollout,sims=250",
    },
    Preset {
        name: "thesis-rollouts-500",
        summary: "the thesis' app, random games, strong",
        spec: "mcts:preset=crosphere,leaf=rollout,sims=500",
    },
    Preset { name: "thesis-heuristic-125", summary: "the thesis' app, heuristic, weak", spec: "mcts:preset=crosphere,sims=125" },
    Preset {
        name: "thesis-heuristic-250",
        summary: "the thesis' app, heuristic, medium",
        spec: "mcts:preset=crosphere,sims=250",
    },
    Preset {
        name: "thesis-heuristic-500",
        summary: "the thesis' app, heuristic, strong",
        spec: "mcts:preset=crosphere,sims=500",
    },
    Preset {
        name: "thesis-cnn-125",
        summary: "the thesis' app, flat network, weak",
        spec: "mcts:preset=crosphere,leaf=net,net=thesis-cnn,sims=125",
    },
    Preset {
        name: "thesis-cnn-250",
        summary: "the thesis' app, flat network, medium",
        spec: "mcts:preset=crosphere,leaf=net,net=thesis-cnn,sims=250",
    },
    Preset {
        name: "thesis-cnn-500",
        summary: "the thesis' app, flat network, strong",
        spec: "mcts:preset=crosphere,leaf=net,net=thesis-cnn,sims=500",
    },
];

/// How many of [`THESIS_APP`], from the first, need no network.
const WITHOUT_NETWORK: usize = 6;

pub(super) fn entry(params: &Params) -> Entry {
    if super::size(params) == Some([8, 8]) {
        return Entry { levels: LEVELS, best: "az:time=1900ms", network: Some("crosphere-8x8"), presets: THESIS_APP };
    }
    Entry { levels: LEVELS, best: "alphabeta:time=1900ms", network: None, presets: &THESIS_APP[..WITHOUT_NETWORK] }
}

/// A player as the thesis names its parameters, if it is one of its three; any other name stays as it is. What the thesis has no name
/// for follows behind.
pub(super) fn thesis_player(name: &str) -> String {
    /// What makes a search that of the thesis; other keys have its values unless they are given.
    const PRESET: (&str, &str) = ("preset", "crosphere");
    if name == "random" {
        return "type=random".to_owned();
    }
    let pairs: Option<Vec<(&str, &str)>> =
        name.strip_prefix("mcts:").map(|keys| keys.split(',').map(|pair| pair.split_once('=').unwrap_or((pair, ""))).collect());
    let Some(pairs) = pairs.filter(|pairs| pairs.contains(&PRESET)) else { return name.to_owned() };
    let find = |key: &str| pairs.iter().find(|pair| pair.0 == key).map(|pair| pair.1);
    let kind = match find("leaf") {
        Some("rollout") => "MCTS_random",
        Some("net") => "MCTS_CNN",
        _ => "MCTS_heuristic",
    };
    let mut words = vec![format!("type={kind}"), format!("exploration_weight={}", find("c").unwrap_or("0.3"))];
    words.extend(find("sims").map(|sims| format!("rollouts_per_move={sims}")));
    if kind == "MCTS_heuristic" {
        words.push(format!("stone_weight={}", find("w").unwrap_or("0.4")));
    }
    let named = |key: &str| ["preset", "c", "sims", "w"].contains(&key) || (key == "leaf" && kind != "MCTS_heuristic");
    words.extend(pairs.iter().filter(|pair| !named(pair.0)).map(|(key, value)| format!("{key}={value}")));
    words.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn players_are_named_as_the_thesis_names_them() {
        for (ours, theirs) in [
            (
                "mcts:preset=crosphere,c=0.45,sims=922,w=0.39",
                "type=MCTS_heuristic, exploration_weight=0.45, rollouts_per_move=922, stone_weight=0.39",
            ),
            (
                "mcts:preset=crosphere,sims=94",
                "type=MCTS_heuristic, exploration_weight=0.3, rollouts_per_move=94, stone_weight=0.4",
            ),
            ("mcts:preset=crosphere,leaf=rollout,sims=9", "type=MCTS_random, exploration_weight=0.3, rollouts_per_move=9"),
            ("mcts:preset=crosphere,leaf=net,net=x,sims=9", "type=MCTS_CNN, exploration_weight=0.3, rollouts_per_move=9, net=x"),
            (
                "mcts:preset=crosphere,sims=9,stones=as-printed",
                "type=MCTS_heuristic, exploration_weight=0.3, rollouts_per_move=9, stone_weight=0.4, stones=as-printed",
            ),
            ("random", "type=random"),
            ("mcts:sims=9", "mcts:sims=9"),
            ("type=random, number=3", "type=random, number=3"),
        ] {
            assert_eq!(thesis_player(ours), theirs);
        }
    }
}
