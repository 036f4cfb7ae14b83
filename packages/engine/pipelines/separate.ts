import { join } from "node:path";
import type { FrameSource } from "../dsp/frame-source.ts";
import { toSampleRate } from "../dsp/resampled-source.ts";
import type { ExecutionProvider } from "../runtime/execution-provider.ts";
import type { StemManifest } from "../runtime/model-manifest.ts";
import { finishTarget, type InputRun } from "./input-run.ts";
import { planLanes } from "./lanes.ts";
import { runNetworkPass, spoolPath } from "./network-pass.ts";
import { PcmFileSource } from "./pcm-file-source.ts";
import { getServiceStem, type PlannedSound, type StemPass } from "./plan-targets.ts";
import { renderTarget, toServiceSource } from "./render-target.ts";

/** How long passes take: a second of stereo in seconds of the machine, as measured; for the progress only. */
const SECONDS_OF_FAMILY: Record<StemManifest["family"], number> = { htdemucs: 1.2, "band-split": 0.6 };
const RENDER_SECONDS = 0.012;

export function weighStemPass({ manifest, targets }: StemPass): number {
  return SECONDS_OF_FAMILY[manifest.family] + targets.length * RENDER_SECONDS;
}

/** Runs a network over the input once and renders every target that is made from its stems. */
export async function runStemPass(run: InputRun, pass: StemPass): Promise<void> {
  const { manifest, stems, targets } = pass;
  const { info, sha256 } = run.decoded;
  const input = toSampleRate(run.input, { sampleRateHz: manifest.sampleRateHz });
  const { network, executionProvider } = await run.networks.getNetwork(manifest);
  await runNetworkPass({
    network,
    overlapShare: manifest.overlapShare,
    input,
    lanes: planLanes(info),
    stems,
    folder: stemFolder(run, manifest),
    identity: {
      model: manifest.id,
      weightsSha256: manifest.weights.sha256,
      executionProvider,
      inputSha256: sha256,
    },
    onProgress: run.progress.makeStage(SECONDS_OF_FAMILY[manifest.family]),
  });
  for (const planned of targets) {
    using spool = openStem(run, manifest, getServiceStem(planned.service));
    await finishTarget(run, planned.target, () =>
      render(run, { manifest, executionProvider, planned, spool }),
    );
  }
}

/** A stem that the pass has finished, at the network's rate. */
export function openStem(run: InputRun, manifest: StemManifest, stem: string): PcmFileSource {
  const { sampleRateHz } = manifest;
  const { channels } = run.decoded.info;
  const { lengthFrames } = toSampleRate(run.input, { sampleRateHz });
  return new PcmFileSource(spoolPath(stemFolder(run, manifest), stem), {
    channels,
    sampleRateHz,
    lengthFrames,
  });
}

function stemFolder(run: InputRun, manifest: StemManifest): string {
  return join(run.request.workDir, manifest.id);
}

async function render(
  run: InputRun,
  work: {
    manifest: StemManifest;
    executionProvider: ExecutionProvider;
    planned: PlannedSound;
    spool: FrameSource;
  },
): Promise<void> {
  const { info } = run.decoded;
  const { manifest, executionProvider, spool } = work;
  const { target, service } = work.planned;
  const onProgress = run.progress.makeStage(RENDER_SECONDS);
  await renderTarget({
    target,
    stem: toServiceSource(service, toSampleRate(spool, info), run.input),
    input: run.input,
    info,
    inputPath: run.request.inputPath,
    provenance: { target, manifest, executionProvider },
    onProgress,
  });
  onProgress(1);
}
