"""What counts as somebody's wish to stop."""

from __future__ import annotations

import pytest

from gacc_gui.core.errors import BadInput, Interrupted, is_interruption


def caught(cause: BaseException, hides: bool) -> BaseException:
    with pytest.raises(BadInput) as info:
        try:
            raise cause
        except BaseException as error:
            if hides:
                raise BadInput("cannot be loaded") from None
            raise BadInput("cannot be loaded") from error
    return info.value


@pytest.mark.parametrize("hides", [False, True])
def test_what_others_make_of_an_interruption_is_one(hides: bool) -> None:
    assert is_interruption(caught(KeyboardInterrupt(), hides))
    assert is_interruption(caught(Interrupted("the reading was stopped"), hides))
    assert not is_interruption(caught(EOFError("too short"), hides))


def test_a_ring_of_causes_ends() -> None:
    one, other = ValueError(), TypeError()
    one.__cause__, other.__cause__ = other, one
    assert not is_interruption(one)
