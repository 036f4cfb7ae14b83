import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import type { Figures } from "./figures.ts";
import type { VoicesBench } from "./take-apart.ts";

const QUIET_DB = -40;

/** A row on recordings of one person: how loud the second file of `two_speaker` is. */
export async function measureAlone(bench: VoicesBench, folder: string, figures: Figures): Promise<string> {
  const levels: number[] = [];
  for (const file of readdirSync(folder)
    .filter((name) => name.endsWith(".wav"))
    .sort()) {
    levels.push(
      await figures.measure(`alone ${basename(folder)}/${file}`, async () => {
        const { planes } = await bench.takeApart(join(folder, file), "two_speaker");
        const powers = planes.map((plane) => plane.reduce((sum, value) => sum + value * value, 0));
        return 10 * Math.log10(Math.max(1e-12, Math.min(...powers) / Math.max(...powers)));
      }),
    );
  }
  const quiet = levels.filter((level) => level <= QUIET_DB).length;
  return `${quiet} of ${levels.length} recordings of one person have a second file at or below ${QUIET_DB} dB of the first; the loudest is at ${Math.max(...levels).toFixed(0)} dB.`;
}
