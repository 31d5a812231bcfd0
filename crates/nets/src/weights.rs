//! Weights in files: safetensors, which PyTorch and every framework read, with a header that says what they are for.

use std::collections::HashMap;

use safetensors::tensor::TensorView;
use safetensors::{Dtype, SafeTensors};
use serde::{Deserialize, Serialize};

use crate::{Architecture, NetError, Network, Tensor, half};

/// The version of the header that this program writes and reads.
pub const FORMAT: u32 = 1;

/// Larger files are not looked at: the largest network that is of use here has a hundredth of it.
pub const MOST_BYTES: usize = 64 << 20;

/// Where the header is in the metadata of a file.
const KEY: &str = "plyground";

/// The purpose and the origin of a network.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// The version of the format, [`FORMAT`].
    pub format: u32,
    /// The name of the game, `clobber`.
    pub game: String,
    /// Its parameters, `size=8x8`; empty for the usual ones.
    pub parameters: String,
    /// The name of the encoder, `general`.
    pub encoder: String,
    /// The layers of the network.
    pub architecture: Architecture,
    /// The command that trained it.
    pub training: String,
    /// Its measured strength, in words; empty if nothing was measured.
    pub strength: String,
}

/// The precision of numbers in a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Precision {
    /// As they are, in four bytes.
    #[default]
    Single,
    /// In two bytes (IEEE 754 half precision), each rounded to the nearest that there is: three digits, which is enough to play by.
    Half,
}

/// A network as the bytes of a file.
pub fn write(header: &Header, network: &Network) -> Result<Vec<u8>, NetError> {
    write_as(Precision::Single, header, network)
}

/// The same in a precision.
pub fn write_as(precision: Precision, header: &Header, network: &Network) -> Result<Vec<u8>, NetError> {
    let header = Header { format: FORMAT, architecture: network.architecture().clone(), ..header.clone() };
    let text = serde_json::to_string(&header).map_err(|error| NetError::weights(error.to_string()))?;
    serialize(precision, &network.tensors(), HashMap::from([(KEY.to_owned(), text)]))
}

/// Reads what [`write()`] wrote. Whatever else comes in is refused with a reason.
pub fn read(bytes: &[u8]) -> Result<(Header, Network), NetError> {
    let (metadata, tensors) = deserialize(bytes)?;
    let text = metadata
        .get(KEY)
        .ok_or_else(|| NetError::weights(format!("the file has no header '{KEY}': it was not written by this program")))?;
    let format = serde_json::from_str::<serde_json::Value>(text).ok().and_then(|header| header["format"].as_u64());
    if let Some(format) = format.filter(|&format| format != u64::from(FORMAT)) {
        return Err(NetError::weights(format!("the file has format {format}; this program reads format {FORMAT}")));
    }
    let header: Header =
        serde_json::from_str(text).map_err(|error| NetError::weights(format!("its header cannot be read: {error}")))?;
    let network = Network::from_tensors(header.architecture.clone(), &tensors)?;
    Ok((header, network))
}

/// Tensors and metadata as safetensors.
pub(crate) fn serialize(
    precision: Precision,
    tensors: &[Tensor],
    metadata: HashMap<String, String>,
) -> Result<Vec<u8>, NetError> {
    let written = |tensor: &Tensor| match precision {
        Precision::Single => Ok(tensor.values.iter().flat_map(|number| number.to_le_bytes()).collect()),
        Precision::Half => tensor.values.iter().try_fold(Vec::new(), |mut bytes, &number| {
            let half = half::from_single(number)
                .ok_or_else(|| NetError::weights(format!("{} of {} is too large for half precision", number, tensor.name)))?;
            bytes.extend(half.to_le_bytes());
            Ok(bytes)
        }),
    };
    let bytes: Vec<Vec<u8>> = tensors.iter().map(written).collect::<Result<_, _>>()?;
    let kind = if precision == Precision::Half { Dtype::F16 } else { Dtype::F32 };
    let views = tensors.iter().zip(&bytes).map(|(tensor, bytes)| {
        let view = TensorView::new(kind, tensor.shape.clone(), bytes);
        view.map(|view| (&tensor.name, view)).map_err(|error| NetError::weights(error.to_string()))
    });
    let views: Vec<_> = views.collect::<Result<_, _>>()?;
    safetensors::serialize(views, Some(metadata)).map_err(|error| NetError::weights(error.to_string()))
}

/// The way back from [`serialize`].
pub(crate) fn deserialize(bytes: &[u8]) -> Result<(HashMap<String, String>, Vec<Tensor>), NetError> {
    if bytes.len() > MOST_BYTES {
        return Err(NetError::weights(format!("the file has {} bytes; expected at most {MOST_BYTES}", bytes.len())));
    }
    let foreign =
        |error: safetensors::SafeTensorError| NetError::weights(format!("the file is damaged or no safetensors: {error}"));
    let (_, metadata) = SafeTensors::read_metadata(bytes).map_err(foreign)?;
    let file = SafeTensors::deserialize(bytes).map_err(foreign)?;
    let mut tensors = Vec::new();
    for (name, view) in file.iter() {
        let values = match view.dtype() {
            Dtype::F32 => view.data().as_chunks().0.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect(),
            Dtype::F16 => view.data().as_chunks().0.iter().map(|&bytes| half::to_single(u16::from_le_bytes(bytes))).collect(),
            other => return Err(NetError::weights(format!("{name} holds numbers of kind {other:?}; expected F32 or F16"))),
        };
        tensors.push(Tensor { name: name.to_owned(), shape: view.shape().to_vec(), values });
    }
    Ok((metadata.metadata().clone().unwrap_or_default(), tensors))
}
