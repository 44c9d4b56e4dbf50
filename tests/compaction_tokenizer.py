"""A small real tokenizer for tests, trained on the spot: a `tokenizer.json` without a download."""

from __future__ import annotations

from functools import cache
from pathlib import Path

_WORDS = (
    "The film was directed by the American director who was born in the city of London in the year 1957.",
    'It is one of the first albums that the band released: "songs", singles, a tour of the States.',
    '[{"role":"system","content":"You are an assistant."},{"role":"user","content":"Which of the two?\\n"}]',
    "# Title\n[0] A sentence is a line.\n[1] And another, with a number in front.\n[2] Answer from evidence.",
)


def small_tokenizer(path: Path) -> Path:
    """Write a byte-level BPE tokenizer of some hundred tokens to `path`; returns it. One per process."""
    path.write_text(_trained(), encoding="utf-8")
    return path


@cache
def _trained() -> str:
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=600,
        special_tokens=["<|endoftext|>"],
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    tokenizer.train_from_iterator(_WORDS * 3, trainer)
    return str(tokenizer.to_str(pretty=True))
