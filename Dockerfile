# The base of both stages, for all processors: Node 24.20.0 of 2026-08-27, as docker-library lists it. The hosted workflow
# prints the digest of the newest; raise this one to it.
ARG NODE=node:24-trixie-slim@sha256:50c3b2f6988dfc307b86e5301d69611af31f4789bdf232863b07d3b02fe55ae0

FROM ${NODE} AS build
# A list of packages is made of this stage too: the bundle hides them from a look at the last one.
ARG BUILDKIT_SBOM_SCAN_STAGE=true
# What the service says of itself: docker build --build-arg COMMIT=$(git rev-parse HEAD)
ARG COMMIT
WORKDIR /sources
COPY . .
RUN --mount=type=cache,target=/root/.npm LATCHKEY_COMMIT=$COMMIT .ci/image/assemble /app

FROM ${NODE}
RUN --mount=type=bind,from=build,source=/sources/.ci/image,target=/steps /steps/remove-npm /usr/local
WORKDIR /app
COPY --from=build /app .
ENV NODE_ENV=production SVC_HOST=0.0.0.0 NODE_COMPILE_CACHE=/app/.cache
USER node
EXPOSE 3000
# Docker itself restarts nothing by it; what waits for the container wants to know that it serves.
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s CMD ["node", "dist/ready.js"]
# Node itself, not npm and not a shell: signals must reach it. Under load this Node would let young objects grow to 128 MB,
# and the service to 280 in place of 177; the flag costs an eighth of the processor time of a session check.
CMD ["node", "--max-semi-space-size=8", "dist/main.js"]
