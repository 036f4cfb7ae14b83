import { checkNetwork } from "@stemwright/engine";
import { modelsDir } from "../environment.ts";
import { engineSettings } from "./engine-settings.ts";
import { formatCheck, formatSums } from "./network-words.ts";
import { findManifest } from "./show-networks.ts";
import { makeStepReporter } from "./step-reporter.ts";

const SECONDS = 10;

/** Separates ten seconds of sound made for it, as Tasks do. */
export async function checkAddedNetwork(id: string, { json }: { json: boolean }): Promise<void> {
  const manifest = findManifest(id);
  const steps = makeStepReporter(`separating ${SECONDS} s`);
  const check = await checkNetwork(manifest, {
    ...(await engineSettings()),
    modelsDir: modelsDir(),
    seconds: SECONDS,
    onProgress: steps.progress,
  });
  steps.end();
  if (json) {
    process.stdout.write(`${JSON.stringify({ id, ...check })}\n`);
    return;
  }
  const levels = check.levels.map(({ stem, rmsDb }) => `${stem} ${rmsDb.toFixed(1)} dB`).join(", ");
  process.stdout.write(
    `speed     ${formatCheck(check)}\nsums      ${formatSums(check)}\nlevels    ${levels}\n`,
  );
}
