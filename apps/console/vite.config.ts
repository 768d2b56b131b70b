import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const libs = new URL('../../libs/', import.meta.url).pathname;

/** Where the gateway listens while the page is developed: `npm run dev -w @holdfast/console`. */
const gateway = 'http://127.0.0.1:8080';

export default defineConfig({
  root: new URL('.', import.meta.url).pathname,
  plugins: [react()],
  resolve: {
    // Sources, not what was compiled: the page can be built on its own, and takes only what it uses.
    alias: [
      { find: /^@holdfast\/(api|contracts|events|explain|programs|words)$/, replacement: `${libs}$1/src/index.ts` },
    ],
  },
  build: {
    outDir: 'dist',
    target: 'es2023',
    sourcemap: false,
    // Nothing as data: addresses, which a strict policy forbids.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 900,
    rolldownOptions: {
      // Schemas are values without side effects; what no page uses of our own libraries stays out.
      treeshake: { moduleSideEffects: (id: string) => !id.startsWith(libs) },
    },
  },
  // The gateway takes changes only from pages of its own origin.
  server: { proxy: { '/v1': { target: gateway, changeOrigin: true, headers: { origin: gateway } } } },
});
