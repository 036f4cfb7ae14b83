import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { decodeToPcm } from "../../media/index.ts";

export const FIXTURE_RATE_HZ = 48_000;

/** A recorded sentence, in mono. */
export async function readFixture(name: "english.opus" | "spanish.opus"): Promise<Float32Array> {
  const folder = mkdtempSync(join(tmpdir(), "stemwright-fixture-"));
  const pcmPath = join(folder, "pcm.f32");
  await decodeToPcm({ inputPath: join(import.meta.dirname, name), pcmPath, onProgress: () => {} });
  const samples = new Float32Array(new Uint8Array(readFileSync(pcmPath)).buffer);
  rmSync(folder, { recursive: true });
  return samples;
}
