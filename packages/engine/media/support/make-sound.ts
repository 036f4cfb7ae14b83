import {
  AV_SAMPLE_FMT_FLTP,
  AV_SAMPLE_FMT_S16,
  AV_SAMPLE_FMT_S16P,
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
  Packet,
  Rational,
} from "node-av/lib";

const BLOCK_FRAMES = 4096;

const SAMPLE_FORMATS = { float: AV_SAMPLE_FMT_FLTP, s16: AV_SAMPLE_FMT_S16, s16p: AV_SAMPLE_FMT_S16P };

/** FFmpeg's names of a muxer and an encoder, and what samples that takes. */
export type SoundCoding = { muxer: string; encoder: string; samples?: keyof typeof SAMPLE_FORMATS };

/** A tone of 440 Hz at half of full scale, in one channel, in a container that the service reads but does not write. */
export function makeSound(
  path: string,
  { muxer, encoder: name, samples = "float" }: SoundCoding,
  { sampleRateHz, seconds }: { sampleRateHz: number; seconds: number },
): void {
  const codec = Codec.findEncoderByName(name as FFEncoderCodec);
  const encoder = new CodecContext();
  encoder.allocContext3(codec);
  encoder.sampleRate = sampleRateHz;
  encoder.channelLayout = avChannelLayoutDefault(1);
  encoder.sampleFormat = SAMPLE_FORMATS[samples];
  encoder.timeBase = new Rational(1, sampleRateHz);
  encoder.setOption("flags", "+global_header");
  check(encoder.open2Sync(codec, null));
  const format = new FormatContext();
  const io = new IOContext();
  check(io.open2Sync(`file:${path}`, AVIO_FLAG_WRITE));
  check(format.allocOutputContext2(null, muxer, path));
  format.pb = io;
  const stream = format.newStream(null);
  check(encoder.parametersFromContext(stream.codecpar));
  stream.timeBase = encoder.timeBase;
  check(format.writeHeaderSync(null));
  const blockFrames = encoder.frameSize || BLOCK_FRAMES;
  for (let at = 0; at < seconds * sampleRateHz; at += blockFrames) {
    // An encoder with a fixed block size gets whole blocks.
    const restFrames = encoder.frameSize || seconds * sampleRateHz - at;
    send(makeTone(encoder, at, Math.min(blockFrames, restFrames)));
  }
  send(null);
  check(format.writeTrailerSync());
  check(io.closepSync());

  function send(frame: Frame | null): void {
    check(encoder.sendFrameSync(frame));
    const packet = new Packet();
    packet.alloc();
    for (;;) {
      const code = encoder.receivePacketSync(packet);
      if (code === AVERROR_EAGAIN || code === AVERROR_EOF) return;
      check(code);
      packet.streamIndex = stream.index;
      packet.rescaleTs(encoder.timeBase, stream.timeBase);
      check(format.interleavedWriteFrameSync(packet));
    }
  }
}

function makeTone(encoder: CodecContext, startFrame: number, lengthFrames: number): Frame {
  const { sampleFormat, sampleRate, channelLayout } = encoder;
  const tone = Float32Array.from(
    { length: lengthFrames },
    (_, n) => Math.sin((2 * Math.PI * 440 * (startFrame + n)) / sampleRate) / 2,
  );
  const samples =
    sampleFormat === AV_SAMPLE_FMT_FLTP ? tone : Int16Array.from(tone, (value) => value * 2 ** 15);
  return Frame.fromAudioBuffer(Buffer.from(samples.buffer), {
    nbSamples: lengthFrames,
    format: sampleFormat,
    sampleRate,
    channelLayout,
    timeBase: { num: 1, den: sampleRate },
    pts: BigInt(startFrame),
  });
}

function check(code: number): void {
  FFmpegError.throwIfError(code);
}
