import { EngineError } from "../engine-error.ts";
import { type AudioFormat, type DecodedMedia, findOutputFault } from "../media/index.ts";
import type { Manifest, StemManifest } from "../runtime/manifest.ts";
import { loadDecodedInput } from "./decoded-input.ts";
import { runDetectionPass } from "./detection-pass.ts";
import type { EngineReport, EngineRequest, EngineTarget } from "./engine-request.ts";
import { type InputRun, type Networks, tryNetwork } from "./input-run.ts";
import { PcmFileSource } from "./pcm-file-source.ts";
import { planTargets, type StemPass, type TargetPlan } from "./plan-targets.ts";
import { Previews } from "./previews/previews.ts";
import { offerSpans } from "./spans/offer-spans.ts";
import type { PassSpans } from "./spans/segment-range.ts";
import type { SpanExchange } from "./spans/span-exchange.ts";
import { chooseSpeechSource } from "./speech/choose-speech-source.ts";
import { runSpeechPass } from "./speech/speech-pass.ts";
import { SpoolGauge } from "./spool-gauge.ts";
import { StageProgress } from "./stage-progress.ts";
import type { StemCache } from "./stem-cache.ts";
import { runStemPass } from "./stem-pass.ts";
import { TargetWaits } from "./target-waits.ts";
import { toSystemError } from "./to-engine-error.ts";
import { runVoicesPass } from "./voices/voices-pass.ts";
import { DECODE_SECONDS, weighTargets } from "./weigh-targets.ts";
import { checkWorkBytes } from "./work-bytes.ts";

/**
 * Decodes the input once, runs each needed network once, and makes every target from what they give. Errors of the input
 * reject; a target that cannot be finished, or whose network fails, is reported and the others go on.
 */
