//! Where a long answer goes: standard output, or a file that appears only when it is complete.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use tempfile::{Builder, NamedTempFile};

use crate::errors::{Exit, Failure, Problem};

/// Where to write.
#[derive(Clone, Debug)]
pub(crate) enum Destination {
    /// Standard output.
    Stdout,
    /// A file that takes its name when it is complete.
    File(PathBuf),
    /// Something that is there and is no file, such as `/dev/null` or a named pipe: it must not be replaced.
    Device(PathBuf),
}

/// Why writing ended early.
#[derive(Debug)]
pub(crate) enum Halt {
    /// It cannot be written.
    Io(io::Error),
    /// The work was cancelled.
    Cancelled,
}

impl From<io::Error> for Halt {
    fn from(error: io::Error) -> Self {
        Halt::Io(error)
    }
}

impl Destination {
    /// The destination of `--output`. Says before the work what would fail after it.
    pub(crate) fn of(path: Option<&Path>) -> Result<Destination, Failure> {
        let Some(path) = path else { return Ok(Destination::Stdout) };
        // A link is followed, not replaced.
        let target = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        match target.metadata() {
            Ok(there) if there.is_dir() => Err(unwritable(path, "it is a folder")),
            Ok(there) if !there.is_file() => Ok(Destination::Device(target)),
            _ if !folder_of(&target).is_dir() => Err(unwritable(path, "there is no such folder")),
            _ => Ok(Destination::File(target)),
        }
    }

    /// Writes through a buffer. A file that is there stays as it is unless all goes well.
    pub(crate) fn write(&self, write: impl FnOnce(&mut dyn Write) -> Result<(), Halt>) -> Result<(), Halt> {
        match self {
            Destination::Stdout => buffered(io::stdout().lock(), write),
            Destination::Device(path) => buffered(OpenOptions::new().write(true).open(path)?, write),
            Destination::File(path) => {
                let mut file = temporary_beside(path)?;
                buffered(file.as_file_mut(), write)?;
                complete(file, path)?;
                Ok(())
            }
        }
    }

    /// Writes a whole text to the destination. An error names the path as the user typed it.
    pub(crate) fn write_text(&self, path: &Path, text: &str) -> Result<(), Failure> {
        self.write(|out| Ok(out.write_all(text.as_bytes())?)).map_err(|halt| match halt {
            Halt::Io(error) => unwritable(path, error),
            Halt::Cancelled => unwritable(path, "cancelled"),
        })
    }
}

fn buffered(out: impl Write, write: impl FnOnce(&mut dyn Write) -> Result<(), Halt>) -> Result<(), Halt> {
    let mut out = BufWriter::new(out);
    write(&mut out)?;
    out.flush()?;
    Ok(())
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// A file in the same folder, so that renaming it is one step.
fn temporary_beside(path: &Path) -> io::Result<NamedTempFile> {
    let mut builder = Builder::new();
    builder.prefix(".skel-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // As any new file: what the user's mask leaves.
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder_of(path))
}

fn complete(file: NamedTempFile, path: &Path) -> io::Result<File> {
    if let Ok(there) = fs::metadata(path) {
        file.as_file().set_permissions(there.permissions())?;
    }
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)
}

/// The failure to write to a path.
pub(crate) fn unwritable(path: &Path, why: impl std::fmt::Display) -> Failure {
    let message = format!("cannot write `{}`: {why}", path.display());
    Failure::new(Exit::CommandLine, Problem::error("unwritable_file", message))
}
