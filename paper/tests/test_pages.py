"""The pages of a report."""

from __future__ import annotations

from eigenthemes_paper.report import Part, html_page, markdown_page
from eigenthemes_paper.rows import Claim, Table


def test_a_reason_is_told_only_where_something_fails() -> None:
    table, claims = Table("", ("a", "b"), [("x|y", "1")]), (Claim("c", ("s",), (), ()), Claim("c", (), (), ("s",)))
    parts = [Part("p", "T|t", "about", tables=[table], claims=[claim], why="because") for claim in claims]
    for write in (markdown_page, html_page):
        assert "because" not in write("t", "a", parts[:1], [])
        assert "because" in write("t", "a", parts[1:], [])
    assert r"| x\|y | 1 |" in markdown_page("t", "a", parts, [])
