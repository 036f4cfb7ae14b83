import { EngineError } from "../engine-error.ts";
import { toPcmBytes } from "../files/pcm-bytes.ts";
import { PcmFileSource } from "../files/pcm-file-source.ts";
import type { Manifest } from "../manifests/manifest.ts";
import { type AudioFormat, type DecodedMedia, findOutputFault } from "../media/index.ts";
import type { Networks } from "../networks/networks.ts";
import { PreviewWriter } from "../previews/preview-writer.ts";
import type { SpanExchange } from "../separation/spans/span-exchange.ts";
import type { StemLender } from "../separation/stem-cache.ts";
import { loadDecodedInput } from "../targets/decoded-input.ts";
import type { EngineReport, EngineRequest, EngineTarget } from "../targets/engine-request.ts";
import { findLeadFrames } from "../targets/file-timeline.ts";
import { planTargets, type TargetPlan } from "../targets/plan-targets.ts";
import { StageProgress } from "../targets/stage-progress.ts";
import { toSystemError } from "../targets/to-engine-error.ts";
import { runPlan } from "./run-plan.ts";
import { DECODE_SECONDS, TargetWaits } from "./target-waits.ts";
import { checkWorkBytes } from "./work-bytes.ts";

/**
 * Decodes the input once, runs each network it needs once, and makes all targets from the results. Errors of the input reject; a target
 * that fails, or whose network fails, is reported, and the others continue.
 */
export async function runRequest(
  request: EngineRequest,
  options: {
    networks: Networks;
    manifests: readonly Manifest[];
    report: EngineReport;
    stemCache?: StemLender;
    /** Shares the spans of a long input with other workers. */
    spans?: SpanExchange | undefined;
  },
): Promise<void> {
  const { networks, manifests, report, stemCache, spans } = options;
  const firstPlan = planTargets(request.targets, manifests);
  await reportRefused(report, firstPlan.refused);
  if (firstPlan.refused.length === request.targets.length) return;
  const firstWaits = new TargetWaits(firstPlan);
  const progress = new StageProgress((progress) => report.onProgress?.(progress), firstWaits.weigh());
  try {
    const onProgress = progress.makeStage(DECODE_SECONDS, firstWaits.forDecoding);
    const decoded = await decodeAndLoad(request, { onProgress, plan: firstPlan, networks });
    const unmakeable = listUnmakeable(request, decoded.info);
    await reportRefused(report, unmakeable);
    const isLeft = (target: EngineTarget) => unmakeable.every((refused) => refused.target !== target);
    const plan = unmakeable.length === 0 ? firstPlan : planTargets(request.targets.filter(isLeft), manifests);
    const waits = new TargetWaits(plan);
    const weigh = () => progress.setWeights(waits.weigh());
    weigh();
    progress.begin();
    using source = new PcmFileSource(decoded.pcmPath, decoded.info);
    checkWorkBytes(plan, source, request.maxWorkBytes);
    const previews = openPreviews(request, source, report);
    try {
      await runPlan(plan, {
        ...{ request, networks, manifests, stemCache, spans, previews, report, progress, waits },
        input: { ...decoded, source },
        onNewPass: weigh,
      });
    } catch (error) {
      previews?.stop();
      throw error;
    } finally {
      await previews?.whenAllWritten();
    }
  } catch (error) {
    throw toSystemError(error);
  }
}

/** Decodes the input, and loads the first network while another process does. If that fails, its pass reports it. */
async function decodeAndLoad(
  request: EngineRequest,
  {
    onProgress,
    plan,
    networks,
  }: { onProgress: (fraction: number) => void; plan: TargetPlan; networks: Networks },
) {
  const started = Promise.withResolvers<void>();
  const decoding = loadDecodedInput({ ...request, onStart: started.resolve, onProgress });
  await Promise.race([started.promise, decoding]);
  await Promise.allSettled([
    decoding,
    ...plan.stemPasses.slice(0, 1).map((pass) => networks.getNetwork(pass.manifest)),
  ]);
  return await decoding;
}

function openPreviews(
  { previews, workDir }: EngineRequest,
  input: PcmFileSource,
  { onPreview = () => {} }: EngineReport,
): PreviewWriter | undefined {
  return previews && new PreviewWriter({ request: previews, workDir, input, report: onPreview });
}

type Refused = { target: EngineTarget; error: EngineError };

async function reportRefused(report: EngineReport, refused: readonly Refused[]): Promise<void> {
  for (const { target, error } of refused) await report.onTargetFailed?.(target.key, error);
}

/** Targets whose format can't hold this input's audio or video, or whose silence is too large; refused before a network runs in vain. */
function listUnmakeable({ targets, maxDecodedBytes }: EngineRequest, info: DecodedMedia): Refused[] {
  return targets.flatMap((target) => {
    const formats = listSoundFormats(target);
    const [fault] = formats.flatMap((format) => findOutputFault(format, info) ?? []);
    if (fault !== undefined) return [{ target, error: new EngineError("encode-failed", fault) }];
    const lengthFrames = info.lengthFrames + findLeadFrames(target, info);
    if (formats.length === 0 || maxDecodedBytes === undefined) return [];
    if (toPcmBytes({ ...info, lengthFrames }) <= maxDecodedBytes) return [];
    const message = `With the silence before it, the audio has more than ${maxDecodedBytes} bytes.`;
    return [{ target, error: new EngineError("input-too-large", message) }];
  });
}

function listSoundFormats(target: EngineTarget): readonly AudioFormat[] {
  if (target.kind === "voices") return target.formats;
  return target.kind === "sound" ? target.files.map(({ format }) => format) : [];
}
