/** Secrets of the service; machines present the first two. */
export const SECRETS = {
  SVC_CRON_SECRET: 'the secret of the scheduler of 32 and more',
  SVC_METRICS_TOKEN: 'the token of the scraper of 32 and more',
  SVC_JWT_SECRET_KEY: 'the secret of the signatures of 32 and more',
  SVC_IDP_CLIENT_SECRET: 'the secret of the client',
  SVC_MAILAPI_API_KEY: 'SG.of_the_tests',
};

/** Another provider, which no request of the tests gets as far as asking, and what no person may read of it. */
export const OTHER_CLIENT_SECRET = 'the secret of the client at the other provider';
export const OTHER_PROVIDER = {
  SVC_IDP_OTHERS: JSON.stringify([
    { preset: 'github', client_id: 'latchkey', client_secret: OTHER_CLIENT_SECRET },
  ]),
};
