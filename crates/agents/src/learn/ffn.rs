//! The network of the Clobber thesis (2017): after each game every position of it is learnt once, in order, towards the result, at a
//! rate that grows from position to position, as the last ones say most about who wins.
//!
//! In the thesis the network plays its games against an opponent, one network for each side, and a won game is 1 in the network's own
//! view. That is what [`Learner::play_against`] begins; without an opponent the moves are random, or the network's against random ones.

use plyground_core::{
    Agent, AgentError, Budget, Choice, Encodable, Encoder, Fact, Game, InputError, KeyInfo, Limits, NoClock, NoObserver, Outcome,
    Params, Player, Rng, Scratch, SearchRequest, Seed, Turn, Viewpoint,
};
use plyground_nets::{Network, Shape, weights};

use super::value_network::{HiddenLayers, ValueNetwork};
use super::{
    Learner, LearnerObserver, Learnt, TrainingOpponent, TrainingProgress, chosen_encoder, read_training, write_training,
};
use crate::AgentInfo;
use crate::net::{NetAlone, NetEvaluator, header, network_for};

pub(crate) const INFO: AgentInfo = AgentInfo {
    name: "ffn",
    summary: "a network with one hidden layer that learns from games against an opponent (ply train --against), as in the Clobber \
              thesis, or from random games; it plays as net:net=FILE",
    keys: &[
        KeyInfo { key: "episodes", value: "N", default: "100000", meaning: "training games" },
        KeyInfo { key: "hidden", value: "N+N", default: "20", meaning: "hidden nodes, of each layer where there are several" },
        KeyInfo {
            key: "conv",
            value: "N",
            default: "0",
            meaning: "filters of a 3x3 convolution before the hidden layers, for an encoder with a board",
        },
        KeyInfo { key: "alpha", value: "A", default: "0.02", meaning: "learning rate of the first position of a game" },
        KeyInfo { key: "halve", value: "N", default: "never", meaning: "a falling rate: half of it after every N games" },
        KeyInfo { key: "growth", value: "G", default: "0.1", meaning: "the rate grows by this share from position to position" },
        KeyInfo { key: "beta", value: "B", default: "2", meaning: "steepness of the logistic function 1 / (1 + exp(-B x))" },
        KeyInfo {
            key: "lost",
            value: "-1|0",
            default: "-1",
            meaning: "what the output should be for a lost position: -1 as in the thesis, or 0, which it can be",
        },
        KeyInfo {
            key: "play",
            value: "random|own|first|second|both",
            default: "random; first with an opponent",
            meaning: "whose moves in training games are those that the network likes best: no side's, those of the sides in turn, of \
                      the first or of the second player, or of both; the others are random, or the opponent's",
        },
        KeyInfo {
            key: "view",
            value: "first|own",
            default: "first; own with an opponent",
            meaning: "for whom a won game is a 1: the first player, or the side that the network plays, as in the thesis",
        },
        KeyInfo { key: "encoder", value: "NAME", default: "thesis or general", meaning: "how it sees the game" },
        KeyInfo { key: "seed", value: "N", default: "0", meaning: "of the training games and of the weights at the start" },
    ],
    evaluates: false,
};

/// Whose moves in training games are the network's.
const PLAYS: &[&str] = &["random", "own", "first", "second", "both"];

/// For whom a won game is a 1.
const VIEWS: &[&str] = &["first", "own"];

/// Positions between two looks at the clock: about a millisecond.
const LOOK_EVERY: u64 = 1_000;

/// Longer games count as drawn: two networks that always answer in the same way might play for ever.
const LONGEST: usize = 2_000;

