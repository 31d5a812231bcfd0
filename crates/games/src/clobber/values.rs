//! Values of short games (Conway, On Numbers and Games, 1976): every value is kept once, in canonical form, and is known by its
//! number in the store. Left is the player to move or Black, as the caller likes.

use std::collections::HashMap;

use super::mixing::{MixingState, mixed};

/// The number of a value in its store: equal values have equal numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Value(pub u32);

impl Value {
    /// The game without moves: who is to move loses.
    pub const ZERO: Self = Self(0);
}

/// How many sums are kept for each value: as many as there are, on the average.
const SUMS: usize = 4;

/// A computation went on for longer than it was allowed to. What it found on the way is kept: asked again, it goes on from there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exhausted;

/// A canonical form: where its options stand in the list of all, and what follows from them.
#[derive(Clone, Copy, Debug)]
struct Form {
    lefts: u32,
    rights: u32,
    end: u32,
    negative: Value,
    /// Right, to move, loses.
    not_negative: bool,
    /// Left, to move, loses.
    not_positive: bool,
}

/// All values that have been met.
#[derive(Clone, Debug)]
pub struct Values {
    forms: Vec<Form>,
    options: Vec<Value>,
    /// Open addressing by the hash of the options; 0 is free, else a number plus one.
    interned: Vec<u32>,
    sums: HashMap<(Value, Value), Value, MixingState>,
    /// Answers to "is a <= b?", each in the one place that its question has: `a`, `b` and the answer in one word.
    orders: Vec<u64>,
    /// Steps that may still be made.
    pub fuel: u32,
    /// Steps made.
    pub work: u64,
    capacity: usize,
}

impl Values {
    /// A store that uses about `memory` bytes at most.
    pub fn new(memory: usize) -> Self {
        let orders = (memory / 4 / size_of::<u64>()).clamp(1 << 10, 1 << 22);
        // A form, its options and its place take about 100 bytes, a sum about 30, and there are several sums for each form.
        let capacity = (memory / 300).clamp(1 << 10, 1 << 30);
        // Growing would be a pause that cannot be interrupted.
        let expected = capacity.min(1 << 21);
        let mut store = Self {
            forms: Vec::with_capacity(expected),
            options: Vec::with_capacity(8 * expected),
            interned: vec![0; (2 * expected).next_power_of_two()],
            sums: HashMap::with_capacity_and_hasher(SUMS * expected, MixingState::default()),
            orders: vec![0; 1 << orders.ilog2()],
            fuel: u32::MAX,
            work: 0,
            capacity,
        };
        let zero = store.intern(&[], &[]);
        debug_assert_eq!(zero, Value::ZERO);
        store
    }

    /// The options of Left.
    pub fn lefts(&self, value: Value) -> &[Value] {
        let form = &self.forms[value.0 as usize];
        &self.options[form.lefts as usize..form.rights as usize]
    }

    /// The options of Right.
    pub fn rights(&self, value: Value) -> &[Value] {
        let form = &self.forms[value.0 as usize];
        &self.options[form.rights as usize..form.end as usize]
    }

    /// The same with the players exchanged.
    pub fn negative(&self, value: Value) -> Value {
        self.forms[value.0 as usize].negative
    }

    /// Does Left win when it is her turn?
    pub fn left_wins_first(&self, value: Value) -> bool {
        !self.forms[value.0 as usize].not_positive
    }

    /// An estimate of a value for Left, who is to move, in the same unit as the estimates of regions, and fitted with them.
    pub fn estimate(&self, value: Value) -> i32 {
        let form = &self.forms[value.0 as usize];
        let sign = match (form.not_negative, form.not_positive) {
            (true, false) => 80,
            (false, true) => -49,
            (true, true) => 21,
            (false, false) => 0,
        };
        -23 * (form.rights - form.lefts) as i32 + sign
    }

    /// Is `a <= b`: does Left, moving second, win `b - a`?
    pub fn at_most(&mut self, a: Value, b: Value) -> bool {
        if a == b {
            return true;
        }
        let (low, high) = (self.forms[a.0 as usize], self.forms[b.0 as usize]);
        if low.not_positive && high.not_negative {
            return true;
        }
        if (low.not_negative && (high.not_positive || !high.not_negative)) || (high.not_positive && !low.not_positive) {
            return false;
        }
        let question = u64::from(a.0) << 33 | u64::from(b.0) << 2;
        let place = (mixed(question) >> 7) as usize & (self.orders.len() - 1);
        let kept = self.orders[place];
        if kept & !3 == question && kept & 3 != 0 {
            return kept & 3 == 2;
        }
        self.work += 1;
        self.fuel = self.fuel.saturating_sub(1);
        let answer = !(low.lefts..low.rights).any(|left| self.at_most(b, self.options[left as usize]))
            && !(high.rights..high.end).any(|right| self.at_most(self.options[right as usize], a));
        self.orders[place] = question | if answer { 2 } else { 1 };
        answer
    }

