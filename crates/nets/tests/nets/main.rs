//! Networks against a plain second implementation, numerical gradients, PyTorch, onnxruntime, and hostile files.

mod files;
mod forward;
mod gradients;
mod learning;
mod oracle;
mod peers;
