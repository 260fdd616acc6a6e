"""The service does what it says of itself: schemathesis makes up requests from its OpenAPI, good ones and bad ones."""

from __future__ import annotations

import pytest
import schemathesis
from hypothesis import HealthCheck, given, seed, settings
from schemathesis import checks
from schemathesis.generation import GenerationMode

from eigenthemes.service.app import create_app
from eigenthemes.service.served import ServedKBs
from eigenthemes.service.settings import ServiceSettings

# Not the check that whatever fits the schema is taken: offsets that are outside of the text fit it, and are refused.
CHECKS = [
    checks.not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_headers_conformance,
    checks.response_schema_conformance,
]
EXAMPLES = 10  # of each kind and operation


@pytest.fixture(scope="module")
def api(served: ServedKBs, tmp_path_factory: pytest.TempPathFactory) -> schemathesis.BaseSchema:
    file = tmp_path_factory.mktemp("corrections") / "corrections.jsonl"
    app = create_app(served, ServiceSettings(corrections=file, allowed_hosts=("testserver",)))
    return schemathesis.openapi.from_asgi("/openapi.json", app)


def operations() -> list[tuple[str, str]]:
    """What can be asked, by path and method; reconciliation has a protocol of its own, and tests of its own."""
    described = create_app(ServedKBs(["any.kb"]), ServiceSettings()).openapi()["paths"]
    return [(path, method) for path, methods in described.items() if "/reconcile" not in path for method in methods]


@pytest.mark.parametrize("mode", list(GenerationMode), ids=lambda mode: mode.value)
@pytest.mark.parametrize(("path", "method"), operations())
def test_answers_are_as_described(api: schemathesis.BaseSchema, path: str, method: str, mode: GenerationMode) -> None:
    operation = api[path][method]
    takes_anything = bool(operation.definition.raw.get("parameters") or operation.definition.raw.get("requestBody"))
    if mode is GenerationMode.NEGATIVE and not takes_anything:
        return  # nothing can be wrong with a request that says nothing

    @seed(0)
    @settings(max_examples=EXAMPLES, suppress_health_check=list(HealthCheck), database=None, deadline=None)
    @given(case=operation.as_strategy(generation_mode=mode))
    def check(case: schemathesis.Case) -> None:
        case.call_and_validate(checks=CHECKS)

    check()
