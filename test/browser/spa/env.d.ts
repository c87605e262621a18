interface ImportMeta {
  /** What the bundler is told with --define:import.meta.env='{"API_URL":"https://…"}', and Vite by itself. */
  env?: { API_URL?: string };
}
