import { AVSEEK_FLAG_BACKWARD } from "node-av/constants";
import type { MediaInfo } from "../media-info.ts";
import type { DecodeRangeRequest } from "../media-request.ts";
import { beginDecoding } from "./begin-decoding.ts";
import { checkSize } from "./decode.ts";
import type { DecodedFrame } from "./decoded-frames.ts";
import type { AudioInput } from "./open-audio-input.ts";
import { findPcmStartSeconds } from "./pcm-start.ts";
import type { Pulse } from "./pulse.ts";

/** Decoders need some audio before the first frame is correct: up to 0.1 s for mp3 and Opus. */
const LEAD_IN_SECONDS = 1;

/**
 * Decodes some seconds of a file, starting shortly before them if the container has timestamps and at the beginning otherwise. Anything outside the
 * file is left out, so the PCM may be shorter than the range.
 */
export async function decodeRange(
  request: DecodeRangeRequest,
  pulse: Pulse,
): Promise<MediaInfo & { lengthFrames: number }> {
  const { input, frames, first, info, converter, file } = beginDecoding(request);
  const [startFrame, endFrame] = [request.startSeconds, request.endSeconds].map((seconds) =>
    Math.round(seconds * info.sampleRateHz),
  ) as [number, number];
  const pcmStartSeconds = findPcmStartSeconds(input, first.value);
  const hasSought = pcmStartSeconds !== undefined && seek(input, pcmStartSeconds + request.startSeconds);
  const maxBytes = request.maxBytes ?? Number.POSITIVE_INFINITY;
  let place = 0;
  let next: IteratorResult<DecodedFrame, number> = hasSought ? frames.next() : first;
  for (let isFirst = true; !next.done && place < endFrame; next = frames.next(), isFirst = false) {
    const { frame, startSeconds, positionBytes } = next.value;
    const pcm = converter.convert(frame);
    const lengthFrames = pcm.length / converter.bytesPerFrame;
    // Some containers round times: once the position is known, samples are counted.
    if (isFirst && hasSought)
      place = Math.round(((startSeconds ?? 0) - (pcmStartSeconds ?? 0)) * info.sampleRateHz);
    const from = Math.max(0, startFrame - place);
    const to = Math.min(lengthFrames, endFrame - place);
    if (to > from) checkSize((file.lengthFrames + to - from) * converter.bytesPerFrame, maxBytes);
    if (to > from) file.write(pcm.subarray(from * converter.bytesPerFrame, to * converter.bytesPerFrame));
    place += lengthFrames;
    await pulse(Math.min(1, positionBytes / request.inputSizeBytes));
  }
  return { ...info, lengthFrames: file.lengthFrames };
}

/** False if the file has to be read from its start. */
function seek({ format, stream, decoder }: AudioInput, seconds: number): boolean {
  const fromSeconds = seconds - LEAD_IN_SECONDS;
  if (fromSeconds <= LEAD_IN_SECONDS) return false;
  const timestamp = BigInt(Math.round(fromSeconds / stream.timeBase.toDouble()));
  if (format.seekFrameSync(stream.index, timestamp, AVSEEK_FLAG_BACKWARD) < 0) return false;
  decoder.flushBuffers();
  return true;
}
