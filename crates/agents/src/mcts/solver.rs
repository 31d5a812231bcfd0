//! MCTS-Solver (Winands, Björnsson and Saito, 2008): wins, losses and draws that are certain travel up the tree.

use plyground_core::Player;

use super::arena::{Kind, Node, Proof, Tree};

/// Draws conclusions for a node from one of its children. True if the child is a proven loss for the player to move at the node.
pub(crate) fn learn<M: Copy>(tree: &mut Tree<M>, parent: usize, child: usize) -> bool {
    let proof = tree.nodes[child].proof;
    let node = &mut tree.nodes[parent];
    if proof == Proof::Unknown || node.proof != Proof::Unknown {
        return false;
    }
    let Some(player) = node.kind.player() else {
        tree.nodes[parent].proof = in_any_case(tree, parent, proof);
        return false;
    };
    if proof == Proof::Win(player) {
        node.proof = proof;
        return false;
    }
    node.draw_in_hand |= proof == Proof::Draw;
    tree.nodes[parent].proof = best_of_all(tree, parent, player);
    proof != Proof::Draw
}

/// The best of the children, once all of them are proven (and none is a win).
fn best_of_all<M: Copy>(tree: &Tree<M>, node: usize, player: Player) -> Proof {
    let here = &tree.nodes[node];
    if here.open < here.count || here.opened().any(|edge| tree.behind(edge).proof == Proof::Unknown) {
        return Proof::Unknown;
    }
    // Where positions are shared, a child may have been proven on another way.
    let draw = here.opened().any(|edge| tree.behind(edge).proof == Proof::Draw);
    if draw { Proof::Draw } else { Proof::Win(player.other()) }
}

/// Chance decides nothing if all its outcomes are worth the same.
fn in_any_case<M: Copy>(tree: &Tree<M>, node: usize, proof: Proof) -> Proof {
    let here = &tree.nodes[node];
    let same = here.open == here.count && here.opened().all(|edge| tree.behind(edge).proof == proof);
    if same { proof } else { Proof::Unknown }
}

/// What a node passes on to its parent: what it is worth for certain, and never less than a draw to a mover who has one in hand (the
/// idea of score bounds, Cazenave and Saffidine 2010).
pub(crate) fn corrected(node: &Node, reward: f32) -> f32 {
    match (node.proof, node.kind) {
        (Proof::Unknown, Kind::First) if node.draw_in_hand => reward.max(0.5),
        (Proof::Unknown, Kind::Second) if node.draw_in_hand => reward.min(0.5),
        (Proof::Unknown, _) => reward,
        (proof, _) => proof.reward(),
    }
}
