import { readFileSync } from "node:fs";
import { z } from "zod";
import { BytePairs } from "./byte-pairs.ts";

const fileSchema = z.object({
  added_tokens: z.array(z.object({ id: z.int(), content: z.string() })),
  model: z.object({ vocab: z.record(z.string(), z.int()), merges: z.array(z.string()) }),
});

/** GPT-2's pre-tokenizer: contractions, letters, numbers, other characters, spaces. */
const PIECES = /'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+/gu;

/** Encodes and decodes text in the vocabulary of the multilingual Whisper networks. */
export class WhisperTokenizer {
  readonly endOfText: number;
  readonly startOfTranscript: number;
  readonly transcribe: number;
  readonly translate: number;
  /** Precedes a prompt, which the transcript continues. */
  readonly startOfPrevious: number;
  readonly noSpeech: number;
  readonly noTimestamps: number;
  /** Ids of the languages by ISO 639 code, e.g. "en". */
  readonly languageIds: ReadonlyMap<string, number>;
  readonly #ids: ReadonlyMap<string, number>;
  readonly #bytesOfId: (Uint8Array | undefined)[] = [];
  readonly #pairs: BytePairs;

  constructor(text: string) {
    const { added_tokens, model } = fileSchema.parse(JSON.parse(text));
    this.#ids = new Map(Object.entries(model.vocab));
    this.#pairs = new BytePairs(model.merges);
    for (const [piece, id] of this.#ids) this.#bytesOfId[id] = this.#pairs.toBytes(piece);
    const added = new Map(added_tokens.map(({ id, content }) => [content, id]));
    const getId = (content: string) => {
      const id = added.get(content);
      if (id === undefined) throw new Error(`the tokenizer has no ${content}`);
      return id;
    };
    this.endOfText = getId("<|endoftext|>");
    this.startOfTranscript = getId("<|startoftranscript|>");
    this.transcribe = getId("<|transcribe|>");
    this.translate = getId("<|translate|>");
    this.startOfPrevious = getId("<|startofprev|>");
    this.noSpeech = added.get("<|nospeech|>") ?? getId("<|nocaptions|>");
    this.noTimestamps = getId("<|notimestamps|>");
    this.languageIds = new Map(
      [...added]
        .filter(([content, id]) => /^<\|[a-z]{2,3}\|>$/.test(content) && id > this.startOfTranscript)
        .map(([content, id]) => [toIsoCode(content.slice(2, -2)), id]),
    );
  }

  static load(path: string): WhisperTokenizer {
    return new WhisperTokenizer(readFileSync(path, "utf8"));
  }

  /** Whether the id stands for text, not for a time, a language or a command. */
  isText(id: number): boolean {
    return id < this.endOfText;
  }

  /** Whether the id stands for letters or digits, or a part of one, not for punctuation or a space alone. */
  isWord(id: number): boolean {
    return /[\p{L}\p{M}\p{N}\ufffd]/u.test(this.decode([id]));
  }

  encode(text: string): number[] {
    return (text.match(PIECES) ?? []).flatMap((piece) =>
      this.#pairs.split(piece).map((part) => {
        const id = this.#ids.get(part);
        if (id === undefined) throw new Error(`the vocabulary has no ${JSON.stringify(part)}`);
        return id;
      }),
    );
  }

  /** The bytes of the ids; a single id may be only part of a character. */
  toBytes(ids: readonly number[]): Uint8Array {
    return Buffer.concat(
      ids.filter((id) => this.isText(id)).map((id) => this.#bytesOfId[id] ?? new Uint8Array()),
    );
  }

  decode(ids: readonly number[]): string {
    return new TextDecoder("utf-8", { ignoreBOM: true }).decode(this.toBytes(ids));
  }
}

/** Whisper uses the old code for Javanese. */
function toIsoCode(code: string): string {
  return code === "jw" ? "jv" : code;
}
