from __future__ import annotations

import pytest

from gacc_gui.core.errors import CodecUnavailable
from gacc_gui.core.tokens import Codec
from gacc_gui.formats.vocabulary import load_codec


@pytest.fixture(scope="session")
def cl100k() -> Codec:
    try:
        return load_codec("cl100k_base")
    except CodecUnavailable as missing:
        pytest.skip(str(missing))
