//! Networks against a plain second implementation, numerical gradients, PyTorch, onnxruntime, and hostile files.

mod forward;
mod gradients;
mod oracle;
