"""Commands and modules that are run beside a running site, with its variables and its database."""

import json
import subprocess
import sys
from abc import ABC, abstractmethod
from typing import Any

from tests.harness.processes import ROOT, StartError


class Commands(ABC):
    """What can be run in the environment `env` of a site, however many processes it has."""

    env: dict[str, str]

    def manage(
        self, *arguments: str, check: bool = True, timeout: float = 300
    ) -> subprocess.CompletedProcess[str]:
        """Run a management command on the same site and return what it printed.

        With `check` an exit status other than 0 raises `StartError` with the output.
        """
        done = self._run(["manage.py", *arguments], timeout=timeout)
        if check and done.returncode:
            raise StartError(
                f"manage.py {' '.join(arguments)} gave {done.returncode}:\n"
                f"{done.stdout}{done.stderr}\n{self.log()}"
            )
        return done

    def run_module(self, module: str, *arguments: object, timeout: float = 60) -> Any:
        """Run a module in the environment of the site, with its database; return its JSON.

        For what needs the ORM, which whoever drives a browser or a server does not use himself.
        Raises `StartError` with what it wrote to stderr when its exit status is other than 0.
        """
        done = self._run(["-m", module, *map(str, arguments)], timeout=timeout)
        if done.returncode:
            raise StartError(f"{module} failed:\n{done.stderr}")
        return json.loads(done.stdout)

    @abstractmethod
    def log(self) -> str:
        """Return everything that the processes have printed."""

    def _run(self, arguments: list[str], *, timeout: float) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, *arguments],
            cwd=ROOT,
            env=self.env | {"DJANGO_SETTINGS_MODULE": "golfsite.settings"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )
