"""TOML to a configuration and back, and a sentence at the key for everything that is wrong."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from gacc_gui.core.errors import BadInput
from gacc_gui.resources import resource
from gacc_gui.runner.config import ConfigError, load_config, parse_config, to_toml
from gacc_gui.runner.config_model import (
    EndpointConfig,
    EvaluationConfig,
    LimitsConfig,
    PartConfig,
    PriceConfig,
    RunConfig,
)

SMALL = """
[dataset]
path = "d.json"

[[compressors]]
part = "lead"

[reader]
part = "rule"

[judge]
part = "exact"
"""
ENDPOINT = """
[endpoints.main]
base_url = "http://127.0.0.1:8000/v1"
model = "m"
"""


def problems(text: str) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        parse_config(text)
    return [str(problem) for problem in caught.value.problems]


def test_the_least_that_is_needed() -> None:
    config = parse_config(SMALL)
    assert config.dataset.path == "d.json"
    assert [part.part for part in config.compressors] == ["lead"]
    assert config.evaluation.ratios == ("0.1", "0.25", "0.5")
    assert config.evaluation.conditions == ("own-goal",)
    assert not config.is_live
    assert config.concurrency == 4


def test_ratios_are_exact_decimals_however_they_are_written() -> None:
    text = SMALL + "[evaluation]\nratios = [0.10, '0.29', 1, 0, '1e-2']\n"
    assert parse_config(text).evaluation.ratios == ("0.1", "0.29", "1", "0", "0.01")


def test_an_endpoint_makes_a_run_live() -> None:
    config = parse_config(SMALL.replace('"rule"', '"llm"\nendpoint = "main"') + ENDPOINT)
    assert config.is_live
    assert config.endpoints["main"].base_urls == ("http://127.0.0.1:8000/v1",)
    assert config.endpoints["main"].name == "main"
    assert config.reader.endpoint == "main"


def test_paths_are_relative_to_the_file(tmp_path: Path) -> None:
    file = tmp_path / "run.toml"
    file.write_bytes(b"\xef\xbb\xbf" + SMALL.replace("\n", "\r\n").encode())
    config = load_config(file)
    assert config.path(config.dataset.path) == tmp_path / "d.json"
    assert config == parse_config(SMALL)  # wherever it lies


@pytest.mark.parametrize("name", [path.name for path in sorted(resource("examples").glob("*.toml"))])
def test_every_example_is_sound_and_round_trips(name: str) -> None:
    config = load_config(resource("examples") / name)
    assert parse_config(to_toml(config)) == config
    assert config.is_live is (name != "rules.toml")


def test_there_is_an_example_for_each_kind_of_service() -> None:
    names = {path.stem for path in resource("examples").glob("*.toml")}
    assert names >= {"rules", "deepseek", "dashscope-qwen", "openai", "vllm", "llama-cpp"}


def test_round_trip_of_everything() -> None:
    config = EvaluationConfig(
        dataset=replace(
            parse_config(SMALL).dataset,
            path="a/b.parquet",
            columns={"context": "doc", "goal": "g", "question": 'q "x"'},
            contexts=3,
        ),
        compressors=(
            PartConfig("bm25", options={"k1": 1.2, "b": 0.5}),
            PartConfig("my.module:part", name="mine", revision="2", options={"deep": {"list": [1, "ü"]}}),
            PartConfig("llm-summary", endpoint="two words", temperature=0.7, max_tokens=9, seed=-1),
        ),
        reader=PartConfig("llm", endpoint="main", prompt="p.toml"),
        judge=PartConfig("llm", endpoint="main", options={"structured_output": "none"}),
        run=RunConfig("r", 'a name with "quotes" and 漢字', "2026-11-29T00:00:00Z", 5, True),
        evaluation=replace(
            parse_config(SMALL).evaluation,
            ratios=("0", "0.123456789012345678901", "1"),
            conditions=("no-goal", "full-context"),
            generations=2,
            repeats=3,
            tokenizer="codepoint",
        ),
        endpoints={
            "main": EndpointConfig(
                "main",
                ("https://h/v1", "https://g/v1"),
                "m",
                api_key_env="MY_KEY",
                service="s",
                concurrency=9,
                requests_per_minute=10,
                tokens_per_minute=11,
                timeout_seconds=1.5,
                max_retries=0,
                max_tokens_field="max_completion_tokens",
                omit_temperature=True,
                extra_body={"a": {"b": [True, 1.0]}},
                price=PriceConfig(1.0, 2.5, 0.1, "EUR"),
            ),
            "two words": EndpointConfig(
                "two words", ("http://h",), "n", price=PriceConfig(1, 2, None, "EUR")
            ),
        },
        limits=LimitsConfig(1, 2, 3.5, 4),
    )
    assert parse_config(to_toml(config)) == config


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (SMALL + ENDPOINT + "concurrency = 0", "endpoints.main.concurrency: must be at least 1"),
        (SMALL + ENDPOINT + "modle = 1", "endpoints.main.modle: is no key here; did you mean model?"),
        (SMALL + ENDPOINT + "timeout_seconds = 0", "endpoints.main.timeout_seconds: must be more than 0"),
        (
            SMALL + ENDPOINT + "timeout_seconds = nan",
            "endpoints.main.timeout_seconds: must be a finite number",
        ),
        (
            SMALL + ENDPOINT + "max_retries = true",
            "endpoints.main.max_retries: must be a whole number, not true",
        ),
        (
            SMALL + ENDPOINT + 'max_tokens_field = "n"',
            'endpoints.main.max_tokens_field: must be one of max_tokens or max_completion_tokens, not "n"',
        ),
        (SMALL + '[endpoints.main]\nmodel = "m"', "endpoints.main.base_url: is missing"),
        (
            SMALL + '[endpoints.main]\nmodel = "m"\nbase_urls = []',
            "endpoints.main.base_urls: must not be empty",
        ),
        (
            SMALL + '[endpoints.main]\nmodel = "m"\nbase_url = "localhost:8000"',
            "endpoints.main.base_url: must be an address such as https://host/v1",
        ),
        (
            SMALL + "[evaluation]\nratios = [1.5]",
            "evaluation.ratios[0]: a ratio lies between 0 and 1, not 1.5",
        ),
        (SMALL + "[evaluation]\nratios = [-0.5]", "evaluation.ratios[0]: a ratio must not be negative: -0.5"),
        (SMALL + "[evaluation]\nratios = []", "evaluation.ratios: must not be empty"),
        (SMALL + '[evaluation]\nratios = [0.5, "0.50"]', "evaluation.ratios: 0.5 stands there twice"),
        (
            SMALL + '[evaluation]\ntokenizer = "gpt2"',
            "evaluation.tokenizer: there is no 'gpt2'; there are cl100k_base, codepoint",
        ),
        (SMALL + "[evaluation]\nrepeats = 0", "evaluation.repeats: must be at least 1"),
        (SMALL + '[run]\nid = ""', "run.id: must be one line of text that is not empty"),
        (SMALL.replace('"lead"', '"leed"'), "compressors[0].part: there is no compressor 'leed'"),
        (
            SMALL.replace('"lead"', '"a b:c"'),
            "compressors[0].part: a plugin is written package.module:callable",
        ),
        (
            SMALL.replace('"rule"', '"llm"'),
            "reader.endpoint: llm asks a model, so it needs one of [endpoints]",
        ),
        (
            SMALL.replace('"rule"', '"llm"\nendpoint = "mian"') + ENDPOINT,
            "reader.endpoint: there is no endpoint 'mian' (there are: main)",
        ),
        (
            SMALL + '[[compressors]]\npart = "tail"\nname = "lead"',
            "compressors[1].name: 'lead' is compressors[0] already; give one of them another name",
        ),
        (
            SMALL.replace('"lead"', '"bm25"\noptions = {k2 = 1}'),
            "compressors[0].options.k2: is no option of bm25",
        ),
        (
            SMALL.replace('"lead"', '"bm25"\noptions = {b = 2}'),
            "compressors[0].options.b: must be a number from 0 to 1, not 2",
        ),
        (SMALL.replace("[judge]", "[jugde]"), "jugde: is no key here; did you mean judge?"),
        (SMALL.replace('[dataset]\npath = "d.json"', "dataset = 3"), "dataset: must be a table, not 3"),
        ("[run]\n" + 'name = "x"', "dataset: is missing"),
        (
            SMALL.replace('[[compressors]]\npart = "lead"', ""),
            "compressors: at least one compressor is needed",
        ),
        (SMALL.replace("path", "contexts = -1\npath"), "dataset.contexts: must be at least 1"),
        (SMALL + "[limits]\nmoney = -1", "limits.money: must be at least 0"),
        (
            SMALL.replace('"rule"', '"llm"\nendpoint = "main"') + ENDPOINT + "[limits]\nmoney = 1.0",
            "limits.money: the price of endpoint 'main' is unknown, so its cost cannot be limited",
        ),
        (SMALL + "[evaluation]\ngenerations = 1000000", "evaluation.generations: must be at most 1,000"),
        (SMALL + "[evaluation]\nrepeats = 1001", "evaluation.repeats: must be at most 1,000"),
        (
            SMALL.replace('"rule"', '"llm"\nendpoint = "main"\nmax_tokens = 99999999999') + ENDPOINT,
            "reader.max_tokens: must be at most 10,000,000",
        ),
        (
            SMALL + '[endpoints.main]\nmodel = "m"\nbase_url = "http://a b/v1"',
            "endpoints.main.base_url: must be an address without spaces",
        ),
        (
            SMALL + '[endpoints.main]\nmodel = "m"\nbase_url = "http://a/v1#x"',
            "endpoints.main.base_url: must not hold a fragment",
        ),
        (
            SMALL + '[endpoints.main]\nmodel = "m"\nbase_urls = ["http://a/v1", "http://A/v1/"]',
            "endpoints.main.base_urls: http://A/v1/ stands there twice",
        ),
        *(
            (
                SMALL + ENDPOINT + f"extra_body = {{ {name} = 1 }}",
                f"endpoints.main.extra_body.{name}: must not stand there; ",
            )
            for name in ("messages", "stream", "n", "model", "max_tokens", "temperature", "response_format")
        ),
        ("a = \n", "line 1, column 5: invalid value"),
        ("a = ", "at the end of the file: invalid value"),
        (SMALL + "[run]\n[run]", "line 14"),
    ],
)
def test_what_is_wrong_is_told_at_its_key(text: str, said: str) -> None:
    assert any(problem.startswith(said) for problem in problems(text)), problems(text)


def test_every_problem_is_told_at_once_with_its_line() -> None:
    text = SMALL.replace('part = "lead"', "prat = 1") + ENDPOINT + "concurrency = 0\nextra_body = 3\n"
    with pytest.raises(ConfigError) as caught:
        parse_config(text)
    lines = text.split("\n")
    found = {problem.key: lines[(problem.line or 0) - 1] for problem in caught.value.problems}
    assert found == {
        "compressors[0].part": "[[compressors]]",
        "compressors[0].prat": "prat = 1",
        "endpoints.main.concurrency": "concurrency = 0",
        "endpoints.main.extra_body": "extra_body = 3",
    }


def test_lines_are_found_behind_texts_of_several_lines() -> None:
    text = 'run.name = """\n[reader]\nx = 1\n"""\nrun.seed = 0.5\n' + SMALL
    with pytest.raises(ConfigError) as caught:
        parse_config(text)
    # A name is one line, too.
    assert [(problem.key, problem.line) for problem in caught.value.problems] == [
        ("run.name", 1),
        ("run.seed", 5),
    ]


def test_full_context_alone_needs_no_compressor() -> None:
    text = SMALL.replace('[[compressors]]\npart = "lead"', "[evaluation]\nconditions = ['full-context']")
    assert parse_config(text).compressors == ()


SECRET = "sk-TESTSECRET123456789"


@pytest.mark.parametrize(
    "line",
    [
        f'api_key = "{SECRET}"',
        f'api_key_env = "{SECRET}"',
        'api_key_env = "0123456789abcdef0123456789abcdef"',
        f'extra_body = {{ api_key = "{SECRET}" }}',
        f'extra_body = {{ headers = {{ x = "Bearer {SECRET}" }} }}',
        f'base_url = "https://h/v1?api_key={SECRET}"',
        *(
            f'base_url = "https://h/v1?{name}={SECRET.removeprefix("sk-")}"'
            for name in ("token", "key", "apikey", "subscription-key", "sig", "code", "x", "v=1;key")
        ),
        f'base_url = "https://h/v1?api-version={SECRET}"',
        f'base_url = "https://h/v1?{SECRET.removeprefix("sk-")}"',
        f'base_urls = ["https://g/v1", "https://h/v1?x%6Bey={SECRET.removeprefix("sk-")}"]',
        f'base_url = "https://user:{SECRET}@h/v1"',
        f"concurrency = '{SECRET}'",
    ],
)
def test_a_key_in_the_file_is_refused_and_not_repeated(line: str) -> None:
    text = SMALL + ENDPOINT.replace('base_url = "http://127.0.0.1:8000/v1"\n', "") + line
    with pytest.raises(ConfigError) as caught:
        parse_config(text)
    assert SECRET.removeprefix("sk-") not in str(caught.value)
    assert "0123456789abcdef" not in str(caught.value)


def test_an_address_may_name_its_version() -> None:
    text = SMALL + ENDPOINT.replace("/v1", "/v1?api-version=2024-10-21&deployment=gpt_4")
    assert (
        parse_config(text).endpoints["main"].base_urls[0].endswith("?api-version=2024-10-21&deployment=gpt_4")
    )


def test_files_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no such file"):
        load_config(tmp_path / "none.toml")
    (tmp_path / "a.toml").write_bytes(b"a = '\xff'")
    with pytest.raises(BadInput, match="not UTF-8"):
        load_config(tmp_path / "a.toml")
    (tmp_path / "b.toml").write_text("x = " + "[" * 100_000)
    with pytest.raises(BadInput):
        load_config(tmp_path / "b.toml")
    (tmp_path / "c.toml").write_text("[run]\n")
    with pytest.raises(ConfigError, match=r"c\.toml: dataset: is missing; .*judge: is missing"):
        load_config(tmp_path / "c.toml")
