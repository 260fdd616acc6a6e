"""Run trials until the time is up, each kind as long as the others; print each fault with what repeats it, and the table."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from campaign.kinds import KINDS
from campaign.trial import FAULT, FINE, REFUSED, Outcome, Trial, run_trial, run_trials
from campaign.world import World

_TOLD = 3  # faults of one title that are printed; the table counts all
_MOST_IN_A_ROW = 20
_NEWS = 60.0  # seconds between two lines of news


@dataclass(slots=True)
class Tally:
    """Count the outcomes of one kind of trial."""

    verdicts: Counter[str] = field(default_factory=Counter)
    titles: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0

    @property
    def tried(self) -> int:
        return self.verdicts.total()

    def in_a_row(self) -> int:
        """Return how many trials to run in one process: about a second's worth."""
        return max(1, min(_MOST_IN_A_ROW, int(self.tried / self.seconds))) if self.tried else 1


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the campaign; return 1 where there was a fault."""
    parser = argparse.ArgumentParser(prog="python -m tests.campaign", description="Trials that try to break eigenthemes.")
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seed", type=int, default=0, help="of the first trial of each kind; the next has the next number")
    parser.add_argument("--only", nargs="*", default=(), metavar="KIND", help=f"kinds, or how they begin: {', '.join(KINDS)}")
    parser.add_argument("--repeat", metavar="KIND:SEED", help="run one trial again, and keep its files")
    given = parser.parse_args(arguments)
    kinds = chosen_kinds(given.only)
    if not kinds:
        parser.error(f"no kind begins with {', '.join(given.only)}; there are {', '.join(KINDS)}")
    with tempfile.TemporaryDirectory(prefix="campaign-") as folder:
        world = World.make(Path(folder))
        if given.repeat:
            return repeat(given.repeat, world)
        tallies = run(kinds, world, seconds=60 * given.minutes, seed=given.seed)
    print(table(tallies))
    return 1 if any(tally.verdicts[FAULT] for tally in tallies.values()) else 0


def chosen_kinds(only: Sequence[str]) -> dict[str, Trial]:
    """Return the kinds that begin with one of these; all where none is given."""
    return {name: trial for name, trial in KINDS.items() if not only or name.startswith(tuple(only))}


def run(
    kinds: Mapping[str, Trial], world: World, *, seconds: float, seed: int = 0, most: int = sys.maxsize
) -> dict[str, Tally]:
    """Run trials until the time or the number of each kind is used up; the kind with the least time comes next."""
    tallies = {name: Tally() for name in kinds}
    start = news = time.monotonic()
    while time.monotonic() - start < seconds:
        open_kinds = [name for name in kinds if tallies[name].tried < most]
        if not open_kinds:
            break
        name = min(open_kinds, key=lambda kind: tallies[kind].seconds)
        tally = tallies[name]
        first, count = seed + tally.tried, min(tally.in_a_row(), most - tally.tried)
        _count(tally, name, kinds[name], range(first, first + count), world)
        if time.monotonic() - news > _NEWS:
            news = time.monotonic()
            print(f"{(news - start) / 60:.0f} min: {_totals(tallies)}", file=sys.stderr, flush=True)
    return tallies


def _count(tally: Tally, name: str, trial: Trial, seeds: Sequence[int], world: World) -> None:
    begin = time.monotonic()
    outcomes = run_trials(name, trial, seeds, world)
    tally.seconds += time.monotonic() - begin
    for seed, outcome in zip(seeds, outcomes, strict=True):
        tally.verdicts[outcome.verdict] += 1
        if outcome.verdict == FAULT:
            tally.titles[outcome.title] += 1
            if tally.titles[outcome.title] <= _TOLD:
                print(format_fault(name, seed, outcome), flush=True)


def format_fault(name: str, seed: int, outcome: Outcome) -> str:
    """Format a fault with the command that repeats it."""
    story = "\n".join(f"    {line}" for line in outcome.story.splitlines())
    again = f"python -m tests.campaign --repeat {name}:{seed}"
    return f"FAULT {name}: {outcome.title}\n{story}\n    again: {again}"


def repeat(which: str, world: World) -> int:
    """Run one trial again; its files stay."""
    name, _, seed = which.rpartition(":")
    if name not in KINDS or not seed.isdigit():
        print(f"{which!r} is no trial; expected KIND:SEED, with one of {', '.join(KINDS)}", file=sys.stderr)
        return 2
    folder = Path(tempfile.mkdtemp(prefix=f"{name}-{seed}-"))
    outcome = run_trial(name, KINDS[name], int(seed), world, folder=folder)
    print(format_fault(name, int(seed), outcome) if outcome.verdict == FAULT else f"{which}: {outcome.verdict}")
    print(f"its files: {folder}")
    return 1 if outcome.verdict == FAULT else 0


def table(tallies: Mapping[str, Tally]) -> str:
    """Format the outcomes of all trials as a Markdown table, and the faults by title."""
    lines = ["| kind | tried | fine | clean refusals | faults |", "|---|---:|---:|---:|---:|"]
    lines += [_row(name, tally.verdicts) for name, tally in tallies.items()]
    lines.append(_row("**all**", sum((tally.verdicts for tally in tallies.values()), Counter())))
    titles = [f"- {name}: {title} ({count:,})" for name, tally in tallies.items() for title, count in tally.titles.items()]
    return "\n".join([*lines, *(["", "Faults:", *titles] if titles else [])])


def _row(name: str, verdicts: Counter[str]) -> str:
    figures = (verdicts.total(), verdicts[FINE], verdicts[REFUSED], verdicts[FAULT])
    return f"| {name} | " + " | ".join(f"{figure:,}" for figure in figures) + " |"


def _totals(tallies: Mapping[str, Tally]) -> str:
    verdicts = sum((tally.verdicts for tally in tallies.values()), Counter[str]())
    return f"{verdicts.total():,} tried, {verdicts[FINE]:,} fine, {verdicts[REFUSED]:,} refused, {verdicts[FAULT]:,} faults"
