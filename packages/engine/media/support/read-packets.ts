import { AVMEDIA_TYPE_AUDIO, AVMEDIA_TYPE_VIDEO } from "node-av/constants";
import { FFmpegError, FormatContext, Packet } from "node-av/lib";

export type StoredPacket = { bytes: string; ptsSeconds: number; dtsSeconds: number };

/** The packets of one kind in storage order; trusted files only, as this runs outside the sandbox. */
export function readPackets(path: string, kind: "audio" | "video"): StoredPacket[] {
  const format = new FormatContext();
  FFmpegError.throwIfError(format.openInputSync(`file:${path}`));
  FFmpegError.throwIfError(format.findStreamInfoSync(null));
  const type = kind === "audio" ? AVMEDIA_TYPE_AUDIO : AVMEDIA_TYPE_VIDEO;
  const stream = format.streams.find(({ codecpar }) => codecpar.codecType === type);
  const packet = new Packet();
  packet.alloc();
  const packets: StoredPacket[] = [];
  while (stream && format.readFrameSync(packet) >= 0) {
    if (packet.streamIndex === stream.index) {
      const tickSeconds = stream.timeBase.toDouble();
      packets.push({
        bytes: packet.data?.toString("hex") ?? "",
        ptsSeconds: Number(packet.pts) * tickSeconds,
        dtsSeconds: Number(packet.dts) * tickSeconds,
      });
    }
    packet.unref();
  }
  return packets;
}
