// node dist/healthcheck.js: ends with 0 when the service of this container is ready, for Docker's HEALTHCHECK. It
// reads the one variable itself: to load all settings every ten seconds would take longer than the request.
const port = process.env.SVC_PORT ?? '3000';
const isReady = await fetch(`http://127.0.0.1:${port}/health/ready`).then(
  ({ ok }) => ok,
  () => false,
);
process.exit(isReady ? 0 : 1);
