"""Classify the result of a command: fine, a clean refusal, or a fault."""

from __future__ import annotations

import re

from helpers.commands import Done, call

from campaign.trial import FINE, REFUSED, Fault, note

# What drives a terminal: all controls but line ends and tabs, and what turns the direction of a text round
_DRIVING = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_BESIDE_THE_SENTENCE = re.compile(
    r"(warning: |line \d+: |\S+:\d+: |\S+\.jsonl: |\d+ files?[ :]|  |epoch |trained |no candidates for )"
)


def judged(done: Done, *, for_programs: bool = False) -> str:
    """Return FINE or REFUSED for a command that ended as it may; `for_programs`: its output is JSON."""
    if "Traceback" in done.stderr:
        raise Fault(f"traceback on stderr\n{done.stderr}")
    shown = done.stderr if for_programs else done.stdout + done.stderr
    if driving := _DRIVING.search(shown):
        raise Fault(f"control character {driving[0]!r} reaches the terminal\n{done.args}\n{shown!r}")
    if done.returncode == 0:
        return FINE
    if done.returncode == 1:
        return _judged_sentence(done)
    if done.returncode == 2:
        last = done.stderr.splitlines()[-1] if done.stderr else ""
        if not last.startswith("Error: "):
            raise Fault(f"exit code 2 without an error\n{done.stderr}")
        return REFUSED
    raise Fault(f"exit code {done.returncode}\n{done.stderr}")


def _judged_sentence(done: Done) -> str:
    """Require one sentence that ends in a remedy; warnings and failed records may be reported too."""
    lines = done.stderr.splitlines()
    sentences = [line for line in lines if line.startswith("eigenthemes: ")]
    others = [line for line in lines if line not in sentences and not _BESIDE_THE_SENTENCE.match(line)]
    if len(sentences) != 1 or others:
        raise Fault(f"exit code 1 with {len(sentences)} sentences and {len(others)} other lines\n{done.stderr}")
    if not re.search(r"[;:] \S", sentences[0].removeprefix("eigenthemes: ")):
        raise Fault(f"a sentence without a remedy\n{sentences[0]}")
    return REFUSED


def command(*arguments: object, stdin: str | bytes = "", for_programs: bool = False) -> tuple[str, Done]:
    """Run a command in this process; return how it is judged and what it printed."""
    note(*arguments)
    done = call(*arguments, stdin=stdin)
    return judged(done, for_programs=for_programs), done


def demand_sound(kb: object) -> None:
    """Demand that a KB verifies."""
    done = call("verify", kb)
    if done.returncode != 0 or "all as built" not in done.stdout:
        raise Fault(f"a KB that does not verify\n{done.stdout}{done.stderr}")
