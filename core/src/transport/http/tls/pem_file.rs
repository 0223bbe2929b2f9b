//! A file of PEM blocks: read within bounds, and what is wrong with it in words.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use rustls_pki_types::pem;

use crate::host_error::HostError;

/// The largest file that is taken for one of certificates or keys.
const MAX_FILE: u64 = 1 << 20;

/// A file, and what it is for.
pub(super) struct PemFile<'a> {
    /// "certificate file" or "key file".
    pub role: &'static str,
    /// Where it is.
    pub path: &'a Path,
}

impl PemFile<'_> {
    /// All of the file.
    pub fn read(&self) -> Result<Vec<u8>, HostError> {
        let unreadable = |error| HostError::Io(self.sentence(&reason(&error)));
        // Before it is opened: to open a pipe is to wait for its writer.
        if !fs::metadata(self.path).map_err(unreadable)?.is_file() {
            return Err(self.fault("it is no regular file"));
        }
        let mut text = Vec::new();
        File::open(self.path)
            .and_then(|file| file.take(MAX_FILE + 1).read_to_end(&mut text))
            .map_err(unreadable)?;
        if text.len() as u64 > MAX_FILE {
            return Err(self.fault("it is larger than 1 MiB, and no such file is"));
        }
        Ok(text)
    }

    /// That the file does not hold what it should.
    pub fn fault(&self, problem: &str) -> HostError {
        HostError::InvalidArgument(self.sentence(problem))
    }

    /// That a block of the file cannot be read.
    pub fn broken(&self, error: &pem::Error) -> HostError {
        self.fault(match error {
            pem::Error::MissingSectionEnd { .. } => {
                "a PEM block has no END line; the file seems to be cut short"
            }
            pem::Error::IllegalSectionStart { .. } => "the BEGIN line of a PEM block is malformed",
            _ => "a PEM block is not base64; the file seems to be damaged",
        })
    }

    fn sentence(&self, problem: &str) -> String {
        format!("{} \"{}\": {problem}", self.role, self.path.display())
    }
}

/// Whether `text` is a document in DER, which PEM wraps: its first byte begins a sequence.
pub(super) fn is_der(text: &[u8]) -> bool {
    text.first() == Some(&0x30)
}

/// Whether `text` has `word` in it.
pub(super) fn mentions(text: &[u8], word: &str) -> bool {
    text.windows(word.len()).any(|part| part == word.as_bytes())
}

fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "there is no such file".to_owned(),
        io::ErrorKind::PermissionDenied => "the user of this process may not read it".to_owned(),
        _ => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn says_what_keeps_a_file_from_being_read() {
        let folder = tempfile::tempdir().unwrap();
        let large = folder.path().join("large.pem");
        File::create(&large).unwrap().set_len(MAX_FILE + 1).unwrap();
        for (path, wanted) in [
            (folder.path().join("none.pem"), "none.pem\": there is no such file"),
            (folder.path().to_owned(), "it is no regular file"),
            ("/dev/zero".into(), "it is no regular file"),
            (large, "large.pem\": it is larger than 1 MiB"),
        ] {
            let told = PemFile { role: "key file", path: &path }.read().unwrap_err().to_string();
            assert!(told.starts_with("key file \"/") && told.contains(wanted), "{told}");
        }
    }

    #[test]
    fn tells_what_the_system_refused_from_what_the_file_lacks() {
        let missing = PemFile { role: "key file", path: Path::new("/none") };
        assert!(matches!(missing.read(), Err(HostError::Io(_))));
        assert!(matches!(missing.fault("empty"), HostError::InvalidArgument(_)));
    }
}
