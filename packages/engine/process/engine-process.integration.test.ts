import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { interleave } from "../dsp/interleave.ts";
import reference from "../support/htdemucs-reference.json" with { type: "json" };
import { makeProgressLog } from "../support/progress-log.ts";
import { readSound, type Sound, writeSound } from "../support/sound-file.ts";
import { makeSyntheticSong } from "../support/synthetic-song.ts";
import type { SoundTarget } from "../targets/engine-request.ts";
import { EngineProcess } from "./engine-process.ts";

const { sampleRateHz, lengthFrames, everyFrames } = reference;
const STEMS = ["drums", "bass", "other", "vocals"] as const;

const folder = mkdtempSync(join(tmpdir(), "stemwright-process-"));
const engine = new EngineProcess({ cacheDir: join(folder, "cache") });

afterAll(async () => {
  await engine.close();
  rmSync(folder, { recursive: true, force: true });
});

function makeTarget(model: string): SoundTarget {
  const path = (output: string) => join(folder, `${model}-${output}.wav`);
  const files = (["stem", "residual"] as const).map((output) => ({
    output,
    format: "wav" as const,
    path: path(output),
  }));
  return { kind: "sound", key: model, model, files };
}

function readOutput(model: string, output: "stem" | "residual"): Sound {
  return readSound(join(folder, `${model}-${output}.wav`));
}

function makeRequest(name: string, targets: SoundTarget[]) {
  return { inputPath: join(folder, name), workDir: join(folder, `${name}-work`), targets };
}

function snrDb(wanted: Float32Array, given: Float32Array): number {
  let signal = 0;
  let noise = 0;
  wanted.forEach((value, n) => {
    signal += value * value;
    noise += (value - (given[n] ?? Number.NaN)) ** 2;
  });
  return 10 * Math.log10(signal / noise);
}

describe("five targets from one network pass", () => {
  const song = makeSyntheticSong({ sampleRateHz, lengthFrames });
  const done: string[] = [];
  const log = makeProgressLog();
  let longestBlockMs = 0;

  beforeAll(async () => {
    writeSound(join(folder, "song.wav"), song, sampleRateHz);
    let lastTick = performance.now();
    const ticker = setInterval(() => {
      longestBlockMs = Math.max(longestBlockMs, performance.now() - lastTick);
      lastTick = performance.now();
    }, 10);
    await engine.run(makeRequest("song.wav", [...STEMS, "instrumental"].map(makeTarget)), {
      onProgress: log.onProgress,
      onTargetDone: (key) => void done.push(key),
    });
    clearInterval(ticker);
  });

  it.each(STEMS)("agrees with the reference program on %s", (stem) => {
    const bytes = Buffer.from(reference.stems[stem], "base64");
    const expected = new Float32Array(new Uint8Array(bytes).buffer);
    const given = readOutput(stem, "stem").planes.map((plane) =>
      plane.filter((_, n) => n % everyFrames === 0),
    );
    const joined = Float32Array.from(given.flatMap((plane) => [...plane]));
    expect(joined.length).toBe(expected.length);
    // 122 to 135 dB on the machine that made the reference, 50 to 58 dB with int8 products.
    expect(snrDb(expected, joined)).toBeGreaterThan(40);
  });

  it("reports rising progress and every target", () => {
    expect(done.toSorted()).toEqual([...STEMS, "instrumental"].toSorted());
    for (const key of done) {
      const fractions = log.fractionsOf(key);
      expect(fractions).toEqual([...fractions].sort((a, b) => a - b));
      expect(fractions.at(-1)).toBeCloseTo(1, 9);
    }
  });

  it.each([...STEMS, "instrumental"])("makes stem + residual = input for %s", (model) => {
    const stem = interleave(readOutput(model, "stem").planes);
    const residual = interleave(readOutput(model, "residual").planes);
    const input = interleave(song);
    expect(stem.length).toBe(input.length);
    const error = input.reduce(
      (peak, value, n) => Math.max(peak, Math.abs((stem[n] ?? 0) + (residual[n] ?? 0) - value)),
      0,
    );
    expect(error).toBeLessThan(1e-6);
  });

  it("[O8] writes the same bytes for the same work", async () => {
    const first = readFileSync(join(folder, "vocals-stem.wav"));
    const again = { ...makeRequest("song.wav", [makeTarget("vocals")]), workDir: join(folder, "again") };
    await engine.run(again);
    expect(readFileSync(join(folder, "vocals-stem.wav")).equals(first)).toBe(true);
  });

  it("never blocks the caller's thread", () => {
    // Two busy cores delay a timer; a network run would block it for seconds.
    expect(longestBlockMs).toBeLessThan(1500);
  });

  it("keeps the process, and an error for a bad input does not stop it", async () => {
    const pid = engine.pid;
    writeFileSync(join(folder, "text.wav"), "no sound at all");
    const failure = engine.run(makeRequest("text.wav", [makeTarget("vocals")]));
    await expect(engine.run(makeRequest("text.wav", []))).rejects.toThrow("one request at a time");
    await expect(failure).rejects.toMatchObject({ name: "EngineError", kind: "input-unreadable" });
    expect(engine.pid).toBe(pid);
  });

  it("rejects if a hook rejects, and is ready for the next request", async () => {
    const refused = engine.run(makeRequest("song.wav", [makeTarget("unknown")]), {
      onTargetFailed: () => Promise.reject(new Error("it could not be written down")),
    });
    await expect(refused).rejects.toThrow("it could not be written down");
    await engine.run(makeRequest("song.wav", []));
  });
});

