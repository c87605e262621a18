FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN --mount=type=cache,target=/root/.npm npm ci
COPY nest-cli.json tsconfig.json tsconfig.build.json ./
COPY migrations ./migrations
COPY src ./src
COPY .ci/bundle.js ./.ci/
RUN npm run build

FROM node:24-bookworm-slim
ENV NODE_ENV=production SVC_HOST=0.0.0.0
WORKDIR /app
COPY package.json package-lock.json ./
# The embedded PostgreSQL and the pretty log are for development; a container brings neither.
RUN --mount=type=cache,target=/root/.npm npm run install:production
COPY --from=build /app/dist ./dist
# What V8 compiles at a start is kept in the image: a start without settings loads all of it, and refuses to go on.
ENV NODE_COMPILE_CACHE=/app/.cache
RUN node dist/main.js || true
USER node
EXPOSE 3000
# Docker itself restarts nothing by it; what waits for the container wants to know that it serves.
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s CMD ["node", "dist/ready.js"]
# Node itself, not npm and not a shell: signals must reach it.
CMD ["node", "--max-semi-space-size=8", "dist/main.js"]
