import { writeFileSync } from "node:fs";
import { writeSounds } from "../rendering/write-sounds.ts";
import type { AnalysisTarget } from "../targets/engine-request.ts";
import { findLeadFrames, findLeadSeconds } from "../targets/file-timeline.ts";
import type { AnalysisPass } from "../targets/plan-targets.ts";
import type { MakeStage } from "../targets/stage-progress.ts";
import type { TargetOutcomes } from "../targets/target-outcomes.ts";
import { ANALYSE_SECONDS, type AnalysisRun, analyseMusic } from "./analyse-music.ts";
import { ClickTrack } from "./click-track.ts";
import { delayAnalysis, type MusicAnalysis } from "./music-analysis.ts";
import { CONTEXT_SHARE } from "./score-rows.ts";
import { toAnalysisJson, toBeatCsv, toChordLab } from "./write-analysis.ts";
import { toMidi } from "./write-midi.ts";

export function weighAnalysisPass(): number {
  return ANALYSE_SECONDS;
}

type PassRun = AnalysisRun & { inputPath: string; outcomes: TargetOutcomes; makeStage: MakeStage };

/** Analyses the music once and writes the files of every target that asks for them. */
export async function runAnalysisPass({ manifest, targets }: AnalysisPass, run: PassRun): Promise<void> {
  const { outcomes, makeStage } = run;
  await outcomes.tryNetwork(targets, async () => {
    const analysis = await analyseMusic(manifest, { ...run, onProgress: makeStage(ANALYSE_SECONDS) });
    for (const target of targets) {
      await outcomes.finish(target, () => writeFiles(analysis, target, { manifest, run }));
    }
  });
}

const WRITERS = { json: toAnalysisJson, lab: toChordLab, csv: toBeatCsv, mid: toMidi };

async function writeFiles(
  analysis: MusicAnalysis,
  target: AnalysisTarget,
  { manifest, run }: { manifest: AnalysisPass["manifest"]; run: PassRun },
) {
  const { files, model } = target;
  const { info } = run.input;
  const placed = delayAnalysis(analysis, findLeadSeconds(target, info));
  for (const { format, path } of files) if (format !== "click") writeFileSync(path, WRITERS[format](placed));
  const clicks = files.filter(({ format }) => format === "click");
  if (clicks.length === 0) return undefined;
  const track = new ClickTrack(analysis.beats, info);
  return writeSounds({
    sounds: [{ output: "stem", files: clicks.map(({ path }) => ({ format: "wav", path })) }],
    readBlock: (startFrame, lengthFrames) => [track.read(startFrame, lengthFrames)],
    info,
    leadFrames: findLeadFrames(target, info),
    inputPath: run.inputPath,
    provenance: {
      target: { model },
      manifest: { ...manifest, chunking: { convention: "even", overlapShare: CONTEXT_SHARE } },
      source: undefined,
      runsOn: "cpu",
      passCount: 1,
    },
    onProgress: () => {},
  });
}
