import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { wrapRawSound } from "./raw-sound.ts";

const upload = (content: Buffer[]) => ({
  name: "audio_file",
  names: ["audio_file"],
  content: Readable.from(content, { objectMode: false }),
  maxBytes: 1e9,
});

describe("raw audio", () => {
  it("[J14] becomes a wav with exactly the bytes sent", async () => {
    const { names, content } = await wrapRawSound(upload([Buffer.alloc(5000, 1), Buffer.alloc(3000, 2)]));
    expect(names).toEqual(["sound.wav"]);
    const bytes = await buffer(content);
    expect(bytes.subarray(0, 4).toString()).toBe("RIFF");
    expect(bytes.readUInt32LE(24)).toBe(16_000);
    expect(bytes.subarray(44)).toEqual(Buffer.concat([Buffer.alloc(5000, 1), Buffer.alloc(3000, 2)]));
  });

  it("[J15] is truncated to a number of seconds, and read to its end", async () => {
    const chunks = Array.from({ length: 100 }, () => Buffer.alloc(3200, 1));
    const given = upload(chunks);
    const { content } = await wrapRawSound(given, { maxSeconds: 1 });
    expect((await buffer(content)).length).toBe(44 + 32_000);
    expect(given.content.readableEnded).toBe(true);
  });

  it("[J14] that is really a media file is passed through", async () => {
    const flac = Buffer.concat([Buffer.from("fLaC"), Buffer.alloc(100)]);
    const { names, content } = await wrapRawSound(upload([flac]));
    expect(names).toEqual(["audio_file"]);
    expect(await buffer(content)).toEqual(flac);
  });
});
