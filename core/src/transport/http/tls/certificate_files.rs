//! The certificate chain and the private key: read from PEM files, and checked against each other before they are used.

use std::path::{Path, PathBuf, absolute};
use std::sync::Arc;

use rustls::InconsistentKeys;
use rustls::crypto::CryptoProvider;
use rustls::server::ParsedCertificate;
use rustls::sign::{CertifiedKey, SigningKey};
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, PrivateKeyDer};

use super::pem_file::{PemFile, is_der, mentions};
use crate::host_error::HostError;

/// Where the certificate of a listener is, and the key that belongs to it. Both in PEM; they may be one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TlsFiles {
    /// The server's own certificate first, then those of its issuers.
    pub certificate: PathBuf,
    /// The private key: PKCS#8, PKCS#1 or SEC1, without a passphrase.
    pub key: PathBuf,
}

impl TlsFiles {
    /// The same files by paths that stay good when the process changes its folder.
    pub(super) fn in_full(&self) -> Result<TlsFiles, HostError> {
        let whole = |role: &str, path: &Path| {
            absolute(path)
                .map_err(|error| HostError::Io(format!("{role} file \"{}\": {error}", path.display())))
        };
        Ok(TlsFiles { certificate: whole("certificate", &self.certificate)?, key: whole("key", &self.key)? })
    }

    /// Reads both files.
    pub(super) fn read(&self, provider: &CryptoProvider) -> Result<CertifiedKey, HostError> {
        let certificate = PemFile { role: "certificate file", path: &self.certificate };
        let key = PemFile { role: "key file", path: &self.key };
        let pair = CertifiedKey::new(chain(&certificate)?, private_key(&key, provider)?);
        match pair.keys_match() {
            Err(rustls::Error::InconsistentKeys(InconsistentKeys::KeyMismatch)) => {
                Err(self.mismatch(&certificate, &pair))
            }
            // A key that does not tell its public half is taken at its word.
            _ => Ok(pair),
        }
    }

    fn mismatch(&self, certificate: &PemFile<'_>, pair: &CertifiedKey) -> HostError {
        let key = self.key.display();
        let fits = |one: &CertificateDer<'static>| {
            CertifiedKey::new(vec![one.clone()], pair.key.clone()).keys_match()
        };
        certificate.fault(&match pair.cert.iter().position(|one| fits(one).is_ok()) {
            Some(place) => format!(
                "the key in \"{key}\" belongs to certificate {} of the file; put that one first, its issuers behind it",
                place + 1
            ),
            None => format!(
                "the key in \"{key}\" does not belong to this certificate; give the key that the certificate was issued for"
            ),
        })
    }
}

