"""`.env`: what is read, what wins, what is refused without a word of a value."""

from __future__ import annotations

from pathlib import Path

import pytest

from gacc_gui.core.errors import BadInput, BadUsage
from gacc_gui.runner.environment import needed, read_environment


def read(folder: Path, text: str, **environment: str) -> dict[str, str]:
    (folder / ".env").write_text(text, encoding="utf-8")
    return dict(read_environment(folder, environment))


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("A=b", "b"),
        ("A = b  ", "b"),
        ("export A=b", "b"),
        ("A=b # said aside", "b"),
        ("A=b#c", "b#c"),
        ("A=two words # aside", "two words"),
        ("A=", ""),
        ("A=   # nothing", ""),
        ("A=#nothing", ""),
        ('A="b # c"', "b # c"),
        ('A="b" # c', "b"),
        (r'A="say \"x\"\n"', 'say "x"\n'),
        (r"A='$B \n'", r"$B \n"),
        ("A=$B", "$B"),
        ("A=http://x/v1?k=v", "http://x/v1?k=v"),
        ("A=sk-a=b==\r", "sk-a=b=="),
    ],
)
def test_a_line(tmp_path: Path, line: str, value: str) -> None:
    assert read(tmp_path, f"# first\n\n{line}\n") == {"A": value}


@pytest.mark.parametrize(
    "line", ["secret", "A='secret", 'A="secret', "A-B=secret", "A='x' secret", "1A=secret"]
)
def test_a_line_that_is_none(tmp_path: Path, line: str) -> None:
    with pytest.raises(BadInput, match=r"\.env: line 2: it is no NAME=value") as caught:
        read(tmp_path, f"B=1\n{line}\n")
    assert "secret" not in str(caught.value)


def test_the_environment_wins_where_it_says_something(tmp_path: Path) -> None:
    assert read(tmp_path, "A=file\nB=file\n", A="own", B="", C="own") == {"A": "own", "B": "file", "C": "own"}


def test_a_byte_order_mark(tmp_path: Path) -> None:
    assert read(tmp_path, "\ufeffA=b") == {"A": "b"}


def test_without_a_file(tmp_path: Path) -> None:
    assert read_environment(tmp_path, {"A": "1"}) == {"A": "1"}
    assert read_environment(tmp_path / "nowhere", {}) == {}


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / ".env").write_bytes(b"A=\xff\n")
    with pytest.raises(BadInput, match="not UTF-8"):
        read_environment(tmp_path, {})
    (tmp_path / "folder" / ".env").mkdir(parents=True)
    with pytest.raises(BadInput, match="is a directory"):
        read_environment(tmp_path / "folder", {})


def test_what_is_needed() -> None:
    assert needed({"A": " x "}, "A", "for nothing") == "x"
    with pytest.raises(BadUsage, match=r"A is not set, in the environment or in \.env: the key of the model"):
        needed({"A": " "}, "A", "the key of the model")
