# The base of both stages. The hosted workflow prints the digest that it built with; pin it with
#   docker build --build-arg NODE=node:24-trixie-slim@sha256:…
ARG NODE=node:24-trixie-slim

FROM ${NODE} AS build
WORKDIR /sources
COPY . .
RUN --mount=type=cache,target=/root/.npm .ci/image/assemble /app

FROM ${NODE}
RUN --mount=type=bind,from=build,source=/sources/.ci/image,target=/steps /steps/remove-npm /usr/local
WORKDIR /app
COPY --from=build /app .
ENV NODE_ENV=production SVC_HOST=0.0.0.0 NODE_COMPILE_CACHE=/app/.cache
USER node
EXPOSE 3000
# Docker itself restarts nothing by it; what waits for the container wants to know that it serves.
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s CMD ["node", "dist/ready.js"]
# Node itself, not npm and not a shell: signals must reach it.
CMD ["node", "--max-semi-space-size=8", "dist/main.js"]
