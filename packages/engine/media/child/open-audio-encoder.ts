import {
  AV_CHANNEL_ORDER_NATIVE,
  AV_CODEC_FLAG_BITEXACT,
  AV_CODEC_FLAG_GLOBAL_HEADER,
} from "node-av/constants";
import { avChannelLayoutDefault, type ChannelLayout, Codec, CodecContext, Rational } from "node-av/lib";
import { MediaError } from "../media-error.ts";
import { describeTooManyChannels } from "../output-fault.ts";
import { describeLayout, parseLayout } from "./channel-layout.ts";
import { type Encoding, findNearestRateHz } from "./encoding.ts";

/** Layouts that lossy formats know by another name: the same channels in the same order, back instead of side. */
const LOSSY_NAMES: Readonly<Record<string, string>> = {
  "5.1(side)": "5.1",
  "5.0(side)": "5.0",
  "quad(side)": "quad",
};

export type EncoderInput = { sampleRateHz: number; layout: ChannelLayout };

/** The layout under the name the encoding uses; no sample changes. */
export function toEncodingLayout(encoding: Encoding, layout: ChannelLayout): ChannelLayout {
  const name = encoding.isLossless ? undefined : LOSSY_NAMES[describeLayout(layout)];
  return (name && parseLayout(name)) || layout;
}

/** Tries the layout as given, then others that the audio has to be mixed into. */
export function openAudioEncoder(options: {
  encoding: Encoding;
  input: EncoderInput;
  hasGlobalHeader: boolean;
}): CodecContext {
  const { encoding, input } = options;
  const { nbChannels } = input.layout;
  if (encoding.isLossless && nbChannels > encoding.maxChannels)
    throw new MediaError("encode-failed", describeTooManyChannels(encoding.muxer, nbChannels));
  for (const layout of listLayouts(encoding, input.layout)) {
    const context = makeContext({ ...options, layout });
    if (context) return context;
  }
  throw new MediaError(
    "encode-failed",
    `${encoding.encoder} cannot hold ${describeLayout(input.layout)} sound at ${input.sampleRateHz} Hz.`,
  );
}

function listLayouts({ maxChannels, isLossless }: Encoding, layout: ChannelLayout): ChannelLayout[] {
  if (isLossless) return [layout];
  // Channels without a layout are mixed to two.
  const isNamed = layout.order === AV_CHANNEL_ORDER_NATIVE;
  if (layout.nbChannels > maxChannels) return [avChannelLayoutDefault(isNamed ? maxChannels : 2)];
  // Opus supports few layouts; the others (2.1, 3.1) fit into a larger one with silent channels.
  const larger = ["5.1", "7.1"].map(parseLayout).filter((known) => known !== undefined);
  return [layout, ...larger.filter((known) => known.nbChannels >= layout.nbChannels)];
}

function makeContext(options: {
  encoding: Encoding;
  input: EncoderInput;
  layout: ChannelLayout;
  hasGlobalHeader: boolean;
}): CodecContext | undefined {
  const { encoding, input, layout, hasGlobalHeader } = options;
  const codec = Codec.findEncoderByName(encoding.encoder);
  const sampleRateHz = findNearestRateHz(encoding, input.sampleRateHz);
  const context = new CodecContext();
  context.allocContext3(codec);
  context.sampleRate = sampleRateHz;
  context.channelLayout = layout;
  context.sampleFormat = encoding.sampleFormat;
  context.timeBase = new Rational(1, sampleRateHz);
  context.threadCount = 1;
  // Omits the encoder's version, so that the same audio gives the same bytes.
  context.setFlags(AV_CODEC_FLAG_BITEXACT);
  if (hasGlobalHeader) context.setFlags(AV_CODEC_FLAG_GLOBAL_HEADER);
  if (encoding.integerBits) context.bitsPerRawSample = encoding.integerBits;
  if (encoding.bitRate) context.bitRate = BigInt(encoding.bitRate(sampleRateHz, layout.nbChannels));
  if (context.open2Sync(codec, null) >= 0) return context;
  context.freeContext();
  return undefined;
}