pub(crate) fn learner<G: Encodable>(game: &G, params: &Params) -> Result<FeedForward<G>, InputError> {
    let filters = params.number("conv", 0..=256)?.unwrap_or(0);
    let thesis = "thesis";
    let usual = if filters == 0 && game.encoder(thesis).is_some() { thesis } else { "general" };
    let (name, encoder) = chosen_encoder(game, params, usual)?;
    let [ranks, files] = encoder.board();
    if filters > 0 && ranks * files == 1 {
        let detail = format!("the encoder '{name}' shows a list of numbers; expected one with a board, e.g. encoder=general");
        return Err(InputError::malformed("key", "conv", detail));
    }
    let input = Shape { planes: encoder.planes().len(), ranks, files };
    let steepness = params.number("beta", 0.001..=100.0)?.unwrap_or(2.0);
    let dense = HiddenLayers::nodes(params.get("hidden").unwrap_or("20"))?;
    let layers = HiddenLayers { filters, dense, steepness };
    let seed = params.number("seed", 0..=u64::MAX)?.unwrap_or(0);
    let settings = Settings {
        alpha: params.number("alpha", 0.0..=10.0)?.unwrap_or(0.02),
        halve: params.number("halve", 1..=1_000_000_000_000)?,
        growth: params.number("growth", 0.0..=1.0)?.unwrap_or(0.1),
        lost: [-1.0, 0.0][params.choice("lost", &["-1", "0"])?],
        play: params.choice("play", PLAYS)?,
        view: params.choice("view", VIEWS)?,
        set: [params.has("play"), params.has("view")],
    };
    settings.check()?;
    let too_large = |error: plyground_nets::NetError| InputError::malformed("game", &game.spec(), error.to_string());
    Ok(FeedForward {
        game: game.spec(),
        episodes: params.number("episodes", 0..=1_000_000_000_000)?.unwrap_or(100_000),
        settings,
        seed_number: seed,
        seed: Seed(seed).named("ffn"),
        network: ValueNetwork::new(input, &layers, Seed(seed).named("ffn").named("weights")).map_err(too_large)?,
        layers,
        input,
        name: name.to_owned(),
        encoder,
        from: None,
        against: None,
        opponent: Sparring::Random,
        failure: None,
        games: 0,
        positions: 0,
        results: [0; 3],
        player: None,
    })
}

#[derive(Clone, Copy, Debug)]
struct Settings {
    alpha: f32,
    halve: Option<u64>,
    growth: f32,
    lost: f32,
    /// The number of a word in [`PLAYS`].
    play: usize,
    /// The number of a word in [`VIEWS`].
    view: usize,
    /// Were these two set?
    set: [bool; 2],
}

impl Settings {
    /// The side that the network plays in a game of this number, where it plays one.
    fn seat(&self, game: u64) -> Option<Player> {
        match PLAYS[self.play] {
            "own" => Some(Player::BOTH[game as usize % 2]),
            "first" => Some(Player::First),
            "second" => Some(Player::Second),
            _ => None,
        }
    }

    fn is_own_view(&self) -> bool {
        VIEWS[self.view] == "own"
    }

    fn check(&self) -> Result<(), InputError> {
        if self.is_own_view() && !["first", "second"].contains(&PLAYS[self.play]) {
            let detail = format!("expected play=first or play=second beside it, found play={}", PLAYS[self.play]);
            return Err(InputError::malformed("key", "view=own", detail));
        }
        Ok(())
    }

    /// The learning rate of the first position of a game.
    fn rate(&self, games: u64) -> f32 {
        self.halve.map_or(self.alpha, |halve| self.alpha * 0.5_f32.powf((games as f64 / halve as f64) as f32))
    }

    /// What the output for a position should be: 1 for a win, the target of a loss for a loss, the middle for a draw. `result` is the
    /// first player's, `sign` is 1 where the network speaks for the first player in this position. The network of the second player
    /// that sees a won game as 1 is kept with its output turned round, so that every network file speaks in the same way.
    fn target(&self, result: f32, sign: f32, seat: Option<Player>) -> f32 {
        let of = |result: f32| self.lost + (1.0 - self.lost) * 0.5 * (1.0 + result);
        match seat.filter(|_| self.is_own_view()).map(Player::sign) {
            Some(own) if own * sign < 0.0 => 1.0 - of(result * own),
            Some(own) => of(result * own),
            None => of(sign * result),
        }
    }
}

/// The other side of training games.
enum Sparring<G: Game> {
    /// Random moves.
    Random,
    /// An agent.
    Agent(Box<dyn Agent<G>>),
    /// A network that learns from the same games.
    Network(Box<ValueNetwork>),
}

/// The network of the Clobber thesis, in training.
pub struct FeedForward<G: Encodable> {
    /// The game with all parameters.
    game: String,
    episodes: u64,
    settings: Settings,
    seed_number: u64,
    seed: Seed,
    network: ValueNetwork,
    layers: HiddenLayers,
    input: Shape,
    /// The name of the encoder.
    name: String,
    encoder: Box<dyn Encoder<G>>,
    /// The file that it began with.
    from: Option<String>,
    /// The spec of the opponent.
    against: Option<String>,
    opponent: Sparring<G>,
    /// Why the opponent could not go on.
    failure: Option<AgentError>,
    games: u64,
    positions: u64,
    /// Games won by the first player, drawn, and won by the second, since it was made or loaded.
    results: [u64; 3],
    /// Plays by what was learnt so far.
    player: Option<NetAlone<G>>,
}

