import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ['**/*.test.ts'],
    testTimeout: 30_000,
    // The embedder's environment must not reach a test: a developer's own credentials least of all.
    env: { VERDICT_BASE_URL: '', VERDICT_ENVIRONMENT: '', VERDICT_USERNAME: '', VERDICT_PASSWORD: '', NO_COLOR: '1' },
  },
});
