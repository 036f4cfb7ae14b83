import { writeSync } from "node:fs";
import { flushCompileCache } from "node:module";
import { setImmediate } from "node:timers/promises";
import { enterSandbox } from "../../media/child/enter-sandbox.ts";
import { readRequest, sendReport } from "../../media/child/parent-channel.ts";
import { explainGaps } from "../../media/sandbox-report.ts";
import { makeFileSource } from "../byte-source.ts";
import { CheckpointError } from "../checkpoint-error.ts";
import type {
  CheckpointFacts,
  CheckpointReport,
  CheckpointRequest,
  CheckpointWork,
} from "../checkpoint-request.ts";
import { openCheckpoint } from "../open-checkpoint.ts";
import { MAX_CONFIGURATION_BYTES, readConfiguration } from "../read-configuration.ts";
import { writeSafetensors } from "../write-safetensors.ts";

// Everything is loaded by now, so privileges can be dropped before the first byte of the checkpoint is read.

/** A checkpoint of 1 GB takes 5 seconds. */
const CPU_SECONDS = 300;
const PROGRESS_BYTES = 1 << 24;

// The event loop registers its descriptors in its first turn: the sandbox refuses later registrations.
await setImmediate();
try {
  sendReport({ kind: "done", result: serve(readRequest<CheckpointRequest>()) } satisfies CheckpointReport);
} catch (error) {
  sendReport(toFailure(error));
}
process.exit(0);

function serve({ work, sandbox: mode }: CheckpointRequest): unknown {
  // At exit the process could no longer write to the cache.
  flushCompileCache();
  const sandbox = enterSandbox({ cpuSeconds: CPU_SECONDS });
  if (mode === "required" && sandbox.gaps.length > 0)
    throw new CheckpointError("machine-failed", explainGaps(sandbox));
  return work.kind === "convert" ? convert(work) : parse(work.inputFd);
}

function parse(inputFd: number): unknown {
  const source = makeFileSource(inputFd);
  if (source.sizeBytes > MAX_CONFIGURATION_BYTES)
    throw new CheckpointError(
      "too-large",
      `The configuration has ${source.sizeBytes} bytes, more than any network's.`,
    );
  return readConfiguration(new TextDecoder().decode(source.read(0, source.sizeBytes)));
}

function convert({ inputFd, outputFd }: CheckpointWork & { kind: "convert" }): CheckpointFacts {
  const source = makeFileSource(inputFd);
  const { tensors, ...facts } = openCheckpoint(source);
  let written = 0;
  let told = 0;
  writeSafetensors(tensors, (bytes) => {
    for (let done = 0; done < bytes.length; ) done += writeSync(outputFd, bytes, done);
    written += bytes.length;
    if (written - told < PROGRESS_BYTES) return;
    told = written;
    // Integers and quarter-precision floats grow.
    sendReport({
      kind: "progress",
      fraction: Math.min(1, written / source.sizeBytes),
    } satisfies CheckpointReport);
  });
  return facts;
}

function toFailure(error: unknown): CheckpointReport {
  if (error instanceof CheckpointError)
    return { kind: "failed", errorKind: error.kind, message: error.message };
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "ENOSPC" || code === "EDQUOT")
    return {
      kind: "failed",
      errorKind: "machine-failed",
      message: "The disk is full. Free some space and try again.",
    };
  const message = error instanceof Error ? error.message : String(error);
  return { kind: "failed", errorKind: "damaged", message: `The file can't be read: ${message}` };
}
