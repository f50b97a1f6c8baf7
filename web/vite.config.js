import { defineConfig } from 'vite'

// The files have fixed names and hold nothing of the machine that built them:
// the same sources and versions build the same bytes (make page-check).
export default defineConfig({
  build: {
    outDir: '../internal/front/web/page/dist',
    emptyOutDir: true,
    target: 'es2022',
    modulePreload: false,
    assetsInlineLimit: 0,
    cssCodeSplit: false,
    reportCompressedSize: true,
    rollupOptions: {
      input: { app: 'index.html', client: 'src/client.ts' },
      preserveEntrySignatures: 'allow-extension',
      output: {
        entryFileNames: '[name].js',
        chunkFileNames: '[name].js',
        assetFileNames: 'app[extname]',
      },
    },
  },
})