/// The certificates of `file`, in their order.
fn chain(file: &PemFile<'_>) -> Result<Vec<CertificateDer<'static>>, HostError> {
    let text = file.read()?;
    let mut chain = Vec::new();
    for certificate in CertificateDer::pem_slice_iter(&text) {
        let certificate = certificate.map_err(|error| file.broken(&error))?;
        if ParsedCertificate::try_from(&certificate).is_err() {
            return Err(file.fault(&format!("certificate {} of the file is damaged", chain.len() + 1)));
        }
        chain.push(certificate);
    }
    if !chain.is_empty() {
        return Ok(chain);
    }
    Err(file.fault(if is_der(&text) {
        "it is not PEM but DER; \"openssl x509 -inform der -in FILE\" writes it as PEM"
    } else if mentions(&text, "PRIVATE KEY-----") {
        "it has a private key and no certificate; are the two files in each other's place?"
    } else {
        "it has no certificate; one begins with the line -----BEGIN CERTIFICATE-----"
    }))
}

/// The private key of `file`.
fn private_key(file: &PemFile<'_>, provider: &CryptoProvider) -> Result<Arc<dyn SigningKey>, HostError> {
    let text = file.read()?;
    let key = PrivateKeyDer::from_pem_slice(&text).map_err(|error| no_key(file, &text, &error))?;
    provider.key_provider.load_private_key(key).map_err(|_| {
        file.fault(
            "this key cannot be used; RSA of 2048 to 4096 bits, ECDSA on P-256 or P-384, and Ed25519 can",
        )
    })
}

fn no_key(file: &PemFile<'_>, text: &[u8], error: &rustls_pki_types::pem::Error) -> HostError {
    if mentions(text, "BEGIN ENCRYPTED PRIVATE KEY") || mentions(text, "4,ENCRYPTED") {
        return file.fault(
            "the key has a passphrase, which nobody is there to type; \"openssl pkey -in FILE\" writes it without",
        );
    }
    if !matches!(error, rustls_pki_types::pem::Error::NoItemsFound) {
        return file.broken(error);
    }
    file.fault(if is_der(text) {
        "it is not PEM but DER; \"openssl pkey -inform der -in FILE\" writes it as PEM"
    } else if mentions(text, "BEGIN CERTIFICATE") {
        "it has a certificate and no private key; are the two files in each other's place?"
    } else {
        "it has no private key; one begins with the line -----BEGIN PRIVATE KEY-----"
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use rustls::crypto::ring;

    use super::super::test_certificates::{Authority, Pair, write};
    use super::*;

    fn read(certificate: &str, key: &str) -> Result<CertifiedKey, HostError> {
        let folder = tempfile::tempdir().unwrap();
        let files = write(folder.path(), certificate, key);
        files.read(&ring::default_provider())
    }

    fn refused(certificate: &str, key: &str) -> String {
        let error = read(certificate, key).err().unwrap();
        assert!(matches!(error, HostError::InvalidArgument(_)), "{error}");
        error.to_string()
    }

    #[test]
    fn reads_a_chain_and_its_key_from_two_files_or_from_one() {
        let authority = Authority::new();
        let Pair { certificate, key } = authority.issue();
        let chain = format!("Subject: the server\r\n{certificate}\n{}", authority.certificate());
        assert_eq!(read(&chain, &key).unwrap().cert.len(), 2);
        let both = key + &certificate;
        assert_eq!(read(&both, &both).unwrap().cert.len(), 1);
    }

    #[test]
    fn says_that_a_key_does_not_fit_its_certificate() {
        let authority = Authority::new();
        let (one, other) = (authority.issue(), authority.issue());
        let told = refused(&one.certificate, &other.key);
        assert!(
            told.starts_with("certificate file \"/") && told.contains("cert.pem\": the key in \"/"),
            "{told}"
        );
        assert!(told.contains("key.pem\" does not belong to this certificate"), "{told}");
        let reversed = authority.certificate() + &one.certificate;
        let told = refused(&reversed, &one.key);
        assert!(told.contains("belongs to certificate 2 of the file; put that one first"), "{told}");
    }

    #[test]
    fn says_what_is_wrong_with_a_certificate_file() {
        let Pair { certificate, key } = Authority::new().issue();
        let half = &certificate[..certificate.len() / 2];
        let mut lines: Vec<_> = certificate.lines().collect();
        lines.remove(1);
        let damaged = lines.join("\n") + "\n";
        for (text, wanted) in [
            ("", "it has no certificate"),
            (&key, "are the two files in each other's place?"),
            (half, "cut short"),
            (&damaged, "certificate 1 of the file is damaged"),
            (&(certificate.clone() + &damaged), "certificate 2 of the file is damaged"),
            (&certificate.replace("MII", "M*I"), "not base64"),
            ("0\u{1}\u{2}", "not PEM but DER"),
        ] {
            let told = refused(text, &key);
            assert!(told.starts_with("certificate file \"/") && told.contains(wanted), "{told}");
        }
    }

    #[test]
    fn says_what_is_wrong_with_a_key_file() {
        let Pair { certificate, key } = Authority::new().issue();
        let encrypted = key.replace("PRIVATE", "ENCRYPTED PRIVATE");
        let old = key.replace("PRIVATE", "RSA PRIVATE").replacen(
            '\n',
            "\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,00\n\n",
            1,
        );
        for (text, wanted) in [
            ("", "it has no private key"),
            (certificate.as_str(), "are the two files in each other's place?"),
            (&key[..key.len() / 2], "cut short"),
            (&encrypted, "has a passphrase"),
            (&old, "has a passphrase"),
            (&key.replace("PRIVATE", "RSA PRIVATE"), "this key cannot be used; RSA of 2048"),
            ("0\u{1}\u{2}", "not PEM but DER"),
        ] {
            let told = refused(&certificate, text);
            assert!(told.starts_with("key file \"/") && told.contains(wanted), "{told}");
        }
    }

    #[test]
    fn keeps_its_paths_when_the_process_changes_its_folder() {
        let files = TlsFiles { certificate: "cert.pem".into(), key: "/etc/key.pem".into() };
        let whole = files.in_full().unwrap();
        assert!(whole.certificate.is_absolute() && whole.certificate.ends_with("cert.pem"));
        assert_eq!(whole.key, files.key);
    }
}
