import type { ReadonlySignal } from "@preact/signals";
import type { Levels } from "../../../player/level-meter.ts";

const SILENCE_DB = -190;
const FLOOR_DB = -120;

/** The levels of this moment, and the highest peak since something changed. */
export type ShownLevels = Levels & { highestDb: number };
export const NO_LEVELS: ShownLevels = {
  meanDb: Number.NEGATIVE_INFINITY,
  peakDb: Number.NEGATIVE_INFINITY,
  highestDb: Number.NEGATIVE_INFINITY,
};

const format = (db: number) => (db < SILENCE_DB ? "silence" : `${db.toFixed(0)} dBFS`);
const formatPeak = (db: number) => `${db > 0 ? "+" : ""}${db.toFixed(1)}`;

/** What is heard, and its highest peak: above full scale the limiter turns it down. */
export function PeakMeter({
  levels,
  onForget,
}: {
  levels: ReadonlySignal<ShownLevels>;
  onForget: () => void;
}) {
  const { meanDb, peakDb, highestDb } = levels.value;
  const isClipping = highestDb > 0;
  return (
    <div class="row mixer-level">
      <meter
        class="mixer-meter"
        min={FLOOR_DB}
        max={0}
        value={Math.max(FLOOR_DB, Math.min(0, peakDb))}
        aria-label="Peak level of what is heard, in dB below full scale"
      />
      <div class="mixer-readings">
        <span class="mixer-time mixer-decibels small" data-testid="level">
          {format(meanDb)}
        </span>
        <button
          type="button"
          class="mixer-peak mixer-time"
          data-clipping={isClipping || undefined}
          data-testid="peak"
          title={
            isClipping
              ? `The mix reaches ${formatPeak(highestDb)} dBFS: it is limited here. A saved mix keeps it, as floats. Click to forget the peak.`
              : "The highest peak so far. Click to forget it."
          }
          onClick={onForget}
        >
          {highestDb < SILENCE_DB ? "peak –" : `${isClipping ? "clips" : "peak"} ${formatPeak(highestDb)}`}
        </button>
      </div>
    </div>
  );
}
