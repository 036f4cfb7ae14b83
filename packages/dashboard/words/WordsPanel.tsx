import type { Task } from "@stemwright/sdk";
import { useMemo, useState } from "preact/hooks";
import { apiClient } from "../account/api-client.ts";
import { findAudioOffset, toLeadSeconds } from "../data/lead-seconds.ts";
import { nameModel } from "../data/model-names.ts";
import { toOwnLink } from "../data/own-link.ts";
import { Loaded } from "../parts/Loaded.tsx";
import { useLoad } from "../parts/use-load.ts";
import { type PlayableSound, RecordingClock } from "./RecordingClock.tsx";
import { WordsView } from "./WordsView.tsx";
import { listWordTargets } from "./word-targets.ts";
import { makeTaskSource } from "./words-source.ts";

/** Audio to listen to: the uploaded file while it is stored, and the stems. */
async function loadSounds(task: Task, signal: AbortSignal): Promise<PlayableSound[]> {
  const stems = task.targets
    .flatMap((target) => target.output.map((file) => ({ ...file, leadSeconds: toLeadSeconds(target) })))
    .filter(({ type }) => type.startsWith("audio/"))
    .map(({ name, format, link, leadSeconds }) => ({
      name: `${name}.${format}`,
      link: toOwnLink(link),
      leadSeconds,
    }));
  if (task.assetId === undefined) return stems;
  const asset = await apiClient.assets.get(task.assetId, { signal }).catch(() => undefined);
  const leadSeconds = findAudioOffset(task.targets);
  return asset ? [{ name: asset.name, link: toOwnLink(asset.link), leadSeconds }, ...stems] : stems;
}

/** The words of a Task's transcriptions and alignments. */
export default function WordsPanel({ task }: { task: Task }) {
  const targets = listWordTargets(task);
  const [chosenId, setChosenId] = useState<string>();
  const target = targets.find(({ id }) => id === chosenId) ?? targets[0];
  const sounds = useLoad((signal) => loadSounds(task, signal), [task.id]);
  const source = useMemo(() => makeTaskSource(task.id, target?.id ?? ""), [task.id, target?.id]);
  if (!target) return null;
  return (
    <div class="stack">
      {targets.length > 1 && (
        <fieldset class="row row-wrap">
          <legend class="visually-hidden">Words of</legend>
          {targets.map(({ id, model }) => (
            <button
              key={id}
              type="button"
              class="choice"
              aria-pressed={id === target.id}
              onClick={() => setChosenId(id)}
            >
              {nameModel(model)}
            </button>
          ))}
        </fieldset>
      )}
      <Loaded loaded={sounds}>
        {(list) => (
          <RecordingClock sounds={list}>
            {(clock) => (
              <WordsView key={target.id} source={source} clock={clock} leadSeconds={toLeadSeconds(target)} />
            )}
          </RecordingClock>
        )}
      </Loaded>
    </div>
  );
}
