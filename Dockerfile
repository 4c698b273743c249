# One image for every part: web, director, migrations. docker-compose.yml says which runs what.
FROM python:3.13-slim AS packages
COPY requirements/base.txt /requirements.txt
RUN python -m venv /venv \
    && /venv/bin/pip install --no-cache-dir --disable-pip-version-check --require-hashes \
        --requirement /requirements.txt

FROM python:3.13-slim
ENV PATH=/venv/bin:$PATH PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1
RUN useradd --system --uid 10001 --home-dir /golf golf \
    && install --directory --owner golf --group golf /golf/data
COPY --from=packages /venv /venv
WORKDIR /golf
COPY manage.py ./
COPY golfsite golfsite
COPY games games
COPY tournaments tournaments
COPY templates templates
COPY static static
COPY locale locale
RUN python -m compileall -q games golfsite tournaments \
    && GOLF_SECRET_KEY=build python manage.py collectstatic --no-input --verbosity 0 \
    && chown -R golf:golf staticfiles
USER golf
EXPOSE 8000
CMD ["daphne", "--bind", "0.0.0.0", "--port", "8000", "--no-server-name", "golfsite.asgi:application"]