    /// The sum of two values, each player moving in either.
    pub fn sum(&mut self, a: Value, b: Value) -> Result<Value, Exhausted> {
        if a == Value::ZERO {
            return Ok(b);
        }
        if b == Value::ZERO {
            return Ok(a);
        }
        if self.negative(a) == b {
            return Ok(Value::ZERO);
        }
        let (a, b) = (a.min(b), a.max(b));
        if let Some(&sum) = self.sums.get(&(a, b)) {
            return Ok(sum);
        }
        self.check_fuel()?;
        let [lefts, rights] = [Self::lefts, Self::rights].map(|options| {
            let in_a = options(self, a).iter().map(|&option| (option, b));
            in_a.chain(options(self, b).iter().map(|&option| (a, option))).collect::<Vec<_>>()
        });
        let mut summed =
            |parts: Vec<(Value, Value)>| parts.into_iter().map(|(a, b)| self.sum(a, b)).collect::<Result<Vec<_>, _>>();
        let (lefts, rights) = (summed(lefts)?, summed(rights)?);
        let sum = self.canonical(lefts, rights)?;
        let [minus_a, minus_b] = [a, b].map(|part| self.negative(part));
        self.sums.insert((a, b), sum);
        self.sums.insert((minus_a.min(minus_b), minus_a.max(minus_b)), self.negative(sum));
        Ok(sum)
    }

    /// The value of the game with these options: those that are dominated are left out, and those that the opponent can reverse are
    /// replaced by what she reverses them to, until there are none.
    pub fn canonical(&mut self, mut lefts: Vec<Value>, mut rights: Vec<Value>) -> Result<Value, Exhausted> {
        self.check_fuel()?;
        // What is found out about the game holds for all its forms.
        let mut known = Known::default();
        loop {
            self.drop_dominated(&mut lefts, Self::at_most);
            self.drop_dominated(&mut rights, |store, worse, better| store.at_most(better, worse));
            if !self.bypass_one(&mut lefts, &mut rights, &mut known) {
                break;
            }
        }
        Ok(self.intern(&lefts, &rights))
    }

    fn check_fuel(&mut self) -> Result<(), Exhausted> {
        self.work += 1;
        if self.fuel == 0 || self.forms.len() >= self.capacity || self.sums.len() / SUMS >= self.capacity {
            return Err(Exhausted);
        }
        self.fuel -= 1;
        Ok(())
    }

    fn drop_dominated(&mut self, options: &mut Vec<Value>, mut dominated: impl FnMut(&mut Self, Value, Value) -> bool) {
        options.sort_unstable();
        options.dedup();
        let mut index = 0;
        while index < options.len() {
            let option = options[index];
            if (0..options.len()).any(|other| other != index && dominated(self, option, options[other])) {
                options.swap_remove(index);
            } else {
                index += 1;
            }
        }
        options.sort_unstable();
    }

    /// Replaces one reversible option, if there is any.
    fn bypass_one(&mut self, lefts: &mut Vec<Value>, rights: &mut Vec<Value>, known: &mut Known) -> bool {
        for index in 0..lefts.len() {
            for answer in self.rights(lefts[index]).to_vec() {
                if self.below(answer, lefts, rights, known) {
                    lefts.swap_remove(index);
                    lefts.extend_from_slice(self.lefts(answer));
                    return true;
                }
            }
        }
        for index in 0..rights.len() {
            for answer in self.lefts(rights[index]).to_vec() {
                if self.above(answer, lefts, rights, known) {
                    rights.swap_remove(index);
                    rights.extend_from_slice(self.rights(answer));
                    return true;
                }
            }
        }
        false
    }

    /// Is `value` at most the game with these options, which has no number yet?
    fn below(&mut self, value: Value, lefts: &[Value], rights: &[Value], known: &mut Known) -> bool {
        if let Some(answer) = known.find(value, false) {
            return answer;
        }
        let answer = !rights.iter().any(|&right| self.at_most(right, value))
            && !self.lefts(value).to_vec().into_iter().any(|left| self.above(left, lefts, rights, known));
        known.0.push((value, false, answer));
        answer
    }

