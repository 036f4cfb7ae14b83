import {
  AV_SAMPLE_FMT_FLT,
  AV_SAMPLE_FMT_FLTP,
  AV_SAMPLE_FMT_S16,
  AV_SAMPLE_FMT_S32,
  type AVSampleFormat,
  type FFEncoderCodec,
} from "node-av/constants";
import { type AudioFormat, MAX_FLAC_CHANNELS, type WavBitDepth } from "../audio-format.ts";

/** How an output format is encoded. */
export type Encoding = {
  muxer: string;
  encoder: FFEncoderCodec;
  sampleFormat: AVSampleFormat;
  /** Integers of this many bits; undefined for float. */
  integerBits?: 16 | 24;
  /** Absent if any rate is supported; otherwise the nearest of these is used. */
  ratesHz?: readonly number[];
  /** More channels are mixed down, or refused in lossless formats: mp3 holds two, the ADTS header of .aac six. */
  maxChannels: number;
  isLossless: boolean;
  bitRate?: (sampleRateHz: number, channels: number) => number;
  muxerOptions: Record<string, string>;
  /** The container can't signal the encoder's delay, so the packet that holds nothing else is dropped. */
  dropsPriming?: boolean;
  /** Readers recognise a raw stream by this many consecutive packets; very short audio is padded with silence. */
  minBlocks?: number;
};

const MP3_RATES_HZ = [8000, 11025, 12000, 16000, 22050, 24000, 32000, 44100, 48000];
const AAC_RATES_HZ = [...MP3_RATES_HZ, 64000, 88200, 96000];

const LOSSLESS = { maxChannels: Number.POSITIVE_INFINITY, isLossless: true } as const;
const INTEGER_16 = { sampleFormat: AV_SAMPLE_FMT_S16, integerBits: 16 } as const;
const INTEGER_24 = { sampleFormat: AV_SAMPLE_FMT_S32, integerBits: 24 } as const;
const FLOAT_32 = { sampleFormat: AV_SAMPLE_FMT_FLT } as const;

/** rf64=auto reserves room in the header, so that a file that grows past 4 GiB becomes RF64. */
const WAV = { ...LOSSLESS, muxer: "wav", muxerOptions: { rf64: "auto" } } as const;

const WAV_BY_BIT_DEPTH: Record<WavBitDepth, Encoding> = {
  16: { ...WAV, ...INTEGER_16, encoder: "pcm_s16le" as FFEncoderCodec },
  24: { ...WAV, ...INTEGER_24, encoder: "pcm_s24le" as FFEncoderCodec },
  32: { ...WAV, ...FLOAT_32, encoder: "pcm_f32le" as FFEncoderCodec },
};

const AAC: Omit<Encoding, "muxer" | "muxerOptions"> = {
  encoder: "aac" as FFEncoderCodec,
  sampleFormat: AV_SAMPLE_FMT_FLTP,
  ratesHz: AAC_RATES_HZ,
  maxChannels: 8,
  isLossless: false,
  bitRate: (_sampleRateHz, channels) => 128_000 * channels,
};

const ENCODINGS: Record<Exclude<AudioFormat, "wav">, Encoding> = {
  flac: {
    ...LOSSLESS,
    ...INTEGER_24,
    muxer: "flac",
    encoder: "flac" as FFEncoderCodec,
    muxerOptions: {},
    maxChannels: MAX_FLAC_CHANNELS,
  },
  aiff: {
    ...LOSSLESS,
    ...INTEGER_24,
    muxer: "aiff",
    encoder: "pcm_s24be" as FFEncoderCodec,
    muxerOptions: {},
  },
  mp3: {
    muxer: "mp3",
    encoder: "libmp3lame" as FFEncoderCodec,
    sampleFormat: AV_SAMPLE_FMT_FLTP,
    ratesHz: MP3_RATES_HZ,
    maxChannels: 2,
    isLossless: false,
    // The maximum for MPEG-1, MPEG-2 and MPEG-2.5.
    bitRate: (sampleRateHz) => (sampleRateHz >= 32000 ? 320_000 : sampleRateHz >= 16000 ? 160_000 : 64_000),
    muxerOptions: {},
  },
  mp4: { ...AAC, muxer: "mp4", muxerOptions: {} },
  m4a: { ...AAC, muxer: "ipod", muxerOptions: {} },
  aac: {
    ...AAC,
    muxer: "adts",
    // The stream itself can't hold tags; readers skip an ID3 block before it.
    muxerOptions: { write_id3v2: "1" },
    maxChannels: 6,
    dropsPriming: true,
    minBlocks: 3,
  },
  opus: {
    muxer: "ogg",
    encoder: "libopus" as FFEncoderCodec,
    sampleFormat: AV_SAMPLE_FMT_FLT,
    ratesHz: [48000],
    maxChannels: 8,
    isLossless: false,
    bitRate: (_sampleRateHz, channels) => 96_000 * channels,
    muxerOptions: {},
  },
};

export function getEncoding(format: AudioFormat, wavBitDepth: WavBitDepth): Encoding {
  return format === "wav" ? WAV_BY_BIT_DEPTH[wavBitDepth] : ENCODINGS[format];
}

export function findNearestRateHz(encoding: Encoding, sampleRateHz: number): number {
  const { ratesHz = [sampleRateHz] } = encoding;
  const distance = (rateHz: number) => Math.abs(rateHz - sampleRateHz);
  return ratesHz.reduce((best, rateHz) => (distance(rateHz) < distance(best) ? rateHz : best));
}
