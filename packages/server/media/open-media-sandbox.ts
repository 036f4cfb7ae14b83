import { describeSandbox, explainGaps, MediaError, setSandboxMode } from "@stemwright/engine";
import type { FastifyBaseLogger } from "fastify";
import type { Config } from "../config/load-config.ts";
import { StartError } from "../faults/start-error.ts";

export type MediaSandbox = Pick<Awaited<ReturnType<typeof describeSandbox>>, "mode" | "layers" | "gaps">;

/** Before any media is opened: if the sandbox is required and incomplete, the service does not start. */
export async function openMediaSandbox(
  { mediaSandbox }: Pick<Config, "mediaSandbox">,
  log: FastifyBaseLogger,
): Promise<MediaSandbox> {
  setSandboxMode(mediaSandbox);
  const { missing, ...sandbox } = await describeSandbox().catch(throwStartError);
  log.info({ ...sandbox, missing }, "media sandbox");
  if (mediaSandbox === "relaxed") {
    log.warn({ gaps: sandbox.gaps }, "media sandbox relaxed by MEDIA_SANDBOX");
  } else if (sandbox.gaps.length > 0) throw new StartError(explainGaps({ ...sandbox, missing }));
  return sandbox;
}

function throwStartError(error: unknown): never {
  if (!(error instanceof MediaError)) throw error;
  throw new StartError(
    `The media process does not work here: ${error.message} ${String(error.cause ?? "")}`,
    {
      cause: error,
    },
  );
}
