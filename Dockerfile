# wardround for pipelines that run a container. PYTHON is a base image by digest, which docs/ci.md shows how to find;
# EXTRAS names the sets of tools: files of .github/requirements without ".txt".
ARG PYTHON
# wardround: ignore[docker-ci/DC022] the base has to be named, by digest
FROM ${PYTHON} AS build
ARG EXTRAS=docker-ci
COPY . /source
RUN python3 -I /source/.ci/install.py --extras="$EXTRAS" /opt/wardround

# wardround: ignore[docker-ci/DC022] the base has to be named, by digest
FROM ${PYTHON}
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends bubblewrap git \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --create-home --uid 10001 wardround
COPY --from=build /opt/wardround /opt/wardround
ENV PATH=/opt/wardround/bin:$PATH
USER 10001
WORKDIR /repository
ENTRYPOINT ["wardround"]
CMD ["--help"]
