"""`--require-all`: a run in which a skipped test, or one expected to fail, is a failure.

The environment variable GOLF_REQUIRE_ALL=1 says the same.
"""

import os
from collections.abc import Generator
from typing import TypeVar

import pytest

_Report = TypeVar("_Report", pytest.TestReport, pytest.CollectReport)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--require-all",
        action="store_true",
        default=os.environ.get("GOLF_REQUIRE_ALL", "") not in {"", "0"},
        help="a skipped test, or one expected to fail, is a failure (GOLF_REQUIRE_ALL=1)",
    )


def _refuse(report: _Report) -> _Report:
    """Turn a report of a skip, or of an expected failure, into one of a failure."""
    if report.outcome == "skipped":
        reason = getattr(report, "wasxfail", None)
        if reason is None:
            skip = report.longrepr
            reason = skip[2] if isinstance(skip, tuple) else str(skip)
        report.__dict__.pop("wasxfail", None)
        report.outcome = "failed"
        report.longrepr = f"nothing may be skipped in this run: {reason}"
    return report


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    return _refuse(report) if item.config.getoption("--require-all") else report


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    report = yield
    return _refuse(report) if collector.config.getoption("--require-all") else report
