"""Every error a user can meet, as one tree.

EigenthemesError                 the message is one sentence: what was found, what was expected, the remedy
├── OptionError                  an option has a value that cannot be used
├── SourceError                  a source file cannot be read, or a bad record under ``strict``
├── BuildError                   the sources were read, but no KB can be made of them
├── KBError                      a KB folder cannot be used
│   ├── KBExistsError            the place is taken and ``force`` was not given
│   ├── KBNotFoundError          there is no KB at that path
│   ├── KBVersionError           the KB was written by a newer format
│   └── KBDamagedError           a file is missing, has another size, or another hash
├── DocumentError                a document cannot be linked: what is wrong with it, and where
├── VectorError                  vectors cannot be made, read, or are missing from a KB
├── WorkerError                  a process that shared the work ended abruptly
└── MissingExtraError            an optional package is needed; the message holds the install command
"""

from __future__ import annotations


class EigenthemesError(Exception):
    """Base of all errors that are the user's to mend."""


class OptionError(EigenthemesError):
    """An option has a value that cannot be used."""


class SourceError(EigenthemesError):
    """A source file cannot be read, or holds a bad record under ``strict``."""


class BuildError(EigenthemesError):
    """The sources were read, but no KB can be made of them."""


class KBError(EigenthemesError):
    """A KB folder cannot be used."""


class KBExistsError(KBError):
    """The place is taken and ``force`` was not given."""


class KBNotFoundError(KBError):
    """There is no KB at that path."""


class KBVersionError(KBError):
    """The KB was written by a newer format."""


class KBDamagedError(KBError):
    """A file is missing, has another size, or another hash."""


class DocumentError(EigenthemesError):
    """A document cannot be linked."""


class VectorError(EigenthemesError):
    """Vectors cannot be made, read, or are missing from a KB."""


class WorkerError(EigenthemesError):
    """A process that shared the work ended abruptly."""


class MissingExtraError(EigenthemesError):
    """An optional package is needed."""

    def __init__(self, purpose: str, package: str, extra: str) -> None:
        super().__init__(
            f"{purpose} needs the package {package}, which is not installed; run: pip install 'eigenthemes[{extra}]'"
        )
