import type { Task } from "@stemwright/sdk";
import { apiClient } from "../../account/api-client.ts";
import { toOwnLink } from "../../data/own-link.ts";
import { Loaded } from "../../parts/Loaded.tsx";
import { useLoad } from "../../parts/use-load.ts";
import { findAnalysisFile } from "./analysis-file.ts";

type Analysis = {
  bpm: number | null;
  timeSignature: string | null;
  key: string | null;
  keyConfidence: number | null;
  beats: unknown[];
  chords: { start: number; label: string }[];
  loudness: { integratedLufs: number | null };
};

/** Chords shown; the files have all. */
const SHOWN_CHORDS = 200;

const toClock = (seconds: number) =>
  `${Math.floor(seconds / 60)}:${(seconds % 60).toFixed(1).padStart(4, "0")}`;

function Facts({ analysis }: { analysis: Analysis }) {
  const { bpm, key, keyConfidence, timeSignature, loudness } = analysis;
  const chords = analysis.chords.filter(({ label }) => label !== "N");
  return (
    <>
      <dl class="facts">
        <dt>Tempo</dt>
        <dd>{bpm === null ? "No beat" : `${bpm.toFixed(1)} BPM`}</dd>
        <dt>Time signature</dt>
        <dd>{timeSignature ?? "Unknown"}</dd>
        <dt>Key</dt>
        <dd>{key === null ? "No key" : `${key} (${Math.round(100 * (keyConfidence ?? 0))} % sure)`}</dd>
        <dt>Loudness</dt>
        <dd>{loudness.integratedLufs === null ? "Silence" : `${loudness.integratedLufs} LUFS`}</dd>
      </dl>
      <h2 class="chords-title">Chords</h2>
      {chords.length === 0 ? (
        <p class="muted">No chords found.</p>
      ) : (
        <ol class="chords">
          {chords.slice(0, SHOWN_CHORDS).map(({ start, label }) => (
            <li key={start}>
              <span class="small muted">{toClock(start)}</span> {label}
            </li>
          ))}
        </ol>
      )}
      {chords.length > SHOWN_CHORDS && <p class="small muted">The files below have all chords.</p>}
    </>
  );
}

/** Tempo, key and chords of a music analysis. */
export default function AnalysisPanel({ task }: { task: Task }) {
  const file = findAnalysisFile(task);
  const loaded = useLoad(
    async (signal) => {
      if (!file) throw new Error("The Task has no analysis as json.");
      const fresh = { ...file, link: toOwnLink(file.link) };
      return (await (await apiClient.tasks.download(task, fresh, { signal })).json()) as Analysis;
    },
    [task.id, file?.name],
  );
  return <Loaded loaded={loaded}>{(analysis) => <Facts analysis={analysis} />}</Loaded>;
}
