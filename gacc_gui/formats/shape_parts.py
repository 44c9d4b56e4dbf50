"""The types that the shapes of several records share."""

from __future__ import annotations

from typing import Annotated, Final, NotRequired

from pydantic import ConfigDict, Field, JsonValue, with_config
from typing_extensions import TypedDict  # pydantic needs this one before Python 3.12

MAX_INTEGER: Final = 2**63 - 1
"""The largest integer a record may hold: what SQLite stores."""

OPEN: Final = ConfigDict(extra="allow", strict=True)

Id = Annotated[str, Field(min_length=1, description="Scoped by its run.")]
Count = Annotated[int, Field(ge=0, le=MAX_INTEGER)]
Integer = Annotated[int, Field(ge=-MAX_INTEGER, le=MAX_INTEGER)]
Ratio = Annotated[
    str | int | float,
    Field(description="A decimal from 0 to 1; written as a canonical string such as “0.1”."),
]
Words = Annotated[JsonValue, Field(description="Ordinarily text; any other value is kept as it is.")]


@with_config(OPEN)
class IdentitySchema(TypedDict):
    """A named thing with its revision."""

    name: NotRequired[str | None]
    revision: NotRequired[str | None]


@with_config(OPEN)
class TokenizerSchema(IdentitySchema):
    """The tokenizer as declared; `identity_verified` is the file's claim."""

    identity_verified: NotRequired[bool | None]
