import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, gzip } from "node:zlib";
import { build } from "vite";

/** `node vite-build.ts FOLDER`: builds the pages into the folder, with compressed copies of all compressible files. */
const [, , folder = ""] = process.argv;

await build({
  root: join(import.meta.dirname, ".."),
  configFile: false,
  logLevel: "error",
  // The server writes <base>, to which all addresses are relative.
  base: "./",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  resolve: { conditions: ["browser", "module", "import", "default"] },
  build: {
    outDir: folder,
    assetsDir: "app/assets",
    emptyOutDir: true,
    target: "es2022",
    // Inlining small files into scripts and styles would need `data:` in the content security policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        // Code that nearly every page needs is one file: a request per component would cost more than it saves.
        codeSplitting: {
          groups: [
            {
              name: "common",
              test: /\/dashboard\/(parts|data|account|shell)\/|\/sdk\/|\/preact\/|\/@preact\//,
            },
          ],
        },
      },
    },
  },
});

for (const name of await readdir(folder, { recursive: true })) {
  if (!/\.(js|css|svg)$/.test(name)) continue;
  const content = await readFile(join(folder, name));
  await writeFile(join(folder, `${name}.br`), await promisify(brotliCompress)(content));
  await writeFile(join(folder, `${name}.gz`), await promisify(gzip)(content, { level: 9 }));
}
