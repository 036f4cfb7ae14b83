import { type AudioFormat, MAX_FLAC_CHANNELS } from "./audio-format.ts";
import type { MediaInfo } from "./media-info.ts";

/** Video codecs that the mp4 muxer rejects, by FFmpeg's names. Others are only tried when the file is written. */
const UNFIT_PICTURES = [
  ...["vp8", "vp7", "vp6", "vp6f", "vp6a", "theora", "prores", "dnxhd", "cfhd", "hap"],
  ...["rawvideo", "huffyuv", "ffvhuff", "utvideo", "cinepak", "svq1", "svq3", "qtrle", "rpza", "smc"],
  ...["dvvideo", "h263", "flv1", "wmv1", "wmv2", "wmv3", "msmpeg4v1", "msmpeg4v2", "msmpeg4v3"],
  ...["rv10", "rv20", "rv30", "rv40"],
];

export const describeUnfitPicture = (codec: string) =>
  `The input's picture is coded as ${codec}, which an mp4 cannot hold. Ask for m4a, which is the sound alone. A target is made whole or not at all: ask for its other formats without mp4.`;

/** FFmpeg's names of containers without the times at which pictures are shown. Where they are stored in another order, a copy would jump back and forth. */
const UNTIMED_CONTAINERS: Readonly<Record<string, string>> = { avi: "AVI", mpeg: "MPEG program stream" };

const describeUntimedPicture = (container: string) =>
  `The input is an ${container} file, which does not say when each picture is shown, so its picture cannot be copied into an mp4. Ask for m4a, which is the sound alone. A target is made whole or not at all: ask for its other formats without mp4.`;

export const describeTooManyChannels = (format: string, channels: number) =>
  `${format} holds at most ${MAX_FLAC_CHANNELS} channels, and the input has ${channels}. Ask for wav or aiff instead.`;

/** Why a format can't hold the audio or video of an input, as far as known in advance. */
export function findOutputFault(
  format: AudioFormat,
  {
    container,
    channels,
    pictureCodec,
  }: Partial<Pick<MediaInfo, "container">> & Pick<MediaInfo, "channels" | "pictureCodec">,
): string | undefined {
  if (format === "flac" && channels > MAX_FLAC_CHANNELS) return describeTooManyChannels(format, channels);
  if (format === "mp4" && pictureCodec !== undefined && UNFIT_PICTURES.includes(pictureCodec))
    return describeUnfitPicture(pictureCodec);
  const untimed = container === undefined ? undefined : UNTIMED_CONTAINERS[container];
  if (format === "mp4" && pictureCodec !== undefined && untimed) return describeUntimedPicture(untimed);
  return undefined;
}
