import { Readable } from "node:stream";
import { FORMAT_HEAD_BYTES, findMediaFormat } from "../../domain/assets/content-format.ts";
import { peekStream } from "../../domain/assets/peek-stream.ts";
import type { UploadContent } from "../../domain/assets/store-upload.ts";

/** Sent by clients that decode files themselves: 16-bit samples, mono, at Whisper's rate. */
const SAMPLE_RATE_HZ = 16_000;
const SAMPLE_BYTES = 2;
const HEADER_BYTES = 44;
/** The maximum of both size fields: the length is unknown until everything has arrived. */
const UNKNOWN_LENGTH = 0xff_ff_ff_ff;

function makeWavHeader(): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header.write("RIFF", 0);
  header.writeUInt32LE(UNKNOWN_LENGTH, 4);
  header.write("WAVEfmt ", 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(SAMPLE_RATE_HZ, 24);
  header.writeUInt32LE(SAMPLE_RATE_HZ * SAMPLE_BYTES, 28);
  header.writeUInt16LE(SAMPLE_BYTES, 32);
  header.writeUInt16LE(8 * SAMPLE_BYTES, 34);
  header.write("data", 36);
  header.writeUInt32LE(UNKNOWN_LENGTH, 40);
  return header;
}

async function* withHeader(content: Readable, maxBytes: number): AsyncGenerator<Buffer> {
  let leftBytes = maxBytes;
  // Empty input stays empty, so that it is refused as such.
  let isStarted = false;
  for await (const chunk of content) {
    const part = (chunk as Buffer).subarray(0, leftBytes);
    leftBytes -= part.length;
    if (part.length === 0) continue;
    yield isStarted ? part : Buffer.concat([makeWavHeader(), part]);
    isStarted = true;
  }
}

/** Wraps raw samples as a WAV, up to a number of seconds. Content that starts like a media file is left unchanged. */
export async function wrapRawSound(
  upload: UploadContent,
  { maxSeconds = Number.POSITIVE_INFINITY }: { maxSeconds?: number } = {},
): Promise<UploadContent> {
  const { head, content } = await peekStream(upload.content, FORMAT_HEAD_BYTES);
  if (findMediaFormat(head) !== undefined) return { ...upload, content };
  const sound = Readable.from(withHeader(content, maxSeconds * SAMPLE_RATE_HZ * SAMPLE_BYTES), {
    objectMode: false,
  });
  return { ...upload, names: ["sound.wav"], content: sound };
}
