# Kennel in a container. Build it in the copy of the repository: docker build -t kennel .

# The version of Python that the tests run on.
ARG PYTHON=3.11

FROM python:${PYTHON}-slim AS build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
RUN python -m venv /opt/kennel
WORKDIR /src
COPY . .
# The versions that the tests passed with. Everything comes as a wheel, so there is no compiler here either.
RUN /opt/kennel/bin/pip install --only-binary :all: --constraint .ci/constraints.txt \
        '.[postgres,anthropic,google,metrics]' \
    && /opt/kennel/bin/pip uninstall --yes pip setuptools

FROM python:${PYTHON}-slim
RUN groupadd --system --gid 10001 kennel \
    && useradd --system --uid 10001 --gid 10001 --home-dir /data --shell /usr/sbin/nologin kennel \
    && install -d -o kennel -g kennel -m 0700 /data
COPY --from=build /opt/kennel /opt/kennel
ENV PATH=/opt/kennel/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    KENNEL_OBSERVABILITY__LISTEN=127.0.0.1:9000
# With SQLite, kennel.db and kennel.key are kept here: always mount a volume.
WORKDIR /data
VOLUME /data
USER 10001:10001
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=2m --retries=3 \
    CMD ["python", "-m", "bot.observability.probe"]
ENTRYPOINT ["kennel"]
CMD ["run"]
