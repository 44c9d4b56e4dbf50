"""Makes HotpotQA questions of our own words, as official JSON and as Hugging Face's Parquet."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

Row = dict[str, Any]


def hotpot_row(
    id: str,
    kind: str = "bridge",
    *,
    titles: Sequence[str] | None = None,
    characters: int = 6_000,
    facts: Sequence[Any] | None = None,
    answer: str = "the pump",
) -> Row:
    """A row of the official JSON: ten articles of two sentences, `characters` code points in all."""
    titles = [f"{id} {number}" for number in range(10)] if titles is None else titles
    sentences = [["A pump é.", " "] for _ in titles]
    if sentences:
        sentences[-1][1] += "x" * (characters - sum(len(text) for pair in sentences for text in pair))
    return {
        "_id": id,
        "question": f"What did {id} find?",
        "answer": answer,
        "type": kind,
        "level": "hard",
        "supporting_facts": [[titles[0], 0], [titles[1], 1]] if facts is None else list(facts),
        "context": [list(pair) for pair in zip(titles, sentences, strict=True)],
    }


def write_json(path: Path, rows: Any) -> Path:
    """Write a value as JSON."""
    path.write_text(json.dumps(rows, ensure_ascii=False), encoding="utf-8")
    return path


def write_parquet(path: Path, rows: Sequence[Row], structs: bool = False) -> Path:
    """Write official rows as the Hugging Face columns; with `structs`, as lists of structs."""
    import pyarrow
    import pyarrow.parquet

    texts = pyarrow.list_(pyarrow.string())
    pair = {"title": pyarrow.string(), "sent_id": pyarrow.int32()}
    article = {"title": pyarrow.string(), "sentences": texts}

    def columns(fields: dict[str, Any]) -> Any:
        if structs:
            return pyarrow.list_(pyarrow.struct(fields))
        return pyarrow.struct({name: pyarrow.list_(kind) for name, kind in fields.items()})

    def cell(pairs: Sequence[Sequence[Any]], names: Sequence[str]) -> Any:
        if structs:
            return [dict(zip(names, item, strict=True)) for item in pairs]
        return {name: [item[at] for item in pairs] for at, name in enumerate(names)}

    plain = ("id", "question", "answer", "type", "level")
    schema = pyarrow.schema(
        [
            *((name, pyarrow.string()) for name in plain),
            ("supporting_facts", columns(pair)),
            ("context", columns(article)),
        ]
    )
    table = [
        {
            **{name: row["_id" if name == "id" else name] for name in plain},
            "supporting_facts": cell(row["supporting_facts"], tuple(pair)),
            "context": cell(row["context"], tuple(article)),
        }
        for row in rows
    ]
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(table, schema), path, row_group_size=7)
    return path
