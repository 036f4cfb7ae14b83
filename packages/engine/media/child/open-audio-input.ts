import {
  AV_DISPOSITION_ATTACHED_PIC,
  AV_NOPTS_VALUE,
  AV_TIME_BASE,
  AVMEDIA_TYPE_AUDIO,
  AVMEDIA_TYPE_VIDEO,
} from "node-av/constants";
import { avGetCodecName, Codec, CodecContext, Dictionary, FormatContext, type Stream } from "node-av/lib";
import { MediaError } from "../media-error.ts";
import { ACCEPTED_DECODERS, ACCEPTED_DEMUXERS } from "./accepted-media.ts";
import { checkFfmpeg } from "./check-ffmpeg.ts";
import { FirstPicture } from "./first-picture.ts";
import { checkTags } from "./tags/check-tags.ts";

export type AudioInput = {
  format: FormatContext;
  container: string;
  stream: Stream;
  decoder: CodecContext;
  codec: string;
  durationSeconds: number | undefined;
  startSeconds: number | undefined;
  video: Stream | undefined;
  /** Known as far as the file has been read. */
  firstPicture: FirstPicture | undefined;
};

/** Only the inherited descriptor can be read: other protocols and formats that refer to further files are disabled. */
export function openContainer(fd: number): FormatContext {
  checkTags(fd);
  const format = new FormatContext();
  format.allocContext();
  using options = Dictionary.fromObject({
    fd: String(fd),
    protocol_whitelist: "fd",
    format_whitelist: ACCEPTED_DEMUXERS.join(","),
    codec_whitelist: ACCEPTED_DECODERS.join(","),
    max_streams: "100",
  });
  const message = "The file is not audio or video that can be read";
  checkFfmpeg(format.openInputSync("fd:", null, options), "unreadable", message);
  checkFfmpeg(format.findStreamInfoSync(null), "unreadable", message);
  return format;
}

export function openAudioInput(fd: number): AudioInput {
  const format = openContainer(fd);
  const stream = format.streams[format.findBestStream(AVMEDIA_TYPE_AUDIO)];
  if (!stream) throw new MediaError("no-audio", "The file has no audio track.");
  const codec = avGetCodecName(stream.codecpar.codecId) ?? "unknown";
  const video = findVideo(format);
  return {
    format,
    container: format.iformat?.name ?? "unknown",
    stream,
    decoder: openDecoder(stream, codec),
    codec,
    durationSeconds: toSeconds(format.duration),
    startSeconds:
      stream.startTime === AV_NOPTS_VALUE ? undefined : Number(stream.startTime) * stream.timeBase.toDouble(),
    video,
    firstPicture: video && new FirstPicture(video),
  };
}

export function findVideo(format: FormatContext): Stream | undefined {
  return format.streams.find(
    (stream) =>
      stream.codecpar.codecType === AVMEDIA_TYPE_VIDEO && !stream.hasDisposition(AV_DISPOSITION_ATTACHED_PIC),
  );
}

function openDecoder(stream: Stream, codecName: string): CodecContext {
  const codec = Codec.findDecoder(stream.codecpar.codecId);
  if (!codec || !ACCEPTED_DECODERS.some((name) => name === codec.name)) {
    throw new MediaError("unreadable", `The audio codec ${codecName} is not supported.`);
  }
  const decoder = new CodecContext();
  decoder.allocContext3(codec);
  const message = `The ${codecName} sound in the file cannot be decoded`;
  checkFfmpeg(decoder.parametersToContext(stream.codecpar), "unreadable", message);
  // The decoder needs it to trim the encoder's delay and padding.
  decoder.pktTimebase = stream.timeBase;
  decoder.threadCount = 1;
  // A FLAC frame with a wrong checksum would otherwise be decoded as noise. Not a Dictionary: open2Sync frees the caller's.
  if (codecName === "flac") decoder.setOption("err_detect", "crccheck+explode");
  checkFfmpeg(decoder.open2Sync(codec, null), "unreadable", message);
  return decoder;
}

function toSeconds(duration: bigint): number | undefined {
  return duration === AV_NOPTS_VALUE || duration <= 0n ? undefined : Number(duration) / AV_TIME_BASE;
}
