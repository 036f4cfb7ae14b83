import type { MediaInfo } from "../media-info.ts";
import type { ProbeRequest } from "../media-request.ts";
import { decodeFrames } from "./decoded-frames.ts";
import { makeNothingDecodedError, toMediaInfo } from "./media-info-of-frame.ts";
import { openAudioInput } from "./open-audio-input.ts";

export function probe(request: ProbeRequest): MediaInfo {
  const input = openAudioInput(request.inputFd);
  const first = decodeFrames(input).next();
  if (first.done) throw makeNothingDecodedError(first.value);
  return toMediaInfo(input, first.value.frame);
}
