import { flushCompileCache } from "node:module";
import { setImmediate } from "node:timers/promises";
import { AV_LOG_QUIET } from "node-av/constants";
import { Log } from "node-av/lib";
import { MediaError } from "../media-error.ts";
import type { MediaReport, MediaRequest, MediaWork } from "../media-request.ts";
import { explainGaps } from "../sandbox-report.ts";
import { decode } from "./decode.ts";
import { decodeRange } from "./decode-range.ts";
import { openEncoding } from "./encode.ts";
import { enterSandbox } from "./enter-sandbox.ts";
import { readRequest, sendReport } from "./parent-channel.ts";
import { probe } from "./probe.ts";
import { makePulse } from "./pulse.ts";

// Everything is loaded by now, so privileges can be dropped before the first media byte is parsed.

Log.setLevel(AV_LOG_QUIET);
// The event loop registers its descriptors in its first turn: the sandbox refuses later registrations.
await setImmediate();
try {
  sendReport({ kind: "done", result: await serve(readRequest<MediaRequest>()) } satisfies MediaReport);
} catch (error) {
  sendReport(toFailure(error));
}
process.exit(0);

async function serve({ work, sandbox: mode }: MediaRequest): Promise<unknown> {
  const perform = work.kind === "describe" ? undefined : prepare(work);
  // At exit the process could no longer write to the cache.
  flushCompileCache();
  const sandbox = enterSandbox(work.kind === "probe" ? { cpuSeconds: work.cpuSeconds } : {});
  if (perform === undefined) return sandbox;
  if (mode === "required" && sandbox.gaps.length > 0)
    throw new MediaError("machine-failed", explainGaps(sandbox));
  return await perform();
}

/** Everything that must happen before the sandbox: opens outputs by path. Returns the rest of the work. */
function prepare(work: Exclude<MediaWork, { kind: "describe" }>): () => unknown {
  const pulse = makePulse((fraction) => sendReport({ kind: "progress", fraction }));
  switch (work.kind) {
    case "probe":
      return () => probe(work);
    case "decode":
      return () => decode(work, pulse);
    case "decode-range":
      return () => decodeRange(work, pulse);
    case "encode": {
      const encode = openEncoding(work);
      return () => encode({ pulse, onReady: () => sendReport({ kind: "ready" }) });
    }
  }
}

function toFailure(error: unknown): MediaReport {
  if (error instanceof MediaError) return { kind: "failed", errorKind: error.kind, message: error.message };
  const message = error instanceof Error ? error.message : String(error);
  return { kind: "failed", errorKind: "crashed", message: `The media process failed: ${message}` };
}
