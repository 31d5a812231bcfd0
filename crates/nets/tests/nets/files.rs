//! Weights and checkpoints in files, good ones and hostile ones.

use plyground_core::Seed;
use plyground_nets::weights::{MOST_BYTES, Precision, read, write, write_as};
use plyground_nets::{Architecture, Learning, Network, Predictor, Shape, Trainer};
use serde_json::{Value, json};

use crate::gradients::{batch, samples};
use crate::oracle;
use crate::peers::header;

/// Name, shape, numbers.
type Parts = Vec<(String, Vec<usize>, Vec<f32>)>;

/// A file with these parts: the metadata, and for each tensor its shape and numbers.
fn file(metadata: &Value, tensors: &Parts) -> Vec<u8> {
    let mut list = serde_json::Map::new();
    list.insert("__metadata__".to_owned(), metadata.clone());
    let mut data = Vec::new();
    for (name, shape, values) in tensors {
        let begin = data.len();
        data.extend(values.iter().flat_map(|number| number.to_le_bytes()));
        list.insert(name.clone(), json!({"dtype": "F32", "shape": shape, "data_offsets": [begin, data.len()]}));
    }
    let words = Value::Object(list).to_string();
    [&(words.len() as u64).to_le_bytes(), words.as_bytes(), &data].concat()
}

#[test]
fn what_is_written_is_read() {
    for (name, architecture) in oracle::zoo() {
        let network = oracle::random_network(&architecture, 1);
        let bytes = write(&header(&architecture), &network).unwrap();
        let (found, again) = read(&bytes).unwrap();
        assert_eq!(found, header(&architecture), "{name}");
        assert_eq!(again.tensors(), network.tensors(), "{name}");
        assert_eq!(write(&found, &again).unwrap().len(), bytes.len(), "{name}");
    }
}

#[test]
fn half_precision_takes_half_the_room_and_says_nearly_the_same() {
    for (name, architecture) in oracle::zoo() {
        let network = oracle::random_network(&architecture, 1);
        let bytes = write_as(Precision::Half, &header(&architecture), &network).unwrap();
        let (found, again) = read(&bytes).unwrap();
        assert_eq!(found, header(&architecture), "{name}");
        for (before, after) in network.tensors().iter().zip(again.tensors()) {
            assert_eq!((&before.name, &before.shape), (&after.name, &after.shape));
            for (before, after) in before.values.iter().zip(&after.values) {
                assert!((before - after).abs() <= before.abs() / 2048.0 + 1e-7, "{name}: {before} became {after}");
            }
        }
        // Rounded numbers need not be rounded again.
        assert_eq!(read(&write_as(Precision::Half, &found, &again).unwrap()).unwrap().1.tensors(), again.tensors(), "{name}");
    }
    let thesis = Architecture::crosphere_thesis(Shape { planes: 11, ranks: 8, files: 8 });
    let network = Network::new(thesis.clone(), Seed(1)).unwrap();
    let half = write_as(Precision::Half, &header(&thesis), &network).unwrap();
    assert!(half.len() < 1_200_000 && write(&header(&thesis), &network).unwrap().len() > 2_000_000, "{}", half.len());
    let mut rng = Seed(2).rng();
    let mut predictors = [&network, &read(&half).unwrap().1].map(Predictor::new);
    for _ in 0..20 {
        let planes: Vec<f32> = (0..11 * 64).map(|_| rng.unit() as f32).collect();
        let [one, other] = predictors.each_mut().map(|predictor| predictor.evaluate(&planes, &[], &mut []).unwrap());
        assert!((one - other).abs() < 1e-3, "{one} {other}");
    }
}

#[test]
fn what_is_too_large_for_half_precision_is_not_written() {
    let (_, architecture) = oracle::zoo().swap_remove(6);
    let network = oracle::random_network(&architecture, 2);
    let mut tensors = network.tensors();
    tensors[0].values[0] = 1e6;
    let large = Network::from_tensors(architecture.clone(), &tensors).unwrap();
    let said = write_as(Precision::Half, &header(&architecture), &large).unwrap_err().to_string();
    assert!(said.contains("1000000 of trunk.0.0.0.weight is too large for half precision"), "{said}");
}

