"""Makes a `gacc-dataset` of HotpotQA's distractor questions, which stay where they are: ../shared/data.

Each question's ten articles are a context. Two goals want to know how half of the articles open; a third has
the HotpotQA question itself, with its supporting facts as evidence, behind a goal that does not give it away.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

Json = dict[str, Any]
LICENSE = "CC BY-SA 4.0"


def write_hotpot_dataset(source: Path, target: Path, contexts: int = 4) -> Path:
    """Write the first `contexts` questions of an official JSON file as a dataset in JSON Lines."""
    lines = [{"record": "dataset", "format": "gacc-dataset", "format_version": 1}]
    lines += hotpot_records(json.loads(source.read_text(encoding="utf-8"))[:contexts])
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    target.write_text(text, encoding="utf-8")
    return target


def hotpot_records(items: list[Json]) -> Iterator[Json]:
    """Yield the records of a dataset, each with its kind."""
    for item in items:
        text, places = _text(item["context"])
        id = item["_id"]
        yield {
            "record": "context",
            "id": id,
            "text": text,
            "title": item["context"][0][0],
            "origin": "hotpotqa",
            "license": LICENSE,
        }
        titles = [title for title, sentences in item["context"] if sentences and sentences[0].strip()]
        half = (len(titles) + 1) // 2
        for number, some in enumerate((titles[:half], titles[half:])):
            goal = {"record": "goal", "id": f"{id}-g{number}", "context_id": id}
            yield {**goal, "text": f"Keep how each of these articles opens: {'; '.join(some)}"}
            for position, title in enumerate(some):
                start, end = places[title, 0]
                yield {
                    "record": "question",
                    "id": f"{id}-g{number}-q{position}",
                    "goal_id": f"{id}-g{number}",
                    "text": f"How does the article “{title}” open?",
                    "references": [text[start:end]],
                    "evidence": [{"start": start, "end": end}],
                }
        yield from _own_question(item, places)


def _own_question(item: Json, places: dict[tuple[str, int], tuple[int, int]]) -> Iterator[Json]:
    named = list(dict.fromkeys(title for title, _ in item["supporting_facts"]))
    spans = [places[title, n] for title, n in item["supporting_facts"] if (title, n) in places]
    id = f"{item['_id']}-g2"
    yield {
        "record": "goal",
        "id": id,
        "context_id": item["_id"],
        "text": f"Keep what tells {' and '.join(named)} apart",
    }
    yield {
        "record": "question",
        "id": f"{id}-q0",
        "goal_id": id,
        "text": item["question"],
        "references": [item["answer"]],
        "evidence": [{"start": start, "end": end} for start, end in spans],
    }


def _text(articles: list[Any]) -> tuple[str, dict[tuple[str, int], tuple[int, int]]]:
    """Return the articles as one text, and where each sentence is, by title and number."""
    text = ""
    places: dict[tuple[str, int], tuple[int, int]] = {}
    for title, sentences in articles:
        text += f"{chr(10) * 2 if text else ''}## {title}\n"
        for number, sentence in enumerate(sentences):
            if not (stripped := sentence.strip()):
                continue
            if number:
                text += " "
            places.setdefault((title, number), (len(text), len(text) + len(stripped)))
            text += stripped
    return text, places
