"""What is known of English: which words say nothing of a text's topic, and which are nouns."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import lru_cache
from importlib.util import find_spec
from typing import Any

STOP_WORDS = frozenset(
    """a about above across after afterwards again against ago all almost alone along already also although always am among
    an and another any anybody anyone anything anywhere are around as aside at away back be became because become becomes been
    before behind being below beside besides best better between beyond both but by came can cannot come could did do does
    doing done down due during each either else elsewhere end enough etc even ever every everybody everyone everything
    everywhere except far few first five for former formerly four from full further get gets getting give given go goes going
    gone got had has have having he hence her here hers herself him himself his how however i if in including indeed instead
    into is it its itself just keep kept known last later latter least less let like likely made make makes making many may
    maybe me meanwhile might mine more moreover most mostly much must my myself namely near nearly neither never nevertheless
    new next nine no nobody none nor not nothing now nowhere of off often on once one ones only onto or other others otherwise
    ought our ours ourselves out over own part per perhaps put quite rather really said same saw say says second see seem
    seemed seems seen several shall she should show since six so some somebody somehow someone something sometimes somewhere
    soon still such take taken takes ten than that the their theirs them themselves then thence there thereafter therefore
    these they third this those though three through throughout thus to together too took toward towards two under until up
    upon us use used uses using very via was way we well went were what whatever when whenever where whereas wherever whether
    which while who whoever whole whom whose why will with within without would year years yes yet you your yours yourself
    yourselves don doesn didn isn wasn aren weren won wouldn couldn shouldn hasn haven hadn ll ve re""".split()
)


def is_content(word: str) -> bool:
    """Return whether a word is neither a stop word, nor a number, nor a single letter."""
    return len(word) > 1 and not word.isdigit() and word.lower() not in STOP_WORDS


def noun_tagger() -> str | None:
    """Return the name of the tagger that finds nouns; None: none is installed, and all content words are taken for nouns."""
    return "TextBlob's PatternTagger" if find_spec("textblob") else None


def nouns(text: str) -> tuple[str, ...]:
    """Return the nouns of an English text, names among them; without a tagger, all its content words."""
    if noun_tagger() is None:
        from eigenthemes.text.words import words_of

        return tuple(word for word in words_of(text) if is_content(word))
    return _tagged(text)


@lru_cache(maxsize=2000)  # experiments read the same documents again and again
def _tagged(text: str) -> tuple[str, ...]:
    return tuple(word for word, tag in _tagger()(text) if tag.startswith("NN"))


def clear_tagger_cache() -> None:
    """Forget the texts that were tagged before: for measuring time."""
    _tagged.cache_clear()


@lru_cache(maxsize=1)
def _tagger() -> Callable[[str], Any]:
    """Return the tagger of the pattern project, which carries its lexicon: nothing is downloaded."""
    from textblob.en.taggers import PatternTagger

    tagger = PatternTagger()
    with warnings.catch_warnings():  # it does not close the files of its lexicon
        warnings.simplefilter("ignore", ResourceWarning)
        tagger.tag("read them now", tokenize=True)
    return lambda text: tagger.tag(text, tokenize=True)
