import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeTempDir } from "../../../test/support/temp-dir.ts";
import { CliError } from "../cli-error.ts";
import { listInputs } from "./list-inputs.ts";

let folder: string;
beforeAll(async () => {
  folder = await makeTempDir("inputs");
  for (const path of ["b.mp3", "a.WAV", "notes.txt", "b/vocals.wav", "live/c.flac", "live/c/drums.wav"]) {
    await mkdir(join(folder, path, ".."), { recursive: true });
    await writeFile(join(folder, path), "x");
  }
});
afterAll(() => rm(folder, { recursive: true }));

const list = async (given: string[], recursive = false) =>
  (
    await listInputs(
      given.map((word) => join(folder, word)),
      { recursive },
    )
  ).map((path) => path.slice(folder.length + 1));

describe("inputs", () => {
  it("[S21] lists a folder's media by name; subfolders on request, but never the outputs next to an input", async () => {
    expect(await list(["."])).toEqual(["a.WAV", "b.mp3"]);
    expect(await list(["."], true)).toEqual(["a.WAV", "b.mp3", "live/c.flac"]);
  });

  it("[S21] patterns match only media, and a file named twice counts once", async () => {
    expect(await list(["*", "b.mp3"])).toEqual(["a.WAV", "b.mp3"]);
    expect(await list(["**/*.flac"])).toEqual(["live/c.flac"]);
  });

  it("[S21] [A30] transport streams are media, TypeScript is not", async () => {
    const packets = (sizeBytes: number, syncAt: number) => {
      const bytes = Buffer.alloc(4 * sizeBytes);
      for (let at = syncAt; at < bytes.length; at += sizeBytes) bytes[at] = 0x47;
      return bytes;
    };
    await mkdir(join(folder, "streams"));
    await writeFile(join(folder, "streams", "Good.ts"), "Go on".repeat(100));
    await writeFile(join(folder, "streams", "short.ts"), "");
    await writeFile(join(folder, "streams", "tv.ts"), packets(188, 0));
    await writeFile(join(folder, "streams", "camera.MTS"), packets(192, 4));
    expect(await list(["streams"])).toEqual(["streams/camera.MTS", "streams/tv.ts"]);
    expect(await list(["streams/*.ts"])).toEqual(["streams/tv.ts"]);
    await rm(join(folder, "streams"), { recursive: true });
  });

  it("[S21] a named file is taken whatever its extension; - and URLs are kept unchanged", async () => {
    expect(await list(["notes.txt"])).toEqual(["notes.txt"]);
    expect(await listInputs(["-", "https://x.example/a"], { recursive: false })).toEqual([
      "-",
      "https://x.example/a",
    ]);
  });

  it.each([["missing.wav"], ["*.ogg"]])("[S22] %s: finding nothing is a separate error", async (word) => {
    const error = await list([word]).catch((failure: unknown) => failure);
    expect(error).toBeInstanceOf(CliError);
    expect((error as CliError).reason).toBe("NO_INPUT");
  });
});
