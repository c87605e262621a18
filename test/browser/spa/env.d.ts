interface ImportMeta {
  /** The bundler defines it with --define:import.meta.env='{"API_URL":"https://…"}', Vite by itself. */
  env?: { API_URL?: string };
}
