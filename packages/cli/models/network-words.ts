import type { NetworkCheck, StemManifest, StemService } from "@stemwright/engine";

const MB = 1e6;
const GB = 1e9;

export const toSizeText = (bytes: number) =>
  bytes < GB ? `${Math.max(1, Math.round(bytes / MB))} MB` : `${(bytes / GB).toFixed(1)} GB`;

export const formatService = ({ model, stem, without }: StemService) => {
  const given = without === undefined ? (stem ?? []).join(" + ") : `input without ${without.join(" and ")}`;
  return given === model ? model : `${model} (${given})`;
};

export const formatServices = ({ serves }: Pick<StemManifest, "serves">) =>
  serves.map(formatService).join(", ");

export function formatShape({ sampleRateHz, channels, segmentFrames }: StemManifest): string {
  const seconds = (segmentFrames / sampleRateHz).toFixed(1);
  return `${sampleRateHz} Hz ${channels === 1 ? "mono" : "stereo"}, chunks of ${seconds} s`;
}

const formatDb = (db: number) => (Number.isFinite(db) ? `${db.toFixed(0)} dB` : "exact");

export function formatCheck(check: NetworkCheck): string {
  const memory =
    check.peakMemoryBytes === undefined ? "" : `, ${toSizeText(check.peakMemoryBytes)} of memory`;
  return `${check.seconds} s took ${check.tookSeconds.toFixed(1)} s (${check.timesRealTime.toFixed(2)} × real time) on ${check.runsOn}${memory}`;
}

export const formatSums = ({ residualDb, sumDb }: NetworkCheck) =>
  `stem + residual = input: ${formatDb(residualDb)}; all stems together = input: ${formatDb(sumDb)}`;
