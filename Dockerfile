# The service as an image: one binary, and SQLite in a volume unless told otherwise.
#
#   docker build -t kauri .
#   docker run --rm -v kauri:/var/lib/kauri kauri keys create --portal NAME
#   docker run -p 8080:8080 -v kauri:/var/lib/kauri kauri
#
# The key comes first: without one, the service refuses to listen beyond loopback, and
# a container's own loopback is reached by nobody. KAURI_OPEN=true lets it listen without
# a key, for whoever can reach the published port.
# For PostgreSQL, set DATABASE_URL. The port is changed by KAURI_LISTEN rather than by
# --listen, since the health check goes by it. Requests in flight get
# KAURI_SHUTDOWN_TIMEOUT to finish; give `docker stop --time` as long.

FROM rust:1.95-slim-bookworm AS build
WORKDIR /build
COPY . .
# The slim image has the C compiler that SQLite, ring and mimalloc are built with. The
# caches keep the dependencies built from one image to the next; what lies in a cache
# is no part of the image, so the binary is copied out of it. Cargo goes by the files'
# times, which say nothing across checkouts: touched sources are built for certain.
RUN --mount=type=cache,target=/usr/local/cargo/registry,sharing=locked \
    --mount=type=cache,target=/build/target,sharing=locked \
    find build.rs src crates -type f -exec touch {} + \
    && cargo build --release --locked --package kauri \
    && install target/release/kauri /usr/local/bin/kauri

FROM debian:bookworm-slim
# Debian keeps one version of a package; a pinned one would be gone after the next fix.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install -y --no-install-recommends ca-certificates \
    && rm -rf /var/lib/apt/lists/* \
    && groupadd --gid 10001 kauri \
    && useradd --uid 10001 --gid kauri --no-create-home --home-dir /var/lib/kauri \
        --shell /usr/sbin/nologin kauri \
    && install --directory --owner=kauri --group=kauri --mode=0750 /var/lib/kauri
COPY --from=build /usr/local/bin/kauri /usr/local/bin/kauri

ENV KAURI_LISTEN=0.0.0.0:8080 \
    DATABASE_URL=sqlite:///var/lib/kauri/kauri.db
# A number, so that an orchestrator can see that it is not root.
USER 10001:10001
WORKDIR /var/lib/kauri
VOLUME /var/lib/kauri
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s --retries=3 \
    CMD ["kauri", "healthcheck"]
ENTRYPOINT ["kauri"]
CMD ["serve"]