/// A position of a training game: whose view it is encoded in, and the numbers.
type Seen = (f32, Vec<f32>);

impl<G: Encodable> FeedForward<G> {
    /// The command that trains it, but for the number of games.
    fn command(&self) -> String {
        let Settings { alpha, growth, lost, play, .. } = self.settings;
        let (hidden, beta, play) = (self.layers.words(), self.layers.steepness, PLAYS[play]);
        let mut command = format!(
            "ply train {} --agent ffn:hidden={hidden},alpha={alpha},growth={growth},beta={beta},lost={lost},play={play},encoder={},seed={}",
            self.game, self.name, self.seed_number
        );
        // What was not there at first is written only where it is used: older files go on.
        if self.layers.filters > 0 {
            command += &format!(",conv={}", self.layers.filters);
        }
        if let Some(halve) = self.settings.halve {
            command += &format!(",halve={halve}");
        }
        if self.settings.is_own_view() {
            command += ",view=own";
        }
        if let Some(against) = &self.against {
            command += &format!(" --against {against}");
        }
        if matches!(self.opponent, Sparring::Network(_)) {
            command += " --both-learn";
        }
        if let Some(from) = &self.from {
            command += &format!(" --from {from}");
        }
        command
    }

    /// The command behind the file of the opponent.
    fn command_of_opponent(&self) -> String {
        format!("opponent in: {}", self.command())
    }

    /// Reads a network with the layers and the encoder of this one.
    fn fitting(&self, game: &G, name: &str, file: &[u8]) -> Result<Network, InputError> {
        let (header, network) = network_for(game, name, file)?;
        let wanted = self.layers.architecture(self.input);
        if header.encoder != self.name || *network.architecture() != wanted {
            let detail = format!(
                "expected a network of ffn with hidden={}, beta={}, conv={} and encoder={}, found another",
                self.layers.words(),
                self.layers.steepness,
                self.layers.filters,
                self.name
            );
            return Err(InputError::malformed("network", name, detail));
        }
        Ok(network)
    }

    /// Plays a game and keeps its positions as they are encoded, with whose view they are in. Gives the result, and how many positions
    /// there were.
    fn play(&mut self, game: &G, memory: &mut GameMemory<G>) -> Result<(Outcome, usize), AgentError> {
        // Each game has its own numbers: where training was interrupted makes no difference.
        let mut rng = self.seed.numbered(self.games).rng();
        let mut state = game.start();
        let mut count = 0;
        let seat = self.settings.seat(self.games);
        let is_alone = PLAYS[self.settings.play] == "both";
        let first = self.encoder.viewpoint() == Viewpoint::First;
        loop {
            let mv = match game.turn(&state) {
                Turn::Over(outcome) => {
                    // At the end of the game there is no player to move, and so no view of that player.
                    if first {
                        memory.see(&*self.encoder, game, &state, &mut count, 1.0);
                    }
                    return Ok((outcome, count));
                }
                Turn::Player(_) if count >= LONGEST => return Ok((Outcome::DRAW, count)),
                Turn::Chance => game.random_outcome(&state, &mut rng, &mut memory.scratch),
                Turn::Player(mover) => {
                    let sign = if first { Player::First.sign() } else { mover.sign() };
                    memory.see(&*self.encoder, game, &state, &mut count, sign);
                    if is_alone || seat == Some(mover) {
                        liked(&mut self.network, &*self.encoder, game, &state, memory)
                    } else {
                        match &mut self.opponent {
                            Sparring::Random => game.random_move(&state, &mut rng, &mut memory.scratch),
                            Sparring::Agent(agent) => asked(agent.as_mut(), game, &state, &mut rng)?,
                            Sparring::Network(network) => liked(network, &*self.encoder, game, &state, memory),
                        }
                    }
                }
            };
            game.play(&mut state, mv);
        }
    }

    /// Learns from the positions of a game that was played.
    fn learn(&mut self, result: f32, seen: &[Seen]) {
        let (mut rate, seat) = (self.settings.rate(self.games), self.settings.seat(self.games));
        for (sign, numbers) in seen {
            self.network.learn(numbers, self.settings.target(result, *sign, seat), rate);
            if let Sparring::Network(opponent) = &mut self.opponent {
                opponent.learn(numbers, self.settings.target(result, *sign, seat.map(Player::other)), rate);
            }
            rate *= 1.0 + self.settings.growth;
        }
    }
}

/// What is used again from game to game.
struct GameMemory<G: Game> {
    scratch: Scratch<G::Move>,
    seen: Vec<Seen>,
    moves: Vec<G::Move>,
    numbers: Vec<f32>,
}

