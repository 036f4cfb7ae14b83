import { join } from "node:path";
import { rolldown } from "rolldown";

const SDK_DIR = join(import.meta.dirname, "../../packages/sdk");

/** The SDK in one module, as a page or a program would carry it. */
export async function bundleSdk(platform: "browser" | "node", entry = "index.ts"): Promise<string> {
  const bundle = await rolldown({
    input: join(SDK_DIR, entry),
    platform,
    external: [/^node:/],
    logLevel: "silent",
  });
  const { output } = await bundle.generate({ format: "esm", minify: true });
  await bundle.close();
  const [{ code }] = output;
  return code;
}
