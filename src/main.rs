//! The `kauri` binary.

use clap::Parser;
use kauri::command;
use kauri::config::Cli;
use std::io::Write;
use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[actix_web::main]
async fn main() -> ExitCode {
    match command::run(Cli::parse().command).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Standard error may be closed; there is no one left to tell then.
            let _ = writeln!(std::io::stderr(), "kauri: {error}");
            ExitCode::FAILURE
        }
    }
}
