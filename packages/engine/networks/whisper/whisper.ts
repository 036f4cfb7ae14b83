import type { FloatTensor } from "../../runtime/graph-session.ts";
import { type Decoder, DecoderMemory, DecoderRun } from "./decoder-run.ts";
import type { Encoder } from "./encoder.ts";
import { LogMel, MEL_SHAPE, SPEECH_WINDOW_FRAMES } from "./log-mel.ts";
import type { WhisperTokenizer } from "./tokenizer.ts";
import type { WhisperSettings } from "./whisper-settings.ts";

/** One state for every 20 ms of a 30 s window. */
export const STATE_COUNT = 1500;
export const STATE_FRAMES = SPEECH_WINDOW_FRAMES / STATE_COUNT;

/** A multilingual Whisper network: an encoder for windows of 30 s, and a decoder that writes the text. */
export class Whisper {
  readonly tokenizer: WhisperTokenizer;
  readonly settings: WhisperSettings;
  /** Of the encoder. */
  readonly runsOn: string;
  readonly #encode: Encoder;
  readonly #decoder: Decoder;
  readonly #decoderMemory = new DecoderMemory();
  readonly #mel = new LogMel();
  readonly #bands = new Float32Array(MEL_SHAPE[0] * MEL_SHAPE[1]);

  constructor(parts: {
    encode: Encoder;
    runsOn: string;
    decoder: Decoder;
    tokenizer: WhisperTokenizer;
    settings: WhisperSettings;
  }) {
    this.tokenizer = parts.tokenizer;
    this.settings = parts.settings;
    this.runsOn = parts.runsOn;
    this.#encode = parts.encode;
    this.#decoder = parts.decoder;
  }

  /** Encodes at most 30 s at 16 kHz into `STATE_COUNT` states, shape [1, 1500, width]. */
  async encode(samples: Float32Array): Promise<FloatTensor> {
    this.#mel.compute(samples, this.#bands);
    return await this.#encode(this.#bands);
  }

  /** Starts decoding several encoded windows at once, one row each. */
  startDecoding(states: readonly FloatTensor[]): DecoderRun {
    return new DecoderRun({ decoder: this.#decoder, states, memory: this.#decoderMemory });
  }
}
