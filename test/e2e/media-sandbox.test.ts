import { rm } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { makeTone, toWav } from "../support/audio.ts";
import { startService } from "../support/service.ts";
import { makeTempDir } from "../support/temp-dir.ts";

const PROJECT_DIR = join(import.meta.dirname, "../..");

/** Simulates a kernel without seccomp filters. */
const WITHOUT_FILTERS: [string, ...string[]] = [
  process.execPath,
  `--import=${join(PROJECT_DIR, "packages/engine/media/support/refuse-filters.ts")}`,
  join(PROJECT_DIR, "packages/server/main.ts"),
  "all",
];

let dataDir: string;
beforeEach(async () => {
  dataDir = await makeTempDir("sandbox");
});
afterEach(() => rm(dataDir, { recursive: true, force: true }));

it("[S6] the service does not start with an incomplete sandbox, and says what is missing and what to do", async () => {
  await expect(startService({ dataDir, command: WITHOUT_FILTERS })).rejects.toThrow(
    /could not start: The media sandbox is incomplete here: nothing keeps .* from opening other files, .*processes.* \(.*system call filter: seccomp: EINVAL.*\)\. Run .* MEDIA_SANDBOX=relaxed /,
  );
});

it("[S6] [D8] in relaxed mode it starts with a warning, reports degraded, and opens media", async () => {
  const environment = { MEDIA_SANDBOX: "relaxed" };
  const service = await startService({ dataDir, command: WITHOUT_FILTERS, environment });
  try {
    const lines = service
      .output()
      .split("\n")
      .filter((line) => line.includes("media sandbox"));
    expect(lines.map((line) => JSON.parse(line))).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          level: 30,
          msg: "media sandbox",
          mode: "relaxed",
          gaps: ["files", "processes"],
        }),
        expect.objectContaining({ level: 40, msg: "media sandbox relaxed by MEDIA_SANDBOX" }),
      ]),
    );
    expect(await (await service.call("/admin/health")).json()).toMatchObject({
      status: "degraded",
      mediaSandbox: { isOk: false, mode: "relaxed", gaps: ["files", "processes"] },
    });
    const tone = makeTone({ sampleRateHz: 8000, channels: 1, lengthFrames: 8000 });
    const { id } = await service.upload(toWav(tone), "a.wav");
    const estimate = await service.call("/tasks/estimate", {
      method: "POST",
      body: JSON.stringify({ assetId: id, targets: [{ model: "vocals", formats: ["wav"] }] }),
      headers: { "content-type": "application/json" },
    });
    expect(await estimate.json()).toMatchObject({ duration: 1 });
  } finally {
    await service.stop();
  }
});
