//! By what it is seen that a file has changed, without reading it.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Which file a path leads to, and when that was last changed. Links are followed: a path whose link, or that of a
/// folder above it, was turned to another file has another stamp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FileStamp {
    file: (u64, u64),
    size: u64,
    modified: (i64, i64),
    /// Of its status as well: a copy may keep the time of the original.
    changed: (i64, i64),
}

impl FileStamp {
    /// The stamp of the file at `path`; `None` where none can be seen.
    pub fn of(path: &Path) -> Option<Self> {
        let found = fs::metadata(path).ok()?;
        Some(FileStamp {
            file: (found.dev(), found.ino()),
            size: found.size(),
            modified: (found.mtime(), found.mtime_nsec()),
            changed: (found.ctime(), found.ctime_nsec()),
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn sees_a_file_that_was_written_anew_replaced_or_removed() {
        let folder = tempfile::tempdir().unwrap();
        let [path, other] = ["a.pem", "b.pem"].map(|name| folder.path().join(name));
        assert_eq!(FileStamp::of(&path), None);
        fs::write(&path, "one").unwrap();
        fs::write(&other, "two").unwrap();
        let first = FileStamp::of(&path).unwrap();
        assert_eq!(FileStamp::of(&path), Some(first));
        fs::write(&path, "longer").unwrap();
        let second = FileStamp::of(&path).unwrap();
        assert_ne!(second, first);
        fs::rename(&other, &path).unwrap();
        assert_ne!(FileStamp::of(&path).unwrap(), second);
        fs::remove_file(&path).unwrap();
        assert_eq!(FileStamp::of(&path), None);
    }

    #[test]
    fn sees_a_link_on_the_way_that_was_turned() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for version in ["1", "2"] {
            fs::create_dir(at(version)).unwrap();
            fs::write(at(version).join("tls.crt"), "same").unwrap();
        }
        symlink("1", at("data")).unwrap();
        symlink("data/tls.crt", at("tls.crt")).unwrap();
        let first = FileStamp::of(&at("tls.crt")).unwrap();
        symlink("2", at("new")).unwrap();
        fs::rename(at("new"), at("data")).unwrap();
        assert_ne!(FileStamp::of(&at("tls.crt")).unwrap(), first);
    }
}