impl<G: Encodable> GameMemory<G> {
    fn see(&mut self, encoder: &dyn Encoder<G>, game: &G, state: &G::State, count: &mut usize, sign: f32) {
        if self.seen.len() == *count {
            self.seen.push((0.0, Vec::new()));
        }
        self.seen[*count].0 = sign;
        encoder.encode(game, state, &mut self.seen[*count].1);
        *count += 1;
    }
}

/// The move of an agent that stays as it is.
fn asked<G: Game>(agent: &mut dyn Agent<G>, game: &G, state: &G::State, rng: &mut Rng) -> Result<G::Move, AgentError> {
    let budget = Budget { limits: Limits::default(), clock: &NoClock };
    Ok(agent.choose(SearchRequest { game, state, budget, rng, observer: &mut NoObserver })?.mv)
}

/// The move after which a network likes the position best. A player is to move.
fn liked<G: Encodable>(
    network: &mut ValueNetwork,
    encoder: &dyn Encoder<G>,
    game: &G,
    state: &G::State,
    memory: &mut GameMemory<G>,
) -> G::Move {
    let GameMemory { moves, numbers, .. } = memory;
    let sign = if game.turn(state) == Turn::Player(Player::Second) { -1.0 } else { 1.0 };
    moves.clear();
    game.moves(state, moves);
    let (mut best, mut highest) = (moves[0], f32::NEG_INFINITY);
    for &mv in moves.iter() {
        let mut after = state.clone();
        game.play(&mut after, mv);
        // For the first player, from -1 to 1. Before chance has spoken the network has no opinion.
        let value = match (game.turn(&after), encoder.viewpoint()) {
            (Turn::Chance, _) => 0.0,
            (Turn::Over(outcome), Viewpoint::Mover) => outcome.value(),
            (turn, viewpoint) => {
                encoder.encode(game, &after, numbers);
                let said = 2.0 * network.say(numbers) - 1.0;
                if (turn, viewpoint) == (Turn::Player(Player::Second), Viewpoint::Mover) { -said } else { said }
            }
        };
        if value * sign > highest {
            (best, highest) = (mv, value * sign);
        }
    }
    best
}

impl<G: Encodable> Agent<G> for FeedForward<G> {
    fn choose(&mut self, request: SearchRequest<'_, G>) -> Result<Choice<G>, AgentError> {
        if self.player.is_none() {
            let network = self.network.network().expect("what was learnt are finite numbers");
            let net = NetEvaluator::new(request.game, &self.name, &network, 1).expect("the encoder is there");
            self.player = Some(NetAlone::by_value(net));
        }
        self.player.as_mut().expect("it was made a moment ago").choose(request)
    }
}

impl<G: Encodable> Learner<G> for FeedForward<G> {
    fn episodes(&self) -> u64 {
        self.episodes
    }

    fn train(&mut self, game: &G, games: u64, observer: &mut LearnerObserver<'_>) {
        self.player = None;
        let mut memory = GameMemory { scratch: Scratch::default(), seen: Vec::new(), moves: Vec::new(), numbers: Vec::new() };
        let mut effort = 0;
        for played in 0..games {
            // The games of a searching opponent are slow: then every game is a look.
            if effort >= LOOK_EVERY || matches!(self.opponent, Sparring::Agent(_)) {
                effort = 0;
                if observer(TrainingProgress { games: played, positions: self.positions }).is_break() {
                    return;
                }
            }
            let (outcome, count) = match self.play(game, &mut memory) {
                Ok(played) => played,
                Err(error) => {
                    self.failure = Some(error);
                    return;
                }
            };
            self.learn(outcome.value(), &memory.seen[..count]);
            self.results[outcome.winner.map_or(1, |winner| 2 * winner.index())] += 1;
            self.games += 1;
            self.positions += count as u64;
            effort += count as u64;
        }
    }

    fn learnt(&self) -> Learnt {
        Learnt {
            games: self.games,
            positions: self.positions,
            facts: vec![Fact { name: "training games", value: self.games as f64 }],
            notes: Vec::new(),
        }
    }

    fn results(&self) -> Option<[u64; 3]> {
        Some(self.results)
    }

    fn failure(&self) -> Option<&AgentError> {
        self.failure.as_ref()
    }

    fn begin_with(&mut self, game: &G, name: &str, file: &[u8]) -> Result<(), InputError> {
        self.network = ValueNetwork::from_network(&self.fitting(game, name, file)?);
        self.from = Some(name.to_owned());
        self.player = None;
        Ok(())
    }

