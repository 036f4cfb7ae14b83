const BYTE_UNITS = ["B", "KB", "MB", "GB", "TB"];
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

/** `12.3 MB`, in steps of 1000 as file managers count. */
export function formatBytes(sizeBytes: number): string {
  const step = sizeBytes < 1000 ? 0 : Math.min(Math.floor(Math.log10(sizeBytes) / 3), BYTE_UNITS.length - 1);
  const value = sizeBytes / 1000 ** step;
  return `${step === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${BYTE_UNITS[step]}`;
}

/** `3:07`, `1:02:09`: a position or a length in a recording. */
export function formatDuration(durationSeconds: number): string {
  const whole = Math.max(0, Math.round(durationSeconds));
  const seconds = String(whole % 60).padStart(2, "0");
  const minutes = Math.floor(whole / 60) % 60;
  const hours = Math.floor(whole / 3600);
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, "0")}:${seconds}` : `${minutes}:${seconds}`;
}

/** A remaining time in words: `about 40 s`, `about 3 min`. */
export function formatEta(etaSeconds: number): string {
  if (etaSeconds < 1) return "any moment";
  if (etaSeconds < 90) return `about ${Math.ceil(etaSeconds)} s`;
  if (etaSeconds < 90 * 60) return `about ${Math.round(etaSeconds / 60)} min`;
  return `about ${(etaSeconds / 3600).toFixed(1)} h`;
}

/** `1.5 credits`. */
export function formatCredits(credits: number): string {
  const text = credits.toLocaleString("en", { maximumFractionDigits: 2 });
  return `${text} ${credits === 1 ? "credit" : "credits"}`;
}

/** `just now`, `5 min ago`, `3 h ago`, `yesterday`, and from a week on the date. */
export function formatAge(dateTime: string, nowMs = Date.now()): string {
  const ageMs = nowMs - Date.parse(dateTime);
  if (ageMs < MINUTE_MS) return "just now";
  if (ageMs < HOUR_MS) return `${Math.floor(ageMs / MINUTE_MS)} min ago`;
  if (ageMs < DAY_MS) return `${Math.floor(ageMs / HOUR_MS)} h ago`;
  if (ageMs < 2 * DAY_MS) return "yesterday";
  if (ageMs < 7 * DAY_MS) return `${Math.floor(ageMs / DAY_MS)} days ago`;
  return new Date(dateTime).toLocaleDateString(undefined, {
    year: "numeric",
    month: "short",
    day: "numeric",
  });
}

/** The whole date and time, for titles and details. */
export const formatDateTime = (dateTime: string) =>
  new Date(dateTime).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "medium" });