    /// Is `value` at least the game with these options?
    fn above(&mut self, value: Value, lefts: &[Value], rights: &[Value], known: &mut Known) -> bool {
        if let Some(answer) = known.find(value, true) {
            return answer;
        }
        let answer = !lefts.iter().any(|&left| self.at_most(value, left))
            && !self.rights(value).to_vec().into_iter().any(|right| self.below(right, lefts, rights, known));
        known.0.push((value, true, answer));
        answer
    }

    /// The number of a canonical form, whose options are in ascending order; its negative gets one, too.
    fn intern(&mut self, lefts: &[Value], rights: &[Value]) -> Value {
        if let Some(value) = self.find(lefts, rights) {
            return value;
        }
        let value = self.push(lefts, rights);
        let mirrored = |store: &Self, options: &[Value]| {
            let mut negatives: Vec<Value> = options.iter().map(|&option| store.negative(option)).collect();
            negatives.sort_unstable();
            negatives
        };
        let (minus_lefts, minus_rights) = (mirrored(self, rights), mirrored(self, lefts));
        if minus_lefts != lefts || minus_rights != rights {
            let negative = self.push(&minus_lefts, &minus_rights);
            self.forms[value.0 as usize].negative = negative;
            self.forms[negative.0 as usize].negative = value;
        }
        value
    }

    fn find(&self, lefts: &[Value], rights: &[Value]) -> Option<Value> {
        let mask = self.interned.len() - 1;
        let mut place = hash(lefts, rights) as usize & mask;
        loop {
            let value = Value(self.interned[place].checked_sub(1)?);
            if self.lefts(value) == lefts && self.rights(value) == rights {
                return Some(value);
            }
            place = (place + 1) & mask;
        }
    }

    fn push(&mut self, lefts: &[Value], rights: &[Value]) -> Value {
        let value = Value(self.forms.len() as u32);
        let start = self.options.len();
        self.options.extend_from_slice(lefts);
        self.options.extend_from_slice(rights);
        let form = |option: &Value| &self.forms[option.0 as usize];
        self.forms.push(Form {
            lefts: start as u32,
            rights: (start + lefts.len()) as u32,
            end: self.options.len() as u32,
            negative: value,
            not_negative: !rights.iter().any(|right| form(right).not_positive),
            not_positive: !lefts.iter().any(|left| form(left).not_negative),
        });
        if self.forms.len() * 2 > self.interned.len() {
            self.interned = vec![0; self.interned.len() * 2];
            (0..self.forms.len() as u32).for_each(|number| self.place(Value(number)));
        } else {
            self.place(value);
        }
        value
    }

    fn place(&mut self, value: Value) {
        let mask = self.interned.len() - 1;
        let mut place = hash(self.lefts(value), self.rights(value)) as usize & mask;
        while self.interned[place] != 0 {
            place = (place + 1) & mask;
        }
        self.interned[place] = value.0 + 1;
    }
}

fn hash(lefts: &[Value], rights: &[Value]) -> u64 {
    let taken = |seed: u64, options: &[Value]| options.iter().fold(seed, |hash, option| mixed(hash ^ u64::from(option.0)));
    taken(taken(1, lefts) ^ 0x5555, rights)
}

/// Which values are known to be above (or not) or below (or not) a game that has no number yet.
#[derive(Default)]
struct Known(Vec<(Value, bool, bool)>);

impl Known {
    fn find(&self, value: Value, above: bool) -> Option<bool> {
        self.0.iter().find(|known| (known.0, known.1) == (value, above)).map(|known| known.2)
    }
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use plyground_core::{Rng, Seed};

    use super::*;
    use crate::clobber::book::RegionBook;
    use crate::clobber::regions::Frame;

    /// A game as a tree, with nothing simplified.
    struct Tree {
        options: [Vec<Rc<Tree>>; 2],
    }

    fn random_tree(depth: u32, rng: &mut Rng) -> Rc<Tree> {
        let options = |rng: &mut Rng| {
            let count = if depth == 0 { 0 } else { rng.below(3) };
            (0..count).map(|_| random_tree(rng.below(depth), rng)).collect()
        };
        Rc::new(Tree { options: [options(rng), options(rng)] })
    }

    fn minus(tree: &Tree) -> Rc<Tree> {
        let [lefts, rights] = &tree.options;
        Rc::new(Tree { options: [rights, lefts].map(|options| options.iter().map(|option| minus(option)).collect()) })
    }

    /// Does the player to move win the sum of the trees?
    fn wins(trees: &[Rc<Tree>], player: usize) -> bool {
        (0..trees.len()).any(|index| {
            trees[index].options[player].iter().any(|option| {
                let mut after = trees.to_vec();
                after[index] = Rc::clone(option);
                !wins(&after, 1 - player)
            })
        })
    }

