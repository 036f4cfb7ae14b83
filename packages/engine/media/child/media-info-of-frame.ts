import type { Frame } from "node-av/lib";
import { MediaError } from "../media-error.ts";
import type { MediaInfo } from "../media-info.ts";
import { describeLayout, toNamedLayout } from "./channel-layout.ts";
import type { AudioInput } from "./open-audio-input.ts";

/** Rate and channels come from a decoded frame: the header of an HE-AAC file states half its real rate. */
export function toMediaInfo(input: AudioInput, frame: Frame): MediaInfo {
  const layout = toNamedLayout(frame.channelLayout);
  return {
    container: input.container,
    codec: input.codec,
    sampleRateHz: frame.sampleRate,
    channels: layout.nbChannels,
    channelLayout: describeLayout(layout),
    durationSeconds: input.durationSeconds,
    hasVideo: input.video !== undefined,
  };
}

export function makeNothingDecodedError(errors: number): MediaError {
  return errors > 0
    ? new MediaError(
        "unreadable",
        "Nothing in the file could be decoded. It is damaged or not what its header says.",
      )
    : new MediaError("no-audio", "The file's sound track is empty.");
}
