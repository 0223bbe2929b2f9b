//! The certificate that new connections get, and its renewal: the files are looked at every few seconds, and read again
//! when they have changed.

use std::sync::Arc;
use std::time::Duration;

use rustls::ServerConfig;
use rustls::crypto::{CryptoProvider, ring};

use super::certificate_files::TlsFiles;
use super::file_stamp::FileStamp;
use super::server_config::server_config;
use crate::host_error::HostError;
use crate::runtime::library_log::{self, LogSeverity};
use crate::runtime::lock::Mutex;

/// How often the files are looked at, unless set otherwise.
pub(in crate::transport::http) const DEFAULT_CHECK: Duration = Duration::from_secs(5);

/// What secures the connections of a listener.
pub(in crate::transport::http) struct Tls {
    files: TlsFiles,
    provider: Arc<CryptoProvider>,
    current: Mutex<Arc<ServerConfig>>,
    looks: Mutex<Looks>,
}

impl Tls {
    /// Reads `files`.
    pub fn open(files: &TlsFiles) -> Result<Self, HostError> {
        let files = files.in_full()?;
        let provider = Arc::new(ring::default_provider());
        // Looked at before they are read: what changes in between is read again.
        let stamps = stamps(&files);
        let current = server_config(files.read(&provider)?, provider.clone())?;
        let looks = Looks { taken: stamps, last: stamps, complaint: None };
        Ok(Tls { files, provider, current: Mutex::new(current), looks: Mutex::new(looks) })
    }

    /// What a connection that begins now is served with.
    pub fn current(&self) -> Arc<ServerConfig> {
        self.current.lock().clone()
    }

    /// Looks at the files. A change is taken up when it is still the same at the next look: whoever writes two files,
    /// or one in pieces, needs a moment. What cannot be used is complained of once, and the certificate stays.
    fn look(&self) {
        let mut looks = self.looks.lock();
        let stamps = stamps(&self.files);
        let rests = std::mem::replace(&mut looks.last, stamps) == stamps;
        if stamps == looks.taken || !rests {
            return;
        }
        match self.files.read(&self.provider).and_then(|pair| server_config(pair, self.provider.clone())) {
            Ok(config) => {
                *self.current.lock() = config;
                *looks = Looks { taken: stamps, last: stamps, complaint: None };
                drop(looks);
                let path = self.files.certificate.display();
                library_log::log(LogSeverity::Info, || {
                    format!("TLS: new connections get what is now in \"{path}\"")
                });
            }
            // It is tried again at each look: the system may have been short of something.
            Err(error) => {
                let complaint = error.to_string();
                if looks.complaint.as_ref() != Some(&complaint) {
                    looks.complaint = Some(complaint.clone());
                    drop(looks);
                    library_log::warning(format_args!(
                        "TLS: the certificate of before stays in use: {complaint}"
                    ));
                }
            }
        }
    }
}

/// Looks at the files of `tls` every `interval`; zero is never. They are small, and read where this runs: a thread for
/// them would be one more for the host to wonder about.
pub(in crate::transport::http) async fn keep_current(tls: Arc<Tls>, interval: Duration) {
    if interval.is_zero() {
        return;
    }
    loop {
        tokio::time::sleep(interval).await;
        tls.look();
    }
}

/// What was seen of the files.
struct Looks {
    /// When the certificate in use was read.
    taken: Stamps,
    /// At the last look.
    last: Stamps,
    /// What was last said about them.
    complaint: Option<String>,
}

/// The certificate's file and the key's.
type Stamps = [Option<FileStamp>; 2];

fn stamps(files: &TlsFiles) -> Stamps {
    [FileStamp::of(&files.certificate), FileStamp::of(&files.key)]
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::fs;

    use super::super::test_certificates::{Authority, Pair, write};
    use super::*;

    impl Tls {
        fn complaint(&self) -> Option<String> {
            self.looks.lock().complaint.clone()
        }
    }

    #[test]
    fn takes_a_change_up_when_it_rests() {
        let folder = tempfile::tempdir().unwrap();
        let authority = Authority::new();
        let Pair { certificate, key } = authority.issue();
        let tls = Tls::open(&write(folder.path(), &certificate, &key)).unwrap();
        let first = tls.current();
        tls.look();
        tls.look();
        assert!(Arc::ptr_eq(&tls.current(), &first), "nothing has changed");
        // The key comes a moment before its certificate.
        let next = authority.issue();
        write(folder.path(), &certificate, &next.key);
        tls.look();
        write(folder.path(), &next.certificate, &next.key);
        tls.look();
        assert!(Arc::ptr_eq(&tls.current(), &first), "it may still be written at");
        tls.look();
        let second = tls.current();
        assert!(!Arc::ptr_eq(&second, &first));
        assert_eq!(tls.complaint(), None);
        tls.look();
        assert!(Arc::ptr_eq(&tls.current(), &second));
    }

    #[test]
    fn keeps_the_certificate_when_the_new_files_are_no_good() {
        let folder = tempfile::tempdir().unwrap();
        let authority = Authority::new();
        let (first, next) = (authority.issue(), authority.issue());
        let files = write(folder.path(), &first.certificate, &first.key);
        let tls = Tls::open(&files).unwrap();
        let current = tls.current();
        let look_twice = || {
            tls.look();
            tls.look();
        };
        write(folder.path(), &next.certificate, &first.key);
        look_twice();
        assert!(tls.complaint().unwrap().contains("does not belong to this certificate"));
        fs::write(&files.certificate, "nonsense").unwrap();
        look_twice();
        assert!(tls.complaint().unwrap().contains("has no certificate"));
        fs::remove_file(&files.certificate).unwrap();
        look_twice();
        assert!(tls.complaint().unwrap().contains("there is no such file"));
        assert!(Arc::ptr_eq(&tls.current(), &current));
        write(folder.path(), &next.certificate, &next.key);
        look_twice();
        assert!(!Arc::ptr_eq(&tls.current(), &current));
        assert_eq!(tls.complaint(), None);
    }
}
