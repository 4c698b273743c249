# Golf. `make serve` runs the site on this computer, `make test` proves that it works here.
#
#   make serve [PORT=8000] [PYTHON=python3.12]
#   make cluster [PORT=8000] [PROCESSES=2]   nginx, web processes, PostgreSQL, Redis; for trials
#   make setup     .venv with everything below; the others see to it themselves
#   make test      every test that this computer has the programs for [ARGS='-k name']
#   make check     format, lint, types, import layers, migrations, translations, deploy checks
#   make bench     speed, as a table of what must be reached [ARGS='moves rooms --rounds 1']
#   make screenshots   every page in every light, into screenshots/
#   make format    put the format right
#   make lock      lock requirements/*.in again
#   make audit     ask a database on the net for known weaknesses of what is locked; not in CI
#   make translations   bring the catalogues up to date with the texts, and compile them

PORT ?= 8000
PROCESSES ?= 2
PYTHON ?=
ARGS ?=
python := .venv/bin/python
export PYTHON

# A site as it is run for the public, for the checks; the key is drawn anew each time.
production = env -u REDIS_URL DATABASE_URL=sqlite:///:memory: GOLF_HTTPS=1 GOLF_DEBUG=0 GOLF_PROCESSES=1 \
    GOLF_HOSTS=golf.example GOLF_TRUSTED_ORIGINS=https://golf.example \
    GOLF_SECRET_KEY="$$($(python) -c 'import secrets; print(secrets.token_urlsafe(60))')"

.PHONY: serve cluster setup base test check bench screenshots format lock audit translations
.SILENT:

serve: base
	exec $(python) manage.py serve --port $(PORT)

cluster: base
	exec $(python) manage.py cluster --port $(PORT) --processes $(PROCESSES)

setup:
	requirements/setup.sh dev

base:
	requirements/setup.sh base

test: setup
	exec $(python) -m pytest $(ARGS)

check: setup
	$(python) -m ruff format --check .
	$(python) -m ruff check .
	GOLF_SECRET_KEY=types $(python) -m mypy
	.venv/bin/lint-imports
	$(production) $(python) manage.py makemigrations --check --dry-run
	$(production) $(python) -W error manage.py check --deploy --fail-level WARNING
	$(production) $(python) manage.py translations --check
	$(python) -m pytest -q tests/golfsite/test_repository.py

bench: setup
	$(python) -m tests.bench $(ARGS)

screenshots: setup
	$(python) -m tests.screenshots

format: setup
	$(python) -m ruff format .
	$(python) -m ruff check --fix .

lock: setup
	for list in base dev; do \
	    $(python) -m uv --quiet pip compile --universal --python-version 3.11 --generate-hashes \
	        --no-emit-index-url --no-header --output-file requirements/$$list.txt \
	        requirements/$$list.in >/dev/null || exit 1; \
	done

audit: setup
	$(python) -m uv --quiet tool run pip-audit --strict --disable-pip --require-hashes \
	    --requirement requirements/base.txt

translations: setup
	$(python) manage.py translations --update
	$(python) manage.py translations --compile
