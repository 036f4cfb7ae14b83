import { writeFileSync } from "node:fs";
import { basename } from "node:path";
import { listVoiceRuns } from "../diarization/list-voice-runs.ts";
import type { VoicePlan } from "../diarization/plan-voices.ts";
import { STEPS_PER_SECOND } from "../diarization/turns.ts";
import { makeGains } from "../diarization/voice-gains.ts";
import { subtractPlanes } from "../dsp/sources/difference-source.ts";
import { type FrameSource, toWrittenSeconds } from "../dsp/sources/frame-source.ts";
import type { PreviewWriter } from "../previews/preview-writer.ts";
import type { Provenance } from "../rendering/provenance.ts";
import { type RenderResult, writeSounds } from "../rendering/write-sounds.ts";
import type { SoundOutput, VoicesTarget } from "../targets/engine-request.ts";
import { delaySpans, findLeadFrames, findLeadSeconds } from "../targets/file-timeline.ts";
import type { OpenInput } from "../targets/open-input.ts";
import type { SeparatedVoices } from "./separate-voices.ts";
import { openVoiceSounds, VoiceSource } from "./voice-source.ts";
import { getVariant, N_SPEAKERS } from "./voices-variant.ts";
import { type VoiceSegment, writeVoices } from "./write-voices.ts";

/** Writes each voice and the residual, if there is a format for them, and the JSON that says who speaks when. */
export async function renderVoices(
  {
    input,
    inputPath,
    previews,
  }: { input: OpenInput; inputPath: string; previews: Pick<PreviewWriter, "follow"> | undefined },
  work: {
    target: VoicesTarget;
    /** What the voices are parts of: the input or a stem of it, at the input's rate. */
    source: FrameSource;
    separated: SeparatedVoices;
    provenance: Omit<Provenance, "target">;
    onProgress: (fraction: number) => void;
  },
): Promise<RenderResult & { voiceCount: number }> {
  const { target, onProgress } = work;
  const voices = openVoices(work, toWrittenSeconds(input.source));
  const toSound = (output: SoundOutput, path: string) => ({
    output,
    files: target.formats.map((format) => ({
      format,
      path: `${path}.${format}`,
      ...(target.wavBitDepth === undefined ? {} : { wavBitDepth: target.wavBitDepth }),
    })),
  });
  const readBlock = (startFrame: number, lengthFrames: number) => {
    const planes = voices.map(({ source }) => source.read(startFrame, lengthFrames));
    if (!target.hasResidual) return planes;
    return [...planes, planes.reduce(subtractPlanes, input.source.read(startFrame, lengthFrames))];
  };
  previews?.follow(target.key, {
    tracks: [
      ...voices.map(({ number }) => `${target.key}-voice-${number}`),
      ...(target.hasResidual ? [`${target.key}-residual`] : []),
    ],
    whenReadable: async () => {},
    open: () => ({ read: readBlock, [Symbol.dispose]: () => {} }),
  });
  const writeAll = () =>
    writeSounds({
      sounds: [
        ...voices.map(({ output, path }) => toSound(output, path)),
        ...(target.hasResidual ? [toSound("residual", `${target.pathPrefix}_residual`)] : []),
      ],
      readBlock,
      info: input.info,
      leadFrames: findLeadFrames(target, input.info),
      inputPath,
      provenance: { target, ...work.provenance },
      onProgress,
    });
  const result = target.formats.length === 0 ? {} : await writeAll();
  const leadSeconds = findLeadSeconds(target, input.info);
  const named = voices.map(({ path, segments }) => ({
    name: toName(target, path),
    segments: delaySpans(segments, leadSeconds),
  }));
  writeFileSync(`${target.pathPrefix}.json`, writeVoices(named));
  return { ...result, voiceCount: voices.length };
}

type Voice = {
  number: string;
  path: string;
  output: `voice ${number}`;
  source: VoiceSource;
  segments: VoiceSegment[];
};

function openVoices(
  { target, source, separated }: { target: VoicesTarget; source: FrameSource; separated: SeparatedVoices },
  endSeconds: number,
): Voice[] {
  const { plan, streams, highShares } = separated;
  const sounds = openVoiceSounds(source, streams, highShares);
  const gains = makeGains(plan);
  // Two speakers are two files, even if only one of them speaks.
  const voiceCount = getVariant(target) === N_SPEAKERS ? Math.max(1, gains.length) : 2;
  const silent = new Uint8Array(plan.solo.length);
  const nothing = { input: silent, streams: [silent, silent] as const };
  return Array.from({ length: voiceCount }, (_, index) => {
    const number = String(index + 1).padStart(2, "0");
    return {
      number,
      path: `${target.pathPrefix}_${number}`,
      output: `voice ${index + 1}` as const,
      source: new VoiceSource(sounds, gains[index] ?? nothing),
      segments: gains[index] ? toSegments(plan, index, endSeconds) : [],
    };
  });
}

/** The name of the output; the file's prefix may be longer. */
function toName({ variant, pathPrefix }: VoicesTarget, path: string): string {
  const stem = variant === undefined ? "voice" : `voice_${variant}`;
  return `${stem}${basename(path).slice(basename(pathPrefix).length)}`;
}

function toSegments(plan: VoicePlan, speaker: number, endSeconds: number): VoiceSegment[] {
  return listVoiceRuns(plan, speaker).map(({ from, to }) => ({
    startSeconds: Math.min(from / STEPS_PER_SECOND, endSeconds),
    endSeconds: Math.min(to / STEPS_PER_SECOND, endSeconds),
    confidence: plan.confidence.subarray(from, to).reduce((sum, value) => Math.max(sum, value), 0),
  }));
}