    fn play_against(&mut self, game: &G, spec: &str, opponent: TrainingOpponent<G>) -> Result<(), InputError> {
        let [play_set, view_set] = self.settings.set;
        if !play_set {
            self.settings.play = 2;
        }
        let play = PLAYS[self.settings.play];
        if !["first", "second", "own"].contains(&play) {
            let detail = format!("with an opponent expected play=first, play=second or play=own, found play={play}");
            return Err(InputError::malformed("key", "play", detail));
        }
        if !view_set && play != "own" {
            self.settings.view = 1;
        }
        self.opponent = match opponent {
            TrainingOpponent::Random => Sparring::Random,
            TrainingOpponent::Agent(agent) => Sparring::Agent(agent),
            TrainingOpponent::Network { name, file } => {
                Sparring::Network(Box::new(ValueNetwork::from_network(&self.fitting(game, &name, &file)?)))
            }
        };
        self.against = Some(spec.to_owned());
        Ok(())
    }

    fn save(&self, game: &G) -> Vec<u8> {
        self.file(game, &self.network, &self.command())
    }

    fn save_opponent(&self, game: &G) -> Option<Vec<u8>> {
        let Sparring::Network(network) = &self.opponent else { return None };
        Some(self.file(game, network, &self.command_of_opponent()))
    }

    fn load(&mut self, game: &G, name: &str, file: &[u8]) -> Result<(), InputError> {
        let (network, counts) = self.read(game, name, file, &self.command())?;
        self.network = network;
        (self.games, self.positions) = counts;
        self.results = [0; 3];
        self.player = None;
        Ok(())
    }

    fn load_opponent(&mut self, game: &G, name: &str, file: &[u8]) -> Result<(), InputError> {
        let (network, (games, _)) = self.read(game, name, file, &self.command_of_opponent())?;
        if games != self.games {
            let detail = format!("expected the opponent after {} games, found it after {games}", self.games);
            return Err(InputError::malformed("network", name, detail));
        }
        self.opponent = Sparring::Network(Box::new(network));
        Ok(())
    }

    fn player(&self, file: &str) -> String {
        format!("net:net={file}")
    }
}

impl<G: Encodable> FeedForward<G> {
    fn file(&self, game: &G, network: &ValueNetwork, command: &str) -> Vec<u8> {
        let network = network.network().expect("what was learnt are finite numbers");
        let training = write_training(command, self.games, self.positions);
        let header = weights::Header { training, ..header(game, &self.name, &network) };
        weights::write(&header, &network).expect("a small network is a small file")
    }

    /// A network of this training, with its games and positions.
    fn read(&self, game: &G, name: &str, file: &[u8], command: &str) -> Result<(ValueNetwork, (u64, u64)), InputError> {
        let (header, network) = network_for(game, name, file)?;
        let counts = read_training(command, &header, name)?;
        if *network.architecture() != self.layers.architecture(self.input) {
            return Err(InputError::malformed("network", name, "it has another shape than its training says"));
        }
        Ok((ValueNetwork::from_network(&network), counts))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_won_game_is_a_1_in_the_view_that_was_asked_for() {
        let settings = |play: usize, view: usize| Settings {
            alpha: 0.02,
            halve: Some(1_000),
            growth: 0.1,
            lost: -1.0,
            play,
            view,
            set: [true, true],
        };
        let (first, second) = (Some(Player::First), Some(Player::Second));
        // The first player's view, also where the second plays.
        assert_eq!([1.0, 0.0, -1.0].map(|result| settings(3, 0).target(result, 1.0, second)), [1.0, 0.0, -1.0]);
        assert_eq!([1.0, -1.0].map(|result| settings(3, 0).target(result, -1.0, second)), [-1.0, 1.0]);
        // The network's own: a file speaks for the first player, so that the second player's 1 and -1 are 0 and 2 there.
        assert_eq!([1.0, -1.0].map(|result| settings(2, 1).target(result, 1.0, first)), [1.0, -1.0]);
        assert_eq!([1.0, -1.0].map(|result| settings(3, 1).target(result, 1.0, second)), [2.0, 0.0]);
        // An encoder that sees as the mover does: where the mover is the second player, the file speaks for that one.
        assert_eq!([1.0, -1.0].map(|result| settings(3, 1).target(result, -1.0, second)), [-1.0, 1.0]);
        assert_eq!([0, 1_000, 2_000].map(|games| settings(2, 1).rate(games)), [0.02, 0.01, 0.005]);
    }
}
