import { runAnalysisPass } from "../analysis/analysis-pass.ts";
import { runDetectionPass } from "../detection/detection-pass.ts";
import type { Manifest, StemManifest } from "../manifests/manifest.ts";
import type { Networks } from "../networks/networks.ts";
import type { PreviewWriter } from "../previews/preview-writer.ts";
import { RENDER_SECONDS } from "../rendering/write-sounds.ts";
import { runStemPasses } from "../separation/run-stem-passes.ts";
import type { SpanExchange } from "../separation/spans/span-exchange.ts";
import type { StemLender } from "../separation/stem-cache.ts";
import type { EngineReport, EngineRequest } from "../targets/engine-request.ts";
import type { OpenInput } from "../targets/open-input.ts";
import type { TargetPlan } from "../targets/plan-targets.ts";
import type { StageProgress } from "../targets/stage-progress.ts";
import { TargetOutcomes } from "../targets/target-outcomes.ts";
import { runSpeechPass } from "../transcription/speech-pass.ts";
import { runVoicesPass } from "../voices/voices-pass.ts";
import { type ChosenSources, chooseSources } from "./choose-sources.ts";
import type { TargetWaits } from "./target-waits.ts";
import { checkWorkBytes } from "./work-bytes.ts";

type PlanRun = {
  request: EngineRequest;
  networks: Networks;
  manifests: readonly Manifest[];
  input: OpenInput;
  stemCache: StemLender | undefined;
  spans: SpanExchange | undefined;
  previews: PreviewWriter | undefined;
  report: EngineReport;
  progress: StageProgress;
  waits: TargetWaits;
  onNewPass: () => void;
};

/** Runs the passes of a plan in order and gives each the parts it needs. */
export async function runPlan(plan: TargetPlan, options: PlanRun): Promise<void> {
  const { analysisPass, detectionPass, speechPass, stemPasses, voicesPass } = plan;
  const { request, networks, manifests, input, stemCache, previews, report, progress, waits } = options;
  const { inputPath, workDir, maxWorkBytes, spansFromSeconds = 0 } = request;
  const { lengthFrames, sampleRateHz, audioStartSeconds } = input.info;
  const common = {
    durationSeconds: lengthFrames / sampleRateHz,
    ...(audioStartSeconds === undefined ? {} : { audioStartSeconds }),
  };
  const outcomes = new TargetOutcomes({ report, previews, common });
  const shared = { input, workDir, networks, outcomes };
  if (detectionPass) {
    const makeStage = (weight: number) => progress.makeStage(weight, waits.forDetection);
    await runDetectionPass(detectionPass, { ...shared, makeStage });
  }
  if (analysisPass) {
    const makeStage = (weight: number) => progress.makeStage(weight, waits.forAnalysis);
    await runAnalysisPass(analysisPass, { ...shared, inputPath, makeStage });
  }
  let sources: ChosenSources = {};
  if (speechPass || voicesPass) {
    const makeStage = (weight: number) => progress.makeStage(weight, waits.forSources);
    sources = await chooseSources({ ...shared, makeStage }, manifests, {
      ...plan,
      onNewPass: options.onNewPass,
    });
    // Words and voices with music behind them need one more stem each.
    checkWorkBytes(plan, input.source, maxWorkBytes);
  }
  const failures = await runStemPasses(
    {
      ...shared,
      inputPath,
      previews,
      cache: stemCache,
      makePassStage: (pass) => progress.makeStageBeside(pass.manifest.passSeconds, waits.forStemPass(pass)),
      makeRenderStage: (target) => progress.makeStageBeside(RENDER_SECONDS, waits.forRender(target)),
    },
    stemPasses,
    { exchange: options.spans, spansFromSeconds },
  );
  const made = (network: StemManifest | undefined) =>
    network && !failures.has(network) ? network : undefined;
  if (voicesPass) {
    const makeStage = (weight: number) => progress.makeStage(weight, waits.forVoices);
    await runVoicesPass({ ...shared, inputPath, previews, makeStage }, voicesPass, {
      manifests,
      dialogue: made(sources.dialogue),
    });
  }
  if (speechPass) {
    await runSpeechPass(
      {
        ...shared,
        makeStage: (weight, options) => progress.makeStage(weight, waits.forTranscription(options)),
      },
      speechPass,
      { manifests, vocals: made(sources.vocals) },
    );
  }
}
