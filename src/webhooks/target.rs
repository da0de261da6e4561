//! Where a webhook is posted to: what its URL may be.

use super::address::is_public;
use std::net::IpAddr;
use url::{Host, Position, Url};

/// Longest URL, in characters.
pub(super) const LONGEST_URL: usize = 2_000;

/// Ports of other protocols. What is posted there could be taken for a command; the list is that of browsers
/// (the Fetch standard's bad ports).
const OTHER_PROTOCOLS: [u16; 83] = [
    0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103,
    104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514,
    515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723,
    2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
];

/// What may be posted to besides public addresses by HTTPS.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Policy {
    /// Whether loopback may be, and plain HTTP.
    pub loopback: bool,
}

impl Policy {
    /// Whether a connection may be made to this address. Asked of the very address that is connected to, whatever a
    /// name stood for when it was first looked at.
    #[must_use]
    pub fn allows(self, address: IpAddr) -> bool {
        is_public(address) || (self.loopback && address.is_loopback())
    }
}

/// A URL that may be posted to, as far as can be told without looking up its name.
#[derive(Clone, Debug)]
pub(super) struct Target(Url);

/// Why a URL may not be posted to: a stable word, and a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Unfit {
    pub(super) code: &'static str,
    pub(super) message: &'static str,
}

const fn unfit(code: &'static str, message: &'static str) -> Unfit {
    Unfit { code, message }
}

const MALFORMED: Unfit = unfit("malformed", "An absolute URL with a host is needed.");
const NOT_HTTPS: Unfit = unfit("not_https", "The URL must begin with https://.");
const CREDENTIALS: Unfit = unfit("credentials", "A user name or password has no place in the URL.");
const FRAGMENT: Unfit = unfit("fragment", "A fragment is never sent, so the URL may have none.");
const PORT: Unfit = unfit("refused_port", "The port belongs to another protocol.");
const ADDRESS: Unfit = unfit("refused_address", "The host must be on the public internet.");

impl Target {
    pub(super) fn parse(text: &str, policy: Policy) -> Result<Self, Unfit> {
        let url = Url::parse(text).map_err(|_| MALFORMED)?;
        match url.scheme() {
            "https" => {}
            "http" if policy.loopback => {}
            _ => return Err(NOT_HTTPS),
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(CREDENTIALS);
        }
        if url.fragment().is_some() {
            return Err(FRAGMENT);
        }
        if url.port().is_some_and(|port| OTHER_PROTOCOLS.contains(&port)) {
            return Err(PORT);
        }
        let allowed = match url.host().ok_or(MALFORMED)? {
            Host::Ipv4(address) => policy.allows(address.into()),
            Host::Ipv6(address) => policy.allows(address.into()),
            Host::Domain(name) => policy.loopback || !is_local(name),
        };
        if allowed { Ok(Self(url)) } else { Err(ADDRESS) }
    }

    /// The address, where the host is one.
    pub(super) fn literal(&self) -> Option<IpAddr> {
        match self.0.host()? {
            Host::Ipv4(address) => Some(address.into()),
            Host::Ipv6(address) => Some(address.into()),
            Host::Domain(_) => None,
        }
    }

    /// The host's name or address, without brackets.
    pub(super) fn host(&self) -> &str {
        self.0.host_str().unwrap_or_default().trim_start_matches('[').trim_end_matches(']')
    }

    pub(super) fn port(&self) -> u16 {
        self.0.port_or_known_default().unwrap_or(443)
    }

    pub(super) fn is_https(&self) -> bool {
        self.0.scheme() == "https"
    }

    /// The host and, where it is not the usual one, the port: what the `Host` header says.
    pub(super) fn authority(&self) -> &str {
        &self.0[Position::BeforeHost..Position::AfterPort]
    }

    /// The path and the query.
    pub(super) fn path(&self) -> &str {
        &self.0[Position::BeforePath..Position::AfterQuery]
    }
}

/// Names that always mean the host itself. What other names stand for is seen when they are looked up.
fn is_local(name: &str) -> bool {
    let name = name.trim_end_matches('.');
    name == "localhost" || name.ends_with(".localhost")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(text: &str, loopback: bool) -> &'static str {
        Target::parse(text, Policy { loopback }).map_or_else(|unfit| unfit.code, |_| "fits")
    }

    #[test]
    fn only_public_https_may_be_posted_to() {
        for (text, expected) in [
            ("https://portal.example/hooks?a=b", "fits"),
            ("https://portal.example:8443/", "fits"),
            ("https://1.1.1.1/", "fits"),
            ("https://[2606:4700::1111]/", "fits"),
            ("http://portal.example/", "not_https"),
            ("ftp://portal.example/", "not_https"),
            ("file:///etc/passwd", "not_https"),
            ("gopher://portal.example/", "not_https"),
            ("", "malformed"),
            ("portal.example", "malformed"),
            ("https://", "malformed"),
            ("https://user@portal.example/", "credentials"),
            ("https://:pass@portal.example/", "credentials"),
            ("https://portal.example/#top", "fragment"),
            ("https://portal.example:25/", "refused_port"),
            ("https://portal.example:6667/", "refused_port"),
            ("https://localhost/", "refused_address"),
            ("https://LOCALHOST./", "refused_address"),
            ("https://a.localhost/", "refused_address"),
            ("https://127.0.0.1/", "refused_address"),
            ("https://2130706433/", "refused_address"),
            ("https://0x7f.1/", "refused_address"),
            ("https://0177.0.0.1/", "refused_address"),
            ("https://169.254.169.254/latest/meta-data", "refused_address"),
            ("https://[::1]/", "refused_address"),
            ("https://[::ffff:10.0.0.1]/", "refused_address"),
            ("https://[64:ff9b::a00:1]/", "refused_address"),
            ("https://[fd00::1]/", "refused_address"),
        ] {
            assert_eq!(word(text, false), expected, "{text}");
        }
    }

    #[test]
    fn the_flag_allows_loopback_and_nothing_else() {
        for good in
            ["http://127.0.0.1:9000/", "http://[::1]:9000/", "http://localhost:9000/", "https://1.1.1.1/"]
        {
            assert_eq!(word(good, true), "fits", "{good}");
        }
        for bad in ["http://10.0.0.1/", "http://169.254.169.254/", "http://[fe80::1]/", "http://0.0.0.0/"] {
            assert_eq!(word(bad, true), "refused_address", "{bad}");
        }
    }

    #[test]
    fn a_request_is_addressed_by_its_parts() {
        let target = Target::parse("https://Portal.Example:8443/a/b?c=d", Policy::default()).unwrap();
        assert_eq!((target.host(), target.port(), target.is_https()), ("portal.example", 8443, true));
        assert_eq!((target.authority(), target.path()), ("portal.example:8443", "/a/b?c=d"));
        let target = Target::parse("https://[2606:4700::1111]", Policy::default()).unwrap();
        assert_eq!((target.host(), target.port(), target.path()), ("2606:4700::1111", 443, "/"));
        assert_eq!(target.authority(), "[2606:4700::1111]");
        assert_eq!(target.literal(), "2606:4700::1111".parse().ok());
    }
}
