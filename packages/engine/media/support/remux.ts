import { AVIO_FLAG_WRITE, AVMEDIA_TYPE_AUDIO } from "node-av/constants";
import { Dictionary, FFmpegError, FormatContext, IOContext, Packet } from "node-av/lib";

type RemuxOptions = {
  /** FFmpeg's name of the muxer. */
  muxer?: string;
  muxerOptions?: Record<string, string>;
  /** How much later than the video the audio starts. */
  delaySeconds?: number;
  tags?: Record<string, string>;
};

/** Copies a trusted file's streams into another container, by default Matroska. */
export function remux(sourcePath: string, path: string, options: RemuxOptions = {}): void {
  const { muxer = "matroska", muxerOptions = {}, delaySeconds = 0, tags } = options;
  const source = new FormatContext();
  check(source.openInputSync(`file:${sourcePath}`));
  check(source.findStreamInfoSync(null));
  const output = new FormatContext();
  const io = new IOContext();
  check(io.open2Sync(`file:${path}`, AVIO_FLAG_WRITE));
  check(output.allocOutputContext2(null, muxer, path));
  output.pb = io;
  if (tags) output.metadata = Dictionary.fromObject(tags);
  for (const stream of source.streams) {
    const copy = output.newStream(null);
    stream.codecpar.copy(copy.codecpar);
    copy.codecpar.codecTag = 0;
    copy.timeBase = stream.timeBase;
    // Ogg has its tags in the stream.
    if (tags && ["ogg", "opus"].includes(muxer)) copy.metadata = Dictionary.fromObject(tags);
  }
  check(output.writeHeaderSync(Dictionary.fromObject(muxerOptions)));
  const packet = new Packet();
  packet.alloc();
  while (source.readFrameSync(packet) >= 0) {
    const from = source.streams[packet.streamIndex];
    const to = output.streams[packet.streamIndex];
    if (!from || !to) continue;
    packet.rescaleTs(from.timeBase, to.timeBase);
    if (from.codecpar.codecType === AVMEDIA_TYPE_AUDIO && delaySeconds > 0) {
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
