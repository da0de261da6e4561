//! The README's tables, made from the structs that make `--help`.

use clap::{Arg, Command, CommandFactory};
use kauri::config::Cli;
use std::fmt::Write;

fn cli() -> Command {
    let mut cli = Cli::command();
    cli.build();
    cli
}

/// The flags of `kauri serve`.
pub(super) fn configuration() -> String {
    let mut table = "| flag | variable | default | meaning |\n|---|---|---|---|\n".to_owned();
    let cli = cli();
    for flag in flags(cli.find_subcommand("serve").unwrap()) {
        let default: Vec<_> = flag.get_default_values().iter().map(|value| value.to_string_lossy()).collect();
        let (name, variable) = (flag.get_long().unwrap(), flag.get_env().unwrap().to_str().unwrap());
        writeln!(table, "| `--{name}` | `{variable}` | `{}` | {} |", default.join(" "), meaning(flag))
            .unwrap();
    }
    table
}

/// The other commands.
pub(super) fn commands() -> String {
    let mut table = "| command | what it does |\n|---|---|\n".to_owned();
    list(&mut table, "kauri", &cli());
    table
}

fn list(table: &mut String, path: &str, command: &Command) {
    for command in
        command.get_subcommands().filter(|command| !["serve", "help"].contains(&command.get_name()))
    {
        let path = format!("{path} {}", command.get_name());
        if command.has_subcommands() {
            list(table, &path, command);
            continue;
        }
        let mut line = path;
        for argument in command.get_positionals() {
            let name = argument.get_id().as_str().to_uppercase();
            let (open, close) = if argument.is_required_set() { ("", "") } else { ("[", "]") };
            write!(line, " {open}{name}{close}").unwrap();
        }
        for flag in flags(command).filter(|flag| flag.get_env().is_none()) {
            let name = flag.get_long().unwrap();
            let values: Vec<_> = flag.get_possible_values().iter().map(|v| v.get_name().to_owned()).collect();
            let value = match (flag.get_action().takes_values(), values.is_empty()) {
                (false, _) => String::new(),
                (true, true) => format!(" {}", name.to_uppercase()),
                (true, false) => format!(" {}", values.join("\\|")),
            };
            let (open, close) = if flag.is_required_set() { ("", "") } else { ("[", "]") };
            write!(line, " {open}--{name}{value}{close}").unwrap();
        }
        writeln!(table, "| `{line}` | {} |", command.get_about().unwrap()).unwrap();
    }
}

/// The variables that any command reads.
pub(super) fn variables() -> Vec<String> {
    fn collect(command: &Command, variables: &mut Vec<String>) {
        variables.extend(command.get_arguments().filter_map(|a| Some(a.get_env()?.to_str()?.to_owned())));
        for command in command.get_subcommands() {
            collect(command, variables);
        }
    }
    let mut variables = Vec::new();
    collect(&cli(), &mut variables);
    variables
}

fn flags(command: &Command) -> impl Iterator<Item = &Arg> {
    command
        .get_arguments()
        .filter(|argument| !argument.is_positional())
        .filter(|flag| !["help", "version"].contains(&flag.get_id().as_str()))
}

fn meaning(flag: &Arg) -> String {
    let values: Vec<_> =
        flag.get_possible_values().iter().map(|value| format!("`{}`", value.get_name())).collect();
    let help = flag.get_help().unwrap().to_string().replace('|', "\\|");
    if values.is_empty() { help } else { format!("{help}: {}", values.join(" or ")) }
}
