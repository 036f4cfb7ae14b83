import { AVERROR_EOF } from "node-av/constants";
import { Packet } from "node-av/lib";
import { MediaError } from "../media-error.ts";
import { checkFfmpeg } from "./check-ffmpeg.ts";
import { type AudioInput, openAudioInput } from "./open-audio-input.ts";
import type { Pulse } from "./pulse.ts";

function openWrittenFile(fd: number): AudioInput {
  try {
    return openAudioInput(fd);
  } catch (error) {
    if (!(error instanceof MediaError)) throw error;
    throw new MediaError("encode-failed", "The output file could not be read back.", { cause: error });
  }
}

/** Counts the frames in a file just written, packet by packet, without decoding. */
export async function countFrames(fd: number, pulse: Pulse): Promise<number> {
  const { format, stream } = openWrittenFile(fd);
  using packet = new Packet();
  packet.alloc();
  let ticks = 0n;
  for (;;) {
    const code = format.readFrameSync(packet);
    if (code === AVERROR_EOF) break;
    checkFfmpeg(code, "encode-failed", "The file just written cannot be read back");
    if (packet.streamIndex === stream.index) ticks += packet.duration;
    packet.unref();
    await pulse();
  }
  const { num, den } = stream.timeBase;
  const frames = Math.round((Number(ticks) * num * stream.codecpar.sampleRate) / den);
  format.closeInputSync();
  return frames;
}