#[test]
fn hostile_files_are_refused_with_the_reason() {
    let (_, architecture) = oracle::zoo().swap_remove(6);
    let network = oracle::random_network(&architecture, 2);
    let good: Parts = network.tensors().into_iter().map(|tensor| (tensor.name, tensor.shape, tensor.values)).collect();
    let about = |header: &Value| json!({"plyground": header.to_string()});
    let right = serde_json::to_value(header(&architecture)).unwrap();
    assert!(read(&file(&about(&right), &good)).is_ok());
    let refused = |bytes: &[u8]| read(bytes).map(|_| ()).unwrap_err().to_string();
    let with = |change: &dyn Fn(&mut Parts)| {
        let mut tensors = good.clone();
        change(&mut tensors);
        refused(&file(&about(&right), &tensors))
    };
    let header_with = |change: &dyn Fn(&mut Value)| {
        let mut header = right.clone();
        change(&mut header);
        refused(&file(&about(&header), &good))
    };

    assert!(refused(b"").contains("damaged or no safetensors"));
    assert!(refused(b"GIF89a, a picture of a cat").contains("damaged or no safetensors"));
    assert!(refused(&[255; 64]).contains("damaged or no safetensors"));
    assert!(refused(&vec![0; MOST_BYTES + 1]).contains(&format!("expected at most {MOST_BYTES}")));
    assert!(refused(&file(&json!({}), &good)).contains("it was not written by this program"));
    assert!(refused(&file(&json!({"plyground": "no JSON"}), &good)).contains("its header cannot be read"));

    assert!(with(&|tensors| tensors[0].1 = vec![2, 18]).contains("trunk.0.0.0.weight has the shape [2, 18]"));
    assert!(with(&|tensors| tensors[0].2[5] = f32::NAN).contains("number 5 of trunk.0.0.0.weight is NaN"));
    assert!(with(&|tensors| tensors[1].2[1] = f32::NEG_INFINITY).contains("number 1 of trunk.0.0.0.bias is -inf"));
    assert!(with(&|tensors| tensors[2].0 = "other".to_owned()).contains("it has no policy.0.weight"));
    assert!(
        with(&|tensors| tensors.push(("more".to_owned(), vec![1], vec![0.0])))
            .contains("it has more, which the network does not know")
    );

    assert!(header_with(&|header| header["format"] = json!(2)).contains("the file has format 2; this program reads format 1"));
    assert!(header_with(&|header| header["game"] = json!(7)).contains("its header cannot be read"));
    assert!(header_with(&|header| header["surprise"] = json!(7)).contains("unknown field `surprise`"));
    assert!(header_with(&|header| header["architecture"]["trunk"] = json!([{"lstm": 3}])).contains("unknown variant `lstm`"));
    assert!(header_with(&|header| header["architecture"]["trunk"] = json!([{"conv3": 3}])).contains("it has no trunk.0.weight"));
    let huge = header_with(&|header| header["architecture"]["input"]["planes"] = json!(u64::MAX));
    assert!(huge.contains("planes of 3x3; expected"), "{huge}");
    let many = header_with(&|header| header["architecture"]["trunk"] = json!(vec![json!({"conv3": 1000}); 900]));
    assert!(many.contains("expected at most"), "{many}");
    let large = header_with(&|header| header["architecture"]["input"] = json!({"planes": 2, "ranks": 3000, "files": 3000}));
    assert!(large.contains("expected at most"), "{large}");
    let depth = 100_000;
    let deep = format!("{{\"format\":1,\"game\":{}1{}}}", "[".repeat(depth), "]".repeat(depth));
    assert!(refused(&file(&json!({"plyground": deep}), &good)).contains("its header cannot be read"));

    let whole = file(&about(&right), &good);
    for length in 0..whole.len() {
        assert!(read(&whole[..length]).is_err(), "the first {length} bytes of {} were taken for a network", whole.len());
    }
}

#[test]
fn damaged_files_are_refused_or_read_but_never_panic() {
    let (_, architecture) = oracle::zoo().swap_remove(6);
    let whole = write(&header(&architecture), &oracle::random_network(&architecture, 3)).unwrap();
    let mut rng = Seed(4).rng();
    let mut refused = 0;
    for _ in 0..20_000 {
        let mut bytes = whole.clone();
        for _ in 0..=rng.below(3) {
            let at = rng.below(bytes.len() as u32) as usize;
            bytes[at] = rng.below(256) as u8;
        }
        refused += u32::from(read(&bytes).is_err());
    }
    assert!(refused > 1_000, "{refused}");
}

#[test]
fn a_resumed_training_goes_on_as_if_nothing_had_happened() {
    let (_, architecture) = oracle::zoo().swap_remove(1);
    let batches: Vec<_> = (0..6).map(|number| batch(&architecture, &samples(&architecture, 20, number))).collect();
    let mut through = Trainer::new(Network::new(architecture.clone(), Seed(5)).unwrap(), Learning::default(), 1);
    let mut first = Trainer::new(Network::new(architecture, Seed(5)).unwrap(), Learning::default(), 1);
    for batch in &batches {
        through.step(batch).unwrap();
    }
    for batch in &batches[..3] {
        first.step(batch).unwrap();
    }
    let checkpoint = first.checkpoint().unwrap();
    let mut second = Trainer::resume(&checkpoint, Learning::default(), 2).unwrap();
    for batch in &batches[3..] {
        second.step(batch).unwrap();
    }
    assert_eq!(second.steps(), 6);
    assert!(second.network().tensors() == through.network().tensors());
    let said = Trainer::resume(&checkpoint[..checkpoint.len() - 1], Learning::default(), 1).unwrap_err().to_string();
    assert!(said.contains("damaged"), "{said}");
    let network = write(&header(first.network().architecture()), first.network()).unwrap();
    let said = Trainer::resume(&network, Learning::default(), 1).unwrap_err().to_string();
    assert!(said.contains("it is no checkpoint"), "{said}");
}
