import type { DecodedFrame } from "./decoded-frames.ts";
import type { AudioInput } from "./open-audio-input.ts";
import { SilencePadder } from "./silence-padder.ts";

/** The timeline of a stream's PCM, with silence for a damaged start. */
export function startTimeline(input: AudioInput, { frame, isAfterError }: DecodedFrame): SilencePadder {
  return new SilencePadder(frame.sampleRate, isAfterError ? input.startSeconds : undefined);
}

/** When the PCM begins, including the silence before the stream's first frame; undefined if the container has no timestamps. */
export function findPcmStartSeconds(input: AudioInput, first: DecodedFrame): number | undefined {
  const { frame, startSeconds, isAfterError } = first;
  if (startSeconds === undefined) return undefined;
  const gapFrames = startTimeline(input, first).place({ startSeconds, lengthFrames: 0, isAfterError });
  return startSeconds - gapFrames / frame.sampleRate;
}

/** The start of a file's own timeline: whichever of picture and audio comes first. */
export function findFileStartSeconds(
  pictureSeconds: number | undefined,
  audioSeconds: number | undefined,
): number | undefined {
  const known = [pictureSeconds, audioSeconds].filter((seconds) => seconds !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}
