# One image for all services: `holdfast-service coordinator|executor|reconciler|gateway|cli`. See docs/containers.md.
#
#   docker build --tag holdfast .
#
# npm and apt are used with the settings of the base image; where yours differ, hand them over:
#   docker build --secret id=npmrc,src=$HOME/.npmrc --tag holdfast .

# Pin it by digest for builds that can be repeated: --build-arg BASE=node:20-bookworm-slim@sha256:…
ARG BASE=node:20-bookworm-slim

# What npm needs to know, and nothing else: the layers with packages stay as they are until one of these files changes.
FROM ${BASE} AS manifests
WORKDIR /src
COPY . .
RUN mkdir /manifests \
  && find . -name node_modules -prune -o \( -name package.json -o -name package-lock.json -o -name .npmrc \) -print \
  | xargs cp --parents --target-directory=/manifests

FROM ${BASE} AS build
WORKDIR /app
COPY --from=manifests /manifests ./
RUN --mount=type=secret,id=npmrc --mount=type=cache,target=/var/cache/npm \
  npm ci --userconfig=/run/secrets/npmrc --cache=/var/cache/npm --ignore-scripts --no-audit --no-fund
COPY . .
RUN node node_modules/typescript/bin/tsc --build \
  && node node_modules/vite/bin/vite.js build apps/console --logLevel warn \
  && mkdir /built \
  && find apps libs tools/dev examples -maxdepth 2 -name dist -prune -print | xargs cp --recursive --parents --target-directory=/built \
  && find /built \( -name '*.d.ts' -o -name '*.d.ts.map' -o -name '*.tsbuildinfo' -o -name '*.spec.js*' \) -delete

# What runs: the services, the command line and the example, without what builds and tests them. Databases and brokers
# that are started for development are optional packages.
FROM ${BASE} AS production
WORKDIR /app
COPY --from=manifests /manifests ./
RUN --mount=type=secret,id=npmrc --mount=type=cache,target=/var/cache/npm \
  npm ci --userconfig=/run/secrets/npmrc --cache=/var/cache/npm --ignore-scripts --no-audit --no-fund --omit=dev --omit=optional \
    --workspace=apps/coordinator --workspace=apps/executor --workspace=apps/reconciler --workspace=apps/gateway \
    --workspace=apps/cli --workspace=examples/documents \
  && rm -rf bench tools/matrix tools/model-server apps/console/package.json package-lock.json .npmrc node_modules/.package-lock.json

FROM ${BASE}
LABEL org.opencontainers.image.title="Holdfast" \
  org.opencontainers.image.description="Runs long agent workflows so that a worker can die at any moment and the run goes on" \
  org.opencontainers.image.licenses="Apache-2.0"
RUN apt-get update \
  && apt-get install --yes --no-install-recommends tini \
  && rm -rf /var/lib/apt/lists/* /var/cache/apt/* /var/log/apt /var/log/dpkg.log
WORKDIR /app
COPY --from=production /app ./
COPY --from=build /built ./
COPY apps/cli/bin apps/cli/bin
COPY examples/documents/plan.json examples/documents/
COPY container/holdfast-service /usr/local/bin/
COPY container/healthcheck.mjs LICENSE ./
# Where the example leaves its logs (a place for a tmpfs, as the root file system may be read-only) and its ledger.
RUN mkdir .holdfast && install --directory --owner=1000 --group=1000 /var/lib/holdfast
ENV NODE_ENV=production \
  HOLDFAST_HTTP_HOST=0.0.0.0 \
  HOLDFAST_HTTP_PORT=8080
EXPOSE 8080
# The user `node` of the base image, by number, so that it can be seen not to be root.
USER 1000:1000
# The init passes signals on and collects processes whose parents are gone.
ENTRYPOINT ["/usr/bin/tini", "--", "holdfast-service"]
# Asks whether the service can work. A service that is not ready must not be killed for it: see docs/containers.md.
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 CMD ["node", "/app/healthcheck.mjs"]
