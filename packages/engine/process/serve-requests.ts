import { alignGap } from "../alignment/align-gap.ts";
import { EngineError } from "../engine-error.ts";
import { GpuFailed } from "../gpu-failed.ts";
import { loadManifests } from "../manifests/manifest.ts";
import { setSandboxMode } from "../media/index.ts";
import { NetworkStore } from "../networks/network-store.ts";
import { runRequest } from "../request/run-request.ts";
import type { ConfinementReport } from "../sandbox/confine-engine.ts";
import { runSpan } from "../separation/spans/run-span.ts";
import type { EngineReport } from "../targets/engine-request.ts";
import type { EngineCommand, EngineFailure, EngineMessage, SpanNews, StemNews } from "./engine-message.ts";
import { type NetworkChoice, ProviderChoice } from "./provider-choice.ts";
import { RemoteSpans } from "./remote-spans.ts";
import { RemoteStems } from "./remote-stems.ts";

/** The engine child after its first message: file reading and signal processing block its main thread, networks run in others. */

let networks: NetworkStore | undefined;
const spans = new RemoteSpans(send);
const stems = new RemoteStems(send);

process.on("message", (message: EngineCommand | SpanNews | StemNews) => {
  if (message.kind === "stem-lent") return stems.receive(message);
  if (message.kind !== "work") return spans.receive(message);
  perform(message).then(
    () => send({ kind: "done" }),
    (error: unknown) => send({ kind: "failed", failure: toFailure(error) }),
  );
});
// The parent has died or disconnected. Not process.exit, which waits for running threads and may fail in them.
process.on("disconnect", () => process.kill(process.pid, "SIGKILL"));
// Ctrl-C reaches the whole process group; when to stop is the parent's decision.
process.on("SIGINT", () => {});

async function perform(command: EngineCommand): Promise<void> {
  const {
    kind: _,
    work,
    speechNetwork,
    modelsDir,
    sandboxMode,
    executionProvider,
    hasStemCache,
    ...settings
  } = command;
  setSandboxMode(sandboxMode);
  networks ??= openNetworks(executionProvider, { ...settings, modelsDir });
  const manifests = loadManifests({ modelsDir, ...(speechNetwork === undefined ? {} : { speechNetwork }) });
  if (work.kind === "gap") {
    const result = await alignGap(work.request, { networks, manifests });
    return send({ kind: "gap-done", result });
  }
  if (work.kind === "span") {
    const onProgress = (fraction: number) => send({ kind: "span-progress", fraction });
    return send({
      kind: "span-done",
      result: await runSpan(work.request, { networks, manifests, onProgress }),
    });
  }
  await runRequest(work.request, {
    networks,
    manifests,
    report: makeReport(),
    spans,
    ...(hasStemCache ? { stemCache: stems } : {}),
  });
}

function openNetworks(
  setting: EngineCommand["executionProvider"],
  { modelsDir, ...settings }: Pick<EngineCommand, "threads" | "cacheDir"> & { modelsDir: string | undefined },
): NetworkStore {
  const choice = new ProviderChoice({ ...settings, modelsDir, setting, onNotice: tellOnce });
  const speeds = new Map<string, NetworkChoice>();
  return new NetworkStore({
    ...settings,
    onNotice: tellOnce,
    onThreadDeath: () => send({ kind: "retired" }),
    onGpuUse: () => send({ kind: "gpu-in-use" }),
    async chooseProvider(manifest) {
      const made = await choice.choose(manifest);
      speeds.set(manifest.id, made);
      return made.provider;
    },
    onLoaded({ id: name }, runsOn) {
      const { cpuSpeed, gpuSpeed } = speeds.get(name) ?? {};
      const timesRealTime = (runsOn.startsWith("cpu") ? cpuSpeed : gpuSpeed) ?? null;
      send({ kind: "network-loaded", network: { name, runsOn, timesRealTime } });
    },
  });
}

/** Tells the parent, which has waited for it, that the channel is read. */
export function tellStarted(confinement: string | undefined): void {
  send({
    kind: "started",
    confinement: confinement === undefined ? undefined : (JSON.parse(confinement) as ConfinementReport),
  });
}

const reported = new Set<string>();

/** A network of several graphs would repeat its notice for each. */
function tellOnce(notice: string): void {
  if (reported.has(notice)) return;
  reported.add(notice);
  send({ kind: "notice", notice });
}

function makeReport(): EngineReport {
  return {
    onProgress: (progress) => send({ kind: "progress", progress }),
    onTargetDone: (key, result) => send({ kind: "target-done", key, result }),
    onPreview: (news) => send({ kind: "preview", news }),
    onTargetFailed: (key, error) => send({ kind: "target-failed", key, failure: toFailure(error) }),
  };
}

function send(message: EngineMessage): void {
  process.send?.(message);
}

function toFailure(error: unknown): EngineFailure {
  if (error instanceof GpuFailed) return { message: error.message, isGpuFault: true };
  if (error instanceof EngineError) return { kind: error.kind, message: error.message };
  return { message: error instanceof Error ? (error.stack ?? error.message) : String(error) };
}
