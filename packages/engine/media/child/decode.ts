import type { Frame } from "node-av/lib";
import { MediaError } from "../media-error.ts";
import type { DecodedInfo } from "../media-info.ts";
import type { DecodeRequest } from "../media-request.ts";
import { beginDecoding } from "./begin-decoding.ts";
import type { DecodedFrame } from "./decoded-frames.ts";
import type { AudioInput } from "./open-audio-input.ts";
import { findFileStartSeconds, findPcmStartSeconds, startTimeline } from "./pcm-start.ts";
import type { Pulse } from "./pulse.ts";
import { MAX_SILENCE_SECONDS } from "./silence-padder.ts";

export async function decode(request: DecodeRequest, pulse: Pulse): Promise<DecodedInfo> {
  const { input, frames, first, info, converter, file } = beginDecoding(request);
  const timeline = startTimeline(input, first.value);
  const pcmStartSeconds = findPcmStartSeconds(input, first.value);
  const maxFrames = (request.maxDurationSeconds ?? Number.POSITIVE_INFINITY) * info.sampleRateHz;
  const maxBytes = request.maxBytes ?? Number.POSITIVE_INFINITY;
  checkSize((info.durationSeconds ?? 0) * info.sampleRateHz * converter.bytesPerFrame, maxBytes);
  let excessFrames = 0;
  for (let next: IteratorResult<DecodedFrame, number> = first; !next.done; next = frames.next()) {
    const { frame, startSeconds, positionBytes, isAfterError } = next.value;
    const pcm = converter.convert(frame);
    const lengthFrames = pcm.length / converter.bytesPerFrame;
    const gapFrames = timeline.place({ startSeconds, lengthFrames, isAfterError });
    excessFrames = findExcessFrames(frame, input);
    const decodedFrames = file.lengthFrames + gapFrames + lengthFrames - excessFrames;
    if (decodedFrames > maxFrames) throw makeTooLongError(request.maxDurationSeconds ?? 0);
    checkSize(decodedFrames * converter.bytesPerFrame, maxBytes);
    file.writeSilence(gapFrames);
    file.write(pcm);
    await pulse(positionBytes / request.inputSizeBytes);
  }
  file.dropLast(excessFrames);
  return { ...info, lengthFrames: file.lengthFrames, ...toAudioStart(input, pcmStartSeconds) };
}

/** How long the picture is shown before the audio starts, within the limit of all gaps. */
function toAudioStart(
  { firstPicture }: AudioInput,
  audioSeconds: number | undefined,
): Pick<DecodedInfo, "audioStartSeconds"> {
  const fileSeconds = findFileStartSeconds(firstPicture?.startSeconds, audioSeconds);
  if (firstPicture === undefined || fileSeconds === undefined || audioSeconds === undefined) return {};
  const audioStartSeconds = audioSeconds - fileSeconds;
  return audioStartSeconds > MAX_SILENCE_SECONDS ? {} : { audioStartSeconds };
}

/**
 * An mp4 signals the padding of its last packet only by that packet's shorter duration, which the decoder does not apply. Time bases coarser than one
 * tick per sample say nothing about padding.
 */
function findExcessFrames(frame: Frame, input: AudioInput): number {
  const { num, den } = input.stream.timeBase;
  if (!input.container.startsWith("mov") || frame.duration <= 0n || den < frame.sampleRate * num) return 0;
  const statedFrames = Math.round((Number(frame.duration) * frame.sampleRate * num) / den);
  return Math.max(0, frame.nbSamples - statedFrames);
}

function makeTooLongError(maxDurationSeconds: number): MediaError {
  return new MediaError("too-long", `The file is longer than the allowed ${maxDurationSeconds} seconds.`);
}

export function checkSize(sizeBytes: number, maxBytes: number): void {
  if (sizeBytes > maxBytes)
    throw new MediaError(
      "too-large",
      `The file decodes to more than the allowed ${maxBytes} bytes of audio.`,
    );
}