export async function runRequest(
  request: EngineRequest,
  options: {
    networks: Networks;
    manifests: readonly Manifest[];
    report: EngineReport;
    stemCache?: StemCache;
    /** Where spans of a long input are shared out, if anywhere. */
    spans?: SpanExchange | undefined;
  },
): Promise<void> {
  const { networks, manifests, report, stemCache, spans } = options;
  const firstPlan = planTargets(request.targets, manifests);
  await reportRefused(report, firstPlan.refused);
  if (firstPlan.refused.length === request.targets.length) return;
  const firstWaits = new TargetWaits(firstPlan);
  const progress = new StageProgress(
    (progress) => report.onProgress?.(progress),
    weighTargets(firstPlan, firstWaits),
  );
  try {
    const started = Promise.withResolvers<void>();
    const decoding = loadDecodedInput({
      ...request,
      onStart: started.resolve,
      onProgress: progress.makeStage(DECODE_SECONDS, firstWaits.forDecoding),
    });
    // The first network is read while another process decodes. If it can't be, its pass will say so.
    await Promise.race([started.promise, decoding]);
    await Promise.allSettled([
      decoding,
      ...firstPlan.stemPasses.slice(0, 1).map((pass) => networks.getNetwork(pass.manifest)),
    ]);
    const decoded = await decoding;
    const unmakeable = listUnmakeable(request.targets, decoded.info);
    await reportRefused(report, unmakeable);
    const isLeft = (target: EngineTarget) => unmakeable.every((refused) => refused.target !== target);
    const plan = unmakeable.length === 0 ? firstPlan : planTargets(request.targets.filter(isLeft), manifests);
    const waits = new TargetWaits(plan);
    const weigh = () => progress.setWeights(weighTargets(plan, waits));
    weigh();
    progress.begin();
    using input = new PcmFileSource(decoded.pcmPath, decoded.info);
    checkWorkBytes(plan.stemPasses, input, request.maxWorkBytes);
    const previews = openPreviews(request, input, report);
    const run: InputRun = { request, networks, report, decoded, input, progress, waits, stemCache, previews };
    try {
      await runPlan(run, plan, { manifests, spans, onNewPass: weigh });
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

function openPreviews(
  { previews, workDir }: EngineRequest,
  input: PcmFileSource,
  { onPreview = () => {} }: EngineReport,
): Previews | undefined {
  return previews && new Previews({ request: previews, workDir, input, report: onPreview });
}

type Refused = { target: EngineTarget; error: EngineError };

async function reportRefused(report: EngineReport, refused: readonly Refused[]): Promise<void> {
  for (const { target, error } of refused) await report.onTargetFailed?.(target.key, error);
}

/** Those that ask for a format which can't hold what is made of this input: before a network runs for nothing. */
function listUnmakeable(targets: readonly EngineTarget[], info: DecodedMedia): Refused[] {
  return targets.flatMap((target) => {
    const formats = listSoundFormats(target);
    const [fault] = formats.flatMap((format) => findOutputFault(format, info) ?? []);
    return fault === undefined ? [] : [{ target, error: new EngineError("encode-failed", fault) }];
  });
}

function listSoundFormats(target: EngineTarget): readonly AudioFormat[] {
  if (target.kind === "voices") return target.formats;
  return target.kind === "sound" ? target.files.map(({ format }) => format) : [];
}

async function runPlan(
  run: InputRun,
  { detectionPass, speechPass, stemPasses, voicesPass }: TargetPlan,
  {
    manifests,
    spans,
    onNewPass,
  }: { manifests: readonly Manifest[]; spans: SpanExchange | undefined; onNewPass: () => void },
): Promise<void> {
  if (detectionPass) await runDetectionPass(run, detectionPass);
  const speechSource = speechPass && (await chooseSpeechSource(run, manifests, { stemPasses, onNewPass }));
  // Sung words need one stem more.
  if (speechSource) checkWorkBytes(stemPasses, run.input, run.request.maxWorkBytes);
  const failures = await runStemPasses(run, stemPasses, spans);
  if (voicesPass) await runVoicesPass(run, voicesPass, manifests);
  const vocals = speechSource?.vocals;
  const heard = vocals && !failures.has(vocals) ? { vocals } : {};
  if (speechPass) await runSpeechPass(run, speechPass, { manifests, ...heard });
}

/**
 * One after the other, but for those that hear another, which run behind it. Ends when nothing of them is at work any more, however they end.
 * Gives the networks that failed; a target may need several passes of its network, so none of its later ones is begun.
 */
async function runStemPasses(
  run: InputRun,
  passes: readonly StemPass[],
  exchange: SpanExchange | undefined,
): Promise<ReadonlyMap<StemManifest, EngineError>> {
  const spans = await findSpans(run, passes, exchange);
  const failures = new Map<StemManifest, EngineError>();
  const gauges = new Map(passes.map((pass) => [pass, new SpoolGauge()]));
  const renderings: Promise<void>[] = [];
  const runPass = async (pass: StemPass) => {
    const own = gauges.get(pass) ?? new SpoolGauge();
    const heardPass = pass.hears && gauges.get(pass.hears.pass);
    const onProgress = run.progress.makeStageBeside(pass.manifest.passSeconds, run.waits.forStemPass(pass));
    const known = failures.get(pass.manifest);
    const targets = pass.targets.map(({ target }) => target);
    const failure = await tryNetwork(run, targets, async () => {
      try {
        if (known) throw known;
        const { rendering } = await runStemPass(run, pass, {
          ...{ own, heardPass, onProgress },
          spans: spans.get(pass),
        });
        // It is awaited below, which may be after it has failed.
        rendering.catch(() => {});
        renderings.push(rendering);
      } catch (error) {
        own.fail(error);
        throw error;
      }
    });
    if (failure) failures.set(pass.manifest, failure);
    // Also of one that failed: nothing of it is left to do.
    onProgress(1);
  };
  const runWithHearers = async (pass: StemPass): Promise<void> => {
    const hearers = passes.filter(({ hears }) => hears?.pass === pass);
    await allEnded([runPass(pass), ...hearers.map(runWithHearers)]);
  };
  try {
    for (const pass of passes) if (pass.hears === undefined) await runWithHearers(pass);
  } finally {
    await Promise.allSettled(renderings);
  }
  await Promise.all(renderings);
  return failures;
}

/** A network that can't be had is told of by its own pass; then nothing is shared. */
async function findSpans(
  run: InputRun,
  passes: readonly StemPass[],
  exchange: SpanExchange | undefined,
): Promise<ReadonlyMap<StemPass, PassSpans>> {
  try {
    return await offerSpans(run, passes, exchange);
  } catch (error) {
    if (!(toSystemError(error) instanceof EngineError)) throw error;
    return new Map();
  }
}

/** Rejects with the first in the list that did, once all have ended. */
async function allEnded(works: readonly Promise<void>[]): Promise<void> {
  await Promise.allSettled(works);
  await Promise.all(works);
}
