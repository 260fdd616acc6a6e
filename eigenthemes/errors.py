"""All errors of the package, as one tree.

EigenthemesError                 the message is one sentence: what was found, what was expected, the remedy
├── OptionError                  an option has a value that cannot be used
├── SourceError                  a source file cannot be read, or a bad record under ``strict``
├── BuildError                   the sources were read, but no KB can be made of them
├── KBError                      a KB folder cannot be used
│   ├── KBExistsError            the path is taken and ``force`` was not given
│   ├── KBNotFoundError          there is no KB at that path
│   ├── KBVersionError           the KB was written by a newer format
│   ├── KBDamagedError           a file is missing, has another size, or another hash
│   └── UnknownEntityError       the KB has no entity of that id; also a KeyError
├── DocumentError                a document cannot be linked: what is wrong with it, and where
├── VectorError                  vectors cannot be made, read, or are missing from a KB
├── WorkerError                  a worker process ended unexpectedly
└── MissingExtraError            an optional package is needed; the message holds the install command
"""

from __future__ import annotations


class EigenthemesError(Exception):
    """Base of all errors that users can correct.

    Parameters
    ----------
    message : str
        One sentence, "what was found; what to do". It names no option of the command line, which adds those by the code.
    code : str, optional
        A stable name of the problem, for programs. None: that of the class.
    where : str, optional
        The KB, file, record or field that the error is about.
    """

    code = "error"

    def __init__(self, message: str, *, code: str | None = None, where: str | None = None) -> None:
        super().__init__(message)
        self.code = code or type(self).code
        self.where = where

    @property
    def remedy(self) -> str:
        """Last clause of the message: what to do."""
        return str(self).rpartition("; ")[2]

    def __reduce__(self) -> tuple[object, ...]:
        return _restored, (type(self), str(self), self.code, self.where)


def _restored(error_type: type[EigenthemesError], message: str, code: str, where: str | None) -> EigenthemesError:
    """Restore a pickled error, whose class may have another constructor."""
    error = error_type.__new__(error_type)
    EigenthemesError.__init__(error, message, code=code, where=where)
    return error


class OptionError(EigenthemesError):
    """An option has a value that cannot be used."""

    code = "option"


class SourceError(EigenthemesError):
    """A source file cannot be read, or holds a bad record under ``strict``."""

    code = "source"


class BuildError(EigenthemesError):
    """The sources were read, but no KB can be made of them."""

    code = "build"


class KBError(EigenthemesError):
    """A KB folder cannot be used."""

    code = "kb"


class KBExistsError(KBError):
    """The path of a new KB exists already, and ``force`` was not given."""

    code = "kb-exists"


class KBNotFoundError(KBError):
    """There is no KB at that path."""

    code = "kb-not-found"


class KBVersionError(KBError):
    """The KB was written by a newer format."""

    code = "kb-version"


class KBDamagedError(KBError):
    """A file is missing, has another size, or another hash."""

    code = "kb-damaged"


class UnknownEntityError(KBError, KeyError):
    """The KB has no entity of that id."""

    code = "entity-unknown"
    __str__ = Exception.__str__  # that of KeyError shows quotes


class DocumentError(EigenthemesError):
    """A document cannot be linked."""

    code = "document"


class VectorError(EigenthemesError):
    """Vectors cannot be made, read, or are missing from a KB."""

    code = "vectors"


class WorkerError(EigenthemesError):
    """A worker process ended unexpectedly."""

    code = "worker"


class MissingExtraError(EigenthemesError):
    """An optional package is needed."""

    code = "missing-extra"

    def __init__(self, purpose: str, package: str, extra: str | None = None, *, install: str | None = None) -> None:
        install = install or f"'eigenthemes[{extra}]'"
        super().__init__(f"{purpose} needs the package {package}, which is not installed; run: pip install {install}")
