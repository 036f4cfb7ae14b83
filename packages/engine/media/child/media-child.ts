import { flushCompileCache } from "node:module";
import { AV_LOG_QUIET } from "node-av/constants";
import { Log } from "node-av/lib";
import { MediaError } from "../media-error.ts";
import type { MediaReport, MediaRequest } from "../media-request.ts";
import { decode } from "./decode.ts";
import { describeProtection } from "./describe-protection.ts";
import { dropPrivileges } from "./drop-privileges.ts";
import { openEncoding } from "./encode.ts";
import { probe } from "./probe.ts";
import { makePulse } from "./pulse.ts";

// Everything is loaded by now, so the uid may go before the first media byte is parsed: the folder of this
// program may be closed to the other user.

Log.setLevel(AV_LOG_QUIET);
// The parent is gone: nobody waits for the result.
process.on("disconnect", () => process.exit(1));
process.once("message", (request: MediaRequest) => {
  serve(request)
    .then((result) => report({ kind: "done", result }))
    .catch((error: unknown) => report(toFailure(error)))
    .finally(() => process.exit(0));
});

async function serve(request: MediaRequest): Promise<unknown> {
  const pulse = makePulse((fraction) => void report({ kind: "progress", fraction }));
  // Outputs are opened as the starting user, before the drop.
  const encoding = request.kind === "encode" ? openEncoding(request) : undefined;
  // At exit the other user could no longer write to the cache.
  flushCompileCache();
  dropPrivileges();
  if (encoding) return encoding({ pcm: process.stdin, pulse, onReady: () => void report({ kind: "ready" }) });
  await report({ kind: "ready" });
  switch (request.kind) {
    case "probe":
      return probe(request);
    case "decode":
      return decode(request, pulse);
    default:
      return describeProtection();
  }
}

function toFailure(error: unknown): MediaReport {
  if (error instanceof MediaError) return { kind: "failed", errorKind: error.kind, message: error.message };
  const message = error instanceof Error ? error.message : String(error);
  return { kind: "failed", errorKind: "crashed", message: `The media process failed: ${message}` };
}

function report(message: MediaReport): Promise<void> {
  return new Promise((resolve) => {
    if (!process.send) return resolve();
    process.send(message, () => resolve());
  });
}
