//! What the subcommands do.

use crate::config::{Command, Healthcheck, Openapi, Serve};
use crate::context::SystemWorld;
use crate::server::{Application, stop_signal};
use crate::{admin, openapi, telemetry, transfer};
use std::error::Error;
use std::fs;
use std::io::{self, Read, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream};
use std::sync::Arc;
use std::time::Duration;

/// How long a health check waits.
const PATIENCE: Duration = Duration::from_secs(3);

/// Does what the command line says.
pub async fn run(command: Command) -> Result<(), Box<dyn Error>> {
    match command {
        Command::Serve(config) => serve(&config).await,
        Command::Keys(keys) => Ok(admin::keys(&keys, &mut io::stdout()).await?),
        Command::Portals(portals) => Ok(admin::portals(&portals, &mut io::stdout()).await?),
        Command::Export(options) => Ok(transfer::export(&options, &mut io::stdout().lock()).await?),
        Command::Import(options) => {
            Ok(transfer::import(&options, io::stdin(), &mut io::stdout(), &mut io::stderr()).await?)
        }
        Command::Openapi(options) => write_documents(&options),
        Command::Healthcheck(options) => check_health(&options),
    }
}

async fn serve(config: &Serve) -> Result<(), Box<dyn Error>> {
    let _logging = telemetry::init(config.log_format, &config.log)?;
    let application = Application::bind(config, Arc::new(SystemWorld), stop_signal()?).await?;
    Ok(application.run().await?)
}

fn write_documents(options: &Openapi) -> Result<(), Box<dyn Error>> {
    for (name, text) in openapi::texts() {
        let path = options.dir.join(name);
        if !options.check {
            fs::create_dir_all(&options.dir)?;
            fs::write(path, text)?;
        } else if fs::read_to_string(&path).ok().as_deref() != Some(text.as_str()) {
            return Err(format!("{} is not current; write it with `kauri openapi`", path.display()).into());
        }
    }
    Ok(())
}

fn check_health(options: &Healthcheck) -> Result<(), Box<dyn Error>> {
    let mut stream = TcpStream::connect_timeout(&reachable(options.listen), PATIENCE)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.write_all(b"GET /healthz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")?;
    let mut status = [0; 12];
    stream.read_exact(&mut status)?;
    if status.ends_with(b" 200") { Ok(()) } else { Err("the service is not well".into()) }
}

/// The address to ask at for one that is listened on.
fn reachable(mut address: SocketAddr) -> SocketAddr {
    match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => address.set_ip(Ipv4Addr::LOCALHOST.into()),
        IpAddr::V6(ip) if ip.is_unspecified() => address.set_ip(Ipv6Addr::LOCALHOST.into()),
        _ => {}
    }
    address
}