    fn value(values: &mut Values, tree: &Tree) -> Value {
        let [lefts, rights] = tree.options.each_ref().map(|options| options.iter().map(|option| value(values, option)).collect());
        values.canonical(lefts, rights).unwrap()
    }

    #[test]
    fn values_do_what_their_games_do() {
        let mut values = Values::new(1 << 20);
        let mut rng = Seed(6).rng();
        let mut seen = [0; 4];
        for _ in 0..3_000 {
            let trees: [Rc<Tree>; 3] = std::array::from_fn(|_| random_tree(3, &mut rng));
            let [a, b, c] = trees.each_ref().map(|tree| value(&mut values, tree));
            let ab = values.sum(a, b).unwrap();
            assert_eq!(values.left_wins_first(ab), wins(&trees[..2], 0));
            let minus_b = values.negative(b);
            assert_eq!(value(&mut values, &minus(&trees[1])), minus_b);
            assert_eq!(values.sum(b, minus_b), Ok(Value::ZERO));
            let orders = [values.at_most(a, b), values.at_most(b, a)];
            let b_minus_a = [Rc::clone(&trees[1]), minus(&trees[0])];
            // a <= b: Right, who begins, loses b - a; a >= b: Left does.
            assert_eq!(orders, [!wins(&b_minus_a, 1), !wins(&b_minus_a, 0)]);
            assert_eq!(orders == [true, true], a == b);
            seen[usize::from(orders[0]) + 2 * usize::from(orders[1])] += 1;
            let bc = values.sum(b, c).unwrap();
            assert_eq!(values.sum(ab, c), values.sum(a, bc));
            assert_eq!(values.sum(b, a), Ok(ab));
            let abc = values.sum(ab, c).unwrap();
            assert_eq!(values.left_wins_first(abc), wins(&trees, 0));
        }
        assert!(seen.iter().all(|&count| count > 100), "{seen:?}");
    }

    /// The value of a strip of stones.
    fn strip(values: &mut Values, stones: &str) -> Value {
        let frame = Frame::<u64>::new(1, stones.len() as u32);
        let set = |colour| stones.chars().rev().fold(0, |set, stone| set << 1 | u64::from(stone == colour));
        RegionBook::new(1 << 20).value(&frame, values, frame.region([set('x'), set('o')])).unwrap()
    }

    #[test]
    fn strips_have_the_published_values() {
        let values = &mut Values::new(1 << 20);
        let star = values.canonical(vec![Value::ZERO], vec![Value::ZERO]).unwrap();
        let up = values.canonical(vec![Value::ZERO], vec![star]).unwrap();
        assert_eq!(strip(values, "xo"), star);
        assert_eq!(strip(values, "xxo"), up);
        assert_eq!(strip(values, "oox"), values.negative(up));
        assert_eq!(values.sum(star, star), Ok(Value::ZERO));
        assert!(values.at_most(Value::ZERO, up) && !values.at_most(up, Value::ZERO));
        assert!(!values.at_most(star, up) && !values.at_most(up, star));
        // n stones against one are worth n - 1 ups, and a star where n is odd (Albert, Grossman, Nowakowski and Wolfe, 2005).
        let (mut expected, mut line) = (star, "xo".to_owned());
        for _ in 2..12 {
            line.insert(0, 'x');
            let with_up = values.sum(expected, up).unwrap();
            expected = values.sum(with_up, star).unwrap();
            assert_eq!(strip(values, &line), expected, "{line}");
        }
        // Their stones are as good as ours: the strip turned round is its own negative.
        let even = strip(values, "xoxoxoxo");
        assert_eq!(values.negative(even), even);
    }

    #[test]
    fn too_much_work_is_given_up_and_taken_up_again() {
        let mut values = Values::new(1 << 20);
        let frame = Frame::<u64>::new(1, 12);
        let mut book = RegionBook::new(1 << 20);
        let region = frame.region([0b0101_0101_0101, 0b1010_1010_1010]);
        values.fuel = 5;
        assert_eq!(book.value(&frame, &mut values, region), Err(Exhausted));
        let mut tries = 1;
        let value = loop {
            values.fuel = 100;
            tries += 1;
            if let Ok(value) = book.value(&frame, &mut values, region) {
                break value;
            }
        };
        assert!(tries > 2, "{tries}");
        values.fuel = u32::MAX;
        assert_eq!(RegionBook::new(1 << 20).value(&frame, &mut values, region), Ok(value));
    }
}
