import {
  AV_LOG_QUIET,
  AV_PIX_FMT_YUV420P,
  AV_PKT_DATA_DISPLAYMATRIX,
  AV_SAMPLE_FMT_S16,
  AVERROR_EAGAIN,
  AVERROR_EOF,
  AVIO_FLAG_WRITE,
  type FFEncoderCodec,
} from "node-av/constants";
import {
  avChannelLayoutDefault,
  Codec,
  CodecContext,
  FFmpegError,
  FormatContext,
  Frame,
  IOContext,
  Log,
  Packet,
  Rational,
  type Stream,
} from "node-av/lib";

const WIDTH = 64;
const HEIGHT = 48;
const FRAMES_PER_SECOND = 25;
const SAMPLES_PER_SECOND = 8000;

type VideoOptions = {
  /** FFmpeg's names of encoder and muxer. */
  encoder?: string;
  muxer?: string;
  /** When each frame is shown, in frames; consecutive by default. */
  toTime?: (index: number) => number;
  /** Stored in the video's side data. */
  displayMatrix?: Buffer;
  /** Adds a tone of this length as 16-bit PCM, which Matroska and QuickTime hold. */
  soundSeconds?: number;
};

/** A small silent video; by default H.264 with B-frames, whose packets are stored out of display order. */
export function makeVideo(path: string, lengthFrames: number, options: VideoOptions = {}): void {
  const { encoder: encoderName = "libx264", muxer = "mp4", toTime = (index) => index } = options;
  Log.setLevel(AV_LOG_QUIET);
  const hasGlobalHeader = muxer !== "webm";
  const encoder = openVideoEncoder(encoderName, hasGlobalHeader);
  const format = new FormatContext();
  const io = new IOContext();
  check(io.open2Sync(`file:${path}`, AVIO_FLAG_WRITE));
  check(format.allocOutputContext2(null, muxer, path));
  format.pb = io;
  const stream = format.newStream(null);
  check(encoder.parametersFromContext(stream.codecpar));
  stream.timeBase = encoder.timeBase;
  if (options.displayMatrix)
    stream.codecpar.addCodedSideData(AV_PKT_DATA_DISPLAYMATRIX, options.displayMatrix);
  const { soundSeconds = 0 } = options;
  const sound = soundSeconds > 0 ? addSound(format) : undefined;
  check(format.writeHeaderSync(null));
  if (sound) writeSound(format, sound, soundSeconds);
  const packet = new Packet();
  packet.alloc();
  for (let index = 0; index <= lengthFrames; index++) {
    check(encoder.sendFrameSync(index < lengthFrames ? makePicture(index, toTime(index)) : null));
    for (;;) {
      const code = encoder.receivePacketSync(packet);
      if (code === AVERROR_EAGAIN || code === AVERROR_EOF) break;
      packet.streamIndex = stream.index;
      packet.rescaleTs(encoder.timeBase, stream.timeBase);
      check(format.interleavedWriteFrameSync(packet));
    }
  }
  check(format.writeTrailerSync());
  check(io.closepSync());
}

type SoundTrack = { encoder: CodecContext; stream: Stream };

function addSound(format: FormatContext): SoundTrack {
  const codec = Codec.findEncoderByName("pcm_s16le" as FFEncoderCodec);
  const encoder = new CodecContext();
  encoder.allocContext3(codec);
  encoder.sampleRate = SAMPLES_PER_SECOND;
  encoder.channelLayout = avChannelLayoutDefault(1);
  encoder.sampleFormat = AV_SAMPLE_FMT_S16;
  encoder.timeBase = new Rational(1, SAMPLES_PER_SECOND);
  check(encoder.open2Sync(codec, null));
  const stream = format.newStream(null);
  check(encoder.parametersFromContext(stream.codecpar));
  stream.timeBase = encoder.timeBase;
  return { encoder, stream };
}

function writeSound(format: FormatContext, { encoder, stream }: SoundTrack, seconds: number): void {
  const samples = Int16Array.from({ length: seconds * SAMPLES_PER_SECOND }, (_, n) => 8000 * Math.sin(n / 9));
  const frame = Frame.fromAudioBuffer(Buffer.from(samples.buffer), {
    nbSamples: samples.length,
    format: AV_SAMPLE_FMT_S16,
    sampleRate: SAMPLES_PER_SECOND,
    channelLayout: encoder.channelLayout,
    timeBase: { num: 1, den: SAMPLES_PER_SECOND },
    pts: 0n,
  });
  check(encoder.sendFrameSync(frame));
  const packet = new Packet();
  packet.alloc();
  check(encoder.receivePacketSync(packet));
  packet.streamIndex = stream.index;
  packet.rescaleTs(encoder.timeBase, stream.timeBase);
  check(format.interleavedWriteFrameSync(packet));
}

function openVideoEncoder(name: string, hasGlobalHeader: boolean): CodecContext {
  const codec = Codec.findEncoderByName(name as FFEncoderCodec);
  const encoder = new CodecContext();
  encoder.allocContext3(codec);
  encoder.width = WIDTH;
  encoder.height = HEIGHT;
  encoder.pixelFormat = AV_PIX_FMT_YUV420P;
  encoder.timeBase = new Rational(1, FRAMES_PER_SECOND);
  encoder.framerate = new Rational(FRAMES_PER_SECOND, 1);
  encoder.gopSize = 12;
  if (["libx264", "libx265", "mpeg2video", "mpeg4"].includes(name)) encoder.maxBFrames = 2;
  // Most containers need the parameter sets in their header.
  if (hasGlobalHeader) encoder.setOption("flags", "+global_header");
  check(encoder.open2Sync(codec, null));
  return encoder;
}

function makePicture(index: number, time: number): Frame {
  const picture = Buffer.alloc((WIDTH * HEIGHT * 3) / 2, (index * 5) % 256);
  const timeBase = { num: 1, den: FRAMES_PER_SECOND };
  const size = { width: WIDTH, height: HEIGHT };
  return Frame.fromVideoBuffer(picture, {
    ...size,
    format: AV_PIX_FMT_YUV420P,
    timeBase,
    pts: BigInt(time),
  });
}

function check(code: number): void {
  FFmpegError.throwIfError(code);
}
