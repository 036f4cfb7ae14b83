import { AVIO_FLAG_WRITE, AVMEDIA_TYPE_AUDIO } from "node-av/constants";
import { FFmpegError, FormatContext, IOContext, Packet } from "node-av/lib";

/** Copies a file into Matroska with the audio starting later than the video. */
export function delaySound(sourcePath: string, path: string, delaySeconds: number): void {
  const source = new FormatContext();
  check(source.openInputSync(`file:${sourcePath}`));
  check(source.findStreamInfoSync(null));
  const output = new FormatContext();
  const io = new IOContext();
  check(io.open2Sync(`file:${path}`, AVIO_FLAG_WRITE));
  check(output.allocOutputContext2(null, "matroska", path));
  output.pb = io;
  for (const stream of source.streams) {
    const copy = output.newStream(null);
    stream.codecpar.copy(copy.codecpar);
    copy.codecpar.codecTag = 0;
    copy.timeBase = stream.timeBase;
  }
  check(output.writeHeaderSync(null));
  const packet = new Packet();
  packet.alloc();
  while (source.readFrameSync(packet) >= 0) {
    const from = source.streams[packet.streamIndex];
    const to = output.streams[packet.streamIndex];
    if (!from || !to) continue;
    packet.rescaleTs(from.timeBase, to.timeBase);
    if (from.codecpar.codecType === AVMEDIA_TYPE_AUDIO) {
      const delayTicks = BigInt(Math.round(delaySeconds / to.timeBase.toDouble()));
      packet.pts += delayTicks;
      packet.dts += delayTicks;
    }
    check(output.interleavedWriteFrameSync(packet));
  }
  check(output.writeTrailerSync());
  check(io.closepSync());
}

function check(code: number): void {
  FFmpegError.throwIfError(code);
}
