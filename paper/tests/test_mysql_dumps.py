"""The rows of MySQL dumps: statements, strings with anything in them, what is cut or broken."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eigenthemes.errors import SourceError
from eigenthemes_paper import wikipedia
from eigenthemes_paper.wikipedia import read_dump_rows


def rows(text: str | bytes, columns: int, table: str = "t") -> list[tuple[bytes | None, ...]]:
    data = text.encode() if isinstance(text, str) else text
    return list(read_dump_rows(io.BytesIO(data), table, columns, origin="t.sql"))


def test_rows_of_several_statements_and_of_this_table_only() -> None:
    text = "INSERT INTO `t` VALUES (1,'a'),(2,'b');\nINSERT INTO `u` VALUES (3,'c');\nINSERT INTO `t` VALUES (4,'d');\n"
    assert rows(text, 2) == [(b"1", b"a"), (b"2", b"b"), (b"4", b"d")]


def test_null_numbers_and_columns_beyond() -> None:
    assert rows("INSERT INTO `t` VALUES (1,NULL,'NULL',-2.5e-05,'x');", 3) == [(b"1", None, b"NULL")]


def test_what_other_versions_write() -> None:
    assert rows("INSERT INTO t VALUES\n(1, _binary 'a\\'b'),\n( 2 ,'');\n", 2) == [(b"1", b"a'b"), (b"2", b"")]


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        (r"O\'Neill", b"O'Neill"),
        ("O''Neill", b"O'Neill"),
        ("''", b"'"),
        (r"a\\", b"a\\"),
        (r"\\\'", b"\\'"),
        (r"\"x\"", b'"x"'),
        (r"a\nb\rc\0d\Ze\tf", b"a\nb\rc\0d\x1ae\tf"),
        ("a),(2,'',b);", b"a),(2,',b);"),
        ("a\nINSERT INTO `t` VALUES (7);", b"a\nINSERT INTO `t` VALUES (7);"),
        ("Zürich 東京", "Zürich 東京".encode()),
    ],
)
def test_escapes(written: str, meant: bytes) -> None:
    assert rows(f"INSERT INTO `t` VALUES ('{written}',1);", 2) == [(meant, b"1")]


def as_mysql_writes(text: str, doubled: bool) -> str:
    if doubled:
        return text.replace("\\", "\\\\").replace("'", "''")
    escapes = {"\0": r"\0", "\n": r"\n", "\r": r"\r", "\x1a": r"\Z", "\\": r"\\", "'": r"\'", '"': r"\""}
    return "".join(escapes.get(letter, letter) for letter in text)


TEXTS = st.text(st.characters(exclude_categories=["Cs"])) | st.text("\\'\"(),;\n\0N")


@given(st.lists(st.lists(TEXTS, min_size=1, max_size=5), min_size=1), st.booleans(), st.integers(1, 50))
def test_any_strings_come_back_wherever_a_chunk_ends(statements: list[list[str]], doubled: bool, chunk: int) -> None:
    text = "".join(
        "INSERT INTO `t` VALUES " + ",".join(f"(7,'{as_mysql_writes(each, doubled)}',NULL)" for each in each_statement) + ";\n"
        for each_statement in statements
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(wikipedia, "_CHUNK", chunk)
        found = rows(text, 3)
    assert found == [(b"7", each.encode(), None) for statement in statements for each in statement]


def test_only_rows_whose_second_column_is_written_so() -> None:
    text = b"INSERT INTO `t` VALUES (1,0,'a'),(2,14,'b'),(3,0,'c'),(4,'0','d');"
    found = list(read_dump_rows(io.BytesIO(text), "t", 3, second=b"0", origin="t.sql"))
    assert found == [(b"1", b"0", b"a"), (b"3", b"0", b"c")]


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        ("", "no rows of the table t"),
        ("INSERT INTO `u` VALUES (1,'a');", "no rows of the table t"),
        ("INSERT INTO `t` VALUES (1,'a'),(2,'b", "ends within row 2"),
        ("INSERT INTO `t` VALUES (1,'a')", "ends within row 1"),
        ("INSERT INTO `t` VALUES (1,'a'),", "ends within row 2"),
        ("INSERT INTO `t` VALUES (1);", "row 1"),
        ("INSERT INTO `t` VALUES (1,'a'),(2,'b'c');" + "x" * (2 << 20), r"row 2 of t cannot be read .*at least 2 columns"),
    ],
)
def test_broken_dumps(text: str, phrase: str) -> None:
    with pytest.raises(SourceError, match=phrase) as refused:
        rows(text, 2)
    assert "t.sql" in str(refused.value)
    assert "\n" not in str(refused.value)
