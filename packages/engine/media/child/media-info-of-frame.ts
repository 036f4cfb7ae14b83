import { avGetCodecName, type Frame } from "node-av/lib";
import { MediaError } from "../media-error.ts";
import type { MediaInfo } from "../media-info.ts";
import { describeLayout, toNamedLayout } from "./channel-layout.ts";
import type { AudioInput } from "./open-audio-input.ts";
import { readTags } from "./read-tags.ts";

const MAX_SAMPLES_PER_SECOND = 768_000;

/** Rate and channels come from a decoded frame: the header of an HE-AAC file states half its real rate. */
export function toMediaInfo(input: AudioInput, frame: Frame): MediaInfo {
  const layout = toNamedLayout(frame.channelLayout);
  // A header may claim anything, and resampling takes memory in proportion to the rate.
  if (frame.sampleRate > MAX_SAMPLES_PER_SECOND)
    throw new MediaError(
      "unreadable",
      `The file has a sample rate of ${frame.sampleRate} Hz; the highest supported is ${MAX_SAMPLES_PER_SECOND} Hz.`,
    );
  const tags = readTags(input);
  return {
    container: input.container,
    codec: input.codec,
    sampleRateHz: frame.sampleRate,
    channels: layout.nbChannels,
    channelLayout: describeLayout(layout),
    durationSeconds: input.durationSeconds,
    hasVideo: input.video !== undefined,
    ...(input.video ? { pictureCodec: avGetCodecName(input.video.codecpar.codecId) ?? "unknown" } : {}),
    ...(Object.keys(tags).length > 0 ? { tags } : {}),
  };
}

export function makeNothingDecodedError(errors: number): MediaError {
  return errors > 0
    ? new MediaError(
        "unreadable",
        "Nothing in the file could be decoded. It is damaged or not what its header says.",
      )
    : new MediaError("no-audio", "The file's audio track is empty.");
}
