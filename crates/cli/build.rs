//! The studies are part of the program: when one of them changes, it is built again.

fn main() {
    println!("cargo::rerun-if-changed=../../studies");
}