describe("an input of two segments", () => {
  const spool = join(folder, "long.wav-work/htdemucs/plain/vocals.f32");

  beforeAll(() => {
    const planes = makeSyntheticSong({ sampleRateHz, lengthFrames: 350_000 }).slice(0, 1);
    writeSound(join(folder, "long.wav"), planes, sampleRateHz);
  });

  it("is cancelled within two seconds and continued after the first segment", async () => {
    const abort = new AbortController();
    let cancelledAt = 0;
    const run = engine.run(makeRequest("long.wav", [makeTarget("vocals")]), {
      signal: abort.signal,
      onProgress: () => {
        if ((statSync(spool, { throwIfNoEntry: false })?.size ?? 0) === 0) return;
        cancelledAt = performance.now();
        abort.abort();
      },
    });
    await expect(run).rejects.toMatchObject({ kind: "cancelled" });
    expect(performance.now() - cancelledAt).toBeLessThan(2000);
    const firstFrames = readFileSync(spool);
    // The part that the second segment, which ends with the input, does not cover.
    expect(firstFrames.length).toBe((350_000 - 343_980) * 4);

    await engine.run(makeRequest("long.wav", [makeTarget("vocals")]));
    const whole = readFileSync(spool);
    expect(whole.length).toBe(350_000 * 4);
    expect(whole.subarray(0, firstFrames.length).equals(firstFrames)).toBe(true);
    expect(readOutput("vocals", "stem")).toMatchObject({ channels: 1, sampleRateHz, lengthFrames: 350_000 });
  });
});

describe("the process", () => {
  it.each([
    { signal: "SIGTERM", name: "Error", why: "." },
    { signal: "SIGKILL", name: "EngineKilled", why: ", most likely because the machine ran out of memory." },
  ])("[Q6] that $signal ends tells of no failure of the work", async ({ signal, name, why }) => {
    rmSync(join(folder, "song.wav-work"), { recursive: true, force: true });
    const run = engine.run(makeRequest("song.wav", [makeTarget("vocals")]), {
      onProgress: () => {
        if (engine.pid !== undefined) process.kill(engine.pid, signal);
      },
    });
    await expect(run).rejects.toThrow(`The engine process was ended from outside (signal ${signal})${why}`);
    await expect(run).rejects.toMatchObject({ name });
  });

  it("that is cancelled stops after the running hook, and starts no other", async () => {
    const abort = new AbortController();
    const begun: string[] = [];
    let isAtWork = false;
    const run = engine.run(makeRequest("song.wav", ["unknown", "unheard-of"].map(makeTarget)), {
      signal: abort.signal,
      onTargetFailed: async (key) => {
        begun.push(key);
        isAtWork = true;
        await setTimeout(100);
        abort.abort();
        await setTimeout(500);
        isAtWork = false;
      },
    });
    await expect(run).rejects.toMatchObject({ kind: "cancelled" });
    expect(isAtWork).toBe(false);
    await setTimeout(50);
    expect(begun).toEqual(["unknown"]);
  });

  it("[S3] reports why the network runs on the CPU although another provider was requested", async () => {
    const notices: string[] = [];
    const onNotice = (notice: string) => notices.push(notice);
    const elsewhere = new EngineProcess({ executionProvider: "directml", onNotice });
    writeSound(join(folder, "short.wav"), [Float32Array.of(0.5)], sampleRateHz);
    await elsewhere.run(makeRequest("short.wav", [makeTarget("dialogue")]));
    await elsewhere.close();
    expect(notices).toEqual([expect.stringContaining("directml cannot be used for dialogue")]);
  });

  it("exits when idle", async () => {
    const shortLived = new EngineProcess({ idleMs: 50 });
    await shortLived.run(makeRequest("song.wav", []));
    expect(shortLived.pid).toBeDefined();
    await expect.poll(() => shortLived.pid, { timeout: 5000 }).toBeUndefined();
  });

  it("exits when its parent is killed", async () => {
    const script = `
      const { EngineProcess } = await import(${JSON.stringify(import.meta.resolve("./engine-process.ts"))});
      const engine = new EngineProcess();
      await engine.run(${JSON.stringify(makeRequest("none.wav", []))});
      console.log(engine.pid);
      setInterval(() => {}, 1000);`;
    const parent = spawn(process.execPath, ["--input-type=module", "-e", script], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const childPid = Number(await firstLine(parent));
    parent.kill("SIGKILL");
    await expect.poll(() => isAlive(childPid), { timeout: 5000 }).toBe(false);
  });
});

async function firstLine(child: ChildProcess): Promise<string> {
  for await (const text of child.stdout ?? []) return String(text);
  throw new Error("the child said nothing");
}

/** A process that exited but was not reaped yet is dead too. */
function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}
