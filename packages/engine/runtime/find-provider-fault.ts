import { loadManifests } from "../manifests/manifest.ts";
import { createSession } from "./create-session.ts";
import type { ExecutionProvider } from "./execution-provider.ts";
import { getVerifiedWeightsPath } from "./weights-file.ts";

/** Why networks can't run on the configured provider; undefined if they can. Tried with the smallest network. */
export async function findProviderFault(executionProvider: ExecutionProvider): Promise<string | undefined> {
  const manifest = loadManifests().find(({ family }) => family === "music-detector");
  if (manifest?.family !== "music-detector") throw new Error("the music detector's manifest is missing");
  const graph = getVerifiedWeightsPath(manifest.weights, { manifestId: manifest.id });
  let fault: string | undefined;
  const { session } = await createSession(graph, {
    threads: 1,
    executionProvider,
    onNotice(notice) {
      fault = notice;
    },
  });
  await session.release();
  return fault;
}
