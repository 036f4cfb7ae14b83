import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { probeMedia } from "./probe-media.ts";
import { decodeSignal } from "./support/encode-and-decode.ts";
import { makeSound, type SoundCoding } from "./support/make-sound.ts";
import { makeTemporaryFolder } from "./support/temporary-folder.ts";

const inFolder = makeTemporaryFolder();
const SECONDS = 2;
const FREQUENCY_HZ = 440;

/** Upward zero crossings per second: robust against delays, and exact to a percent for one tone. */
function countCycles({ samples, sampleRateHz }: { samples: Float32Array; sampleRateHz: number }): number {
  const middle = samples.subarray(samples.length / 4, (samples.length * 3) / 4);
  const crossings = middle.reduce(
    (count, value, n) => (value >= 0 && (middle[n - 1] ?? 0) < 0 ? count + 1 : count),
    0,
  );
  return (crossings * sampleRateHz) / middle.length;
}

it.each<SoundCoding & { extension: string; codec?: string }>([
  { extension: "wma", muxer: "asf", encoder: "wmav2" },
  { extension: "wma", muxer: "asf", encoder: "wmav1" },
  { extension: "ac3", muxer: "ac3", encoder: "ac3" },
  { extension: "eac3", muxer: "eac3", encoder: "eac3" },
  { extension: "caf", muxer: "caf", encoder: "alac", samples: "s16p" },
  { extension: "caf", muxer: "caf", encoder: "pcm_s16be", samples: "s16" },
  { extension: "avi", muxer: "avi", encoder: "pcm_s16le", samples: "s16" },
  { extension: "avi", muxer: "avi", encoder: "libmp3lame", codec: "mp3" },
  // MPEG-2 gives both layers one number.
  { extension: "ts", muxer: "mpegts", encoder: "mp2", samples: "s16", codec: "mp3" },
  { extension: "ts", muxer: "mpegts", encoder: "eac3" },
  { extension: "ts", muxer: "mpegts", encoder: "aac" },
  { extension: "mpg", muxer: "mpeg", encoder: "mp2", samples: "s16" },
  { extension: "flv", muxer: "flv", encoder: "libmp3lame", codec: "mp3" },
  { extension: "mp2", muxer: "mp2", encoder: "mp2", samples: "s16" },
  { extension: "au", muxer: "au", encoder: "pcm_s16be", samples: "s16" },
  { extension: "w64", muxer: "w64", encoder: "pcm_s16le", samples: "s16" },
  { extension: "wv", muxer: "wv", encoder: "wavpack", samples: "s16p" },
  { extension: "mka", muxer: "matroska", encoder: "aac" },
])("[A30] reads $extension with $encoder", async ({ extension, codec, ...coding }) => {
  const path = inFolder(`${coding.encoder}.${extension}`);
  makeSound(path, coding, { sampleRateHz: 44_100, seconds: SECONDS });
  expect(await probeMedia(path)).toMatchObject({
    codec: codec ?? coding.encoder,
    channels: 1,
    hasVideo: false,
  });
  const sound = await decodeSignal(path);
  expect(sound.lengthFrames / sound.sampleRateHz).toBeGreaterThan(SECONDS - 0.1);
  expect(sound.lengthFrames / sound.sampleRateHz).toBeLessThan(SECONDS + 0.15);
  expect(countCycles(sound) / FREQUENCY_HZ).toBeCloseTo(1, 1);
});

// No FFmpeg at hand encodes them: 0.6 s of the same tone by opencore-amr and vo-amrwbenc.
it.each([
  { name: "narrow", codec: "amr_nb", sampleRateHz: 8000 },
  { name: "wide", codec: "amr_wb", sampleRateHz: 16_000 },
])("[A30] reads amr, $name band", async ({ name, codec, sampleRateHz }) => {
  const path = inFolder(`${name}.amr`);
  copyFileSync(join(import.meta.dirname, "support", "amr", `${name}.amr`), path);
  expect(await probeMedia(path)).toMatchObject({ container: "amr", codec, sampleRateHz, channels: 1 });
  const sound = await decodeSignal(path);
  expect(sound.lengthFrames).toBe(0.6 * sampleRateHz);
  expect(countCycles(sound) / FREQUENCY_HZ).toBeCloseTo(1, 1);
});
