import { join } from "node:path";
import { type RolldownOptions, rolldown } from "rolldown";

const SDK = join(import.meta.dirname, "../../packages/sdk/index.ts");

async function bundle(options: RolldownOptions): Promise<string> {
  const built = await rolldown({ external: [/^node:/], logLevel: "silent", ...options });
  const { output } = await built.generate({ format: "esm", minify: true });
  await built.close();
  return output[0].code;
}

/** The SDK as one module, as a page or program would bundle it. */
export const bundleSdk = (platform: "browser" | "node"): Promise<string> => bundle({ input: SDK, platform });

/** A page's module bundled with the SDK. */
export const bundleForBrowsers = (code: string): Promise<string> =>
  bundle({
    input: "page",
    platform: "browser",
    resolve: { alias: { "@stemwright/sdk": SDK } },
    plugins: [
      {
        name: "page",
        resolveId: (id) => (id === "page" ? "\0page" : null),
        load: (id) => (id === "\0page" ? code : null),
      },
    ],
  });
