//! What can be typed after `ply nets`.

use std::path::PathBuf;

use clap::Subcommand;

#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct NetsArgs {
    #[command(subcommand)]
    pub action: Option<NetsAction>,
    /// Networks to list: names of those that come with the program, files, or folders [default: all that come with the program]
    #[arg(value_name = "NAME|PATH")]
    pub files: Vec<String>,
}

#[derive(Subcommand)]
pub enum NetsAction {
    /// Read networks, and say what they are or why they cannot be used
    Verify {
        /// Names of those that come with the program, files, or folders [default: all that come with the program]
        #[arg(value_name = "NAME|PATH")]
        networks: Vec<String>,
    },
    /// Find out how fast a network is on this computer, and how strong
    Measure(MeasureNetArgs),
    /// Write a network for other programs
    Export {
        /// The name of one that comes with the program, or a file
        #[arg(value_name = "NAME|FILE")]
        network: String,
        /// The file to write (replaced if it is there); what it is to be, its ending says: .onnx
        #[arg(short, long, value_name = "FILE", required_unless_present = "onnx")]
        out: Option<PathBuf>,
        /// The same for ONNX, whatever the ending
        #[arg(long, value_name = "FILE", hide = true, conflicts_with = "out")]
        onnx: Option<PathBuf>,
    },
}

#[derive(clap::Args)]
pub struct MeasureNetArgs {
    /// The name of one that comes with the program, or a file
    #[arg(value_name = "NAME|FILE")]
    pub network: String,
    /// Its opponents [default: those that every network is measured by]
    #[arg(long, value_name = "SPEC", num_args = 1..)]
    pub against: Vec<String>,
    /// Pairs of games against each of them; 0 for none
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub pairs: u32,
    /// Simulations for every move of the network's search
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..))]
    pub sims: u32,
}
