//! Who may talk to the studio: the page that it served itself, with the token that it printed.
//!
//! A page of another site can send requests to a loopback address, too: by a form, by a script (*cross-site request
//! forgery*), or under a name of its own that it lets point here (*DNS rebinding*). Against the first two stand the
//! token, which only the printed address has, and the `Origin` that browsers name; against the third the `Host` they ask
//! for.

use oxhttp::model::header::{AUTHORIZATION, HOST, ORIGIN};
use oxhttp::model::{HeaderMap, HeaderValue, Uri};

use super::StudioError;

/// So many bytes of chance; two digits each.
const BYTES: usize = 16;

/// A secret that nobody guesses, as digits.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Token(String);

impl Token {
    /// A new one.
    pub(super) fn new() -> Result<Self, StudioError> {
        let mut bytes = [0; BYTES];
        getrandom::fill(&mut bytes).map_err(|e| StudioError::Chance(e.to_string()))?;
        Ok(Self(bytes.iter().map(|byte| format!("{byte:02x}")).collect()))
    }

    pub(super) fn digits(&self) -> &str {
        &self.0
    }

    /// Whether that is it. It takes as long for one that differs at its end as for one that differs at its beginning.
    pub(super) fn is(&self, given: &[u8]) -> bool {
        let own = self.0.as_bytes();
        given.len() == own.len() && given.iter().zip(own).fold(0, |differs, (a, b)| differs | (a ^ b)) == 0
    }
}

/// Why a request is not answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// It asks for another host, or for none.
    Host,
    /// It comes from another site's page.
    Origin,
    /// It has no token, or a wrong one.
    Token,
}

impl Refusal {
    pub(super) fn message(self) -> &'static str {
        match self {
            Self::Host => "the studio answers under its own address only, the one that it printed",
            Self::Origin => "the studio answers its own page only, and no other site's",
            Self::Token => "the token is missing or wrong: open the address that `halma studio` printed",
        }
    }
}

/// Looks at each request.
pub(super) struct Guard {
    token: Token,
    /// The names that the studio goes by, with its port.
    hosts: [String; 2],
}

impl Guard {
    pub(super) fn new(token: Token, port: u16) -> Self {
        Self { token, hosts: ["127.0.0.1", "localhost"].map(|name| format!("{name}:{port}")) }
    }

    /// Whether it asks for the studio by its own name. The page itself is no secret: it has no token in it.
    pub(super) fn host(&self, uri: &Uri, headers: &HeaderMap) -> Result<(), Refusal> {
        let own = |host: &[u8]| self.hosts.iter().any(|own| own.as_bytes().eq_ignore_ascii_case(host));
        let host_is_ours = headers.get(HOST).is_some_and(|host| own(host.as_bytes()));
        // A request may name the host in its first line, too.
        let authority_is_ours = uri.authority().is_none_or(|authority| own(authority.as_str().as_bytes()));
        if host_is_ours && authority_is_ours { Ok(()) } else { Err(Refusal::Host) }
    }

    /// Whether the studio's own page sent it.
    pub(super) fn page(&self, headers: &HeaderMap) -> Result<(), Refusal> {
        let own = |origin: &HeaderValue| {
            let host = origin.as_bytes().strip_prefix(b"http://");
            host.is_some_and(|host| self.hosts.iter().any(|own| own.as_bytes() == host))
        };
        // Browsers name it where a page could do harm; other programs need not.
        let elsewhere = headers.get_all(ORIGIN).iter().any(|origin| !own(origin))
            || headers
                .get_all("sec-fetch-site")
                .iter()
                .any(|site| !["same-origin", "none"].iter().any(|own| site == own));
        if elsewhere {
            return Err(Refusal::Origin);
        }
        let given = headers.get(AUTHORIZATION).and_then(|value| value.as_bytes().strip_prefix(b"Bearer "));
        if given.is_some_and(|given| self.token.is(given)) { Ok(()) } else { Err(Refusal::Token) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(*name, value.parse().unwrap());
        }
        headers
    }

    #[test]
    fn tokens_are_long_and_differ() {
        let [a, b] = [Token::new().unwrap(), Token::new().unwrap()];
        assert_eq!(a.digits().len(), 32);
        assert!(a.digits() != b.digits());
        assert!(a.is(a.digits().as_bytes()) && !a.is(b.digits().as_bytes()));
        assert!(!a.is(b"") && !a.is(&a.digits().as_bytes()[1..]) && !a.is(format!("{}0", a.digits()).as_bytes()));
    }

    #[test]
    fn only_the_studios_own_names_and_port_are_answered() {
        let guard = Guard::new(Token::new().unwrap(), 4256);
        let path: Uri = "/".parse().unwrap();
        for (host, own) in [
            ("127.0.0.1:4256", true),
            ("localhost:4256", true),
            ("LOCALHOST:4256", true),
            ("127.0.0.1", false),
            ("127.0.0.1:80", false),
            ("evil.example:4256", false),
            ("127.0.0.1:4256.evil.example", false),
            ("", false),
        ] {
            assert_eq!(guard.host(&path, &headers(&[("host", host)])).is_ok(), own, "{host}");
        }
        assert_eq!(guard.host(&path, &headers(&[])), Err(Refusal::Host));
        let elsewhere: Uri = "http://evil.example:4256/".parse().unwrap();
        assert_eq!(guard.host(&elsewhere, &headers(&[("host", "127.0.0.1:4256")])), Err(Refusal::Host));
    }

    #[test]
    fn a_page_of_another_site_is_refused_even_with_the_token() {
        let token = Token::new().unwrap();
        let bearer = format!("Bearer {}", token.digits());
        let guard = Guard::new(token, 4256);
        let with = |more: &[(&'static str, &str)]| {
            guard.page(&headers(&[&[("authorization", bearer.as_str())][..], more].concat()))
        };
        assert_eq!(with(&[]), Ok(()));
        assert_eq!(with(&[("origin", "http://127.0.0.1:4256"), ("sec-fetch-site", "same-origin")]), Ok(()));
        for (name, value) in [
            ("origin", "http://evil.example"),
            ("origin", "http://127.0.0.1:4257"),
            ("origin", "https://127.0.0.1:4256"),
            ("origin", "null"),
            ("sec-fetch-site", "cross-site"),
            ("sec-fetch-site", "same-site"),
        ] {
            assert_eq!(with(&[(name, value)]), Err(Refusal::Origin), "{name}: {value}");
        }
        // Two of them: the second counts, too.
        let both = [("origin", "http://127.0.0.1:4256"), ("origin", "http://evil.example")];
        assert_eq!(with(&both), Err(Refusal::Origin));
        assert_eq!(guard.page(&headers(&[])), Err(Refusal::Token));
        assert_eq!(guard.page(&headers(&[("authorization", "Bearer 0")])), Err(Refusal::Token));
    }
}
