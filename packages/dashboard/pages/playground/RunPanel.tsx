import type { Model, TaskEstimate } from "@stemwright/sdk";
import { apiClient } from "../../account/api-client.ts";
import { makeBatch, toBatchMetadata, toBatchSearch } from "../../data/batch.ts";
import { Button } from "../../parts/Button.tsx";
import { ErrorNotice } from "../../parts/ErrorNotice.tsx";
import { formatCredits, formatDuration } from "../../parts/format.ts";
import { Icon } from "../../parts/Icon.tsx";
import { announce } from "../../parts/toast.ts";
import { useLoad } from "../../parts/use-load.ts";
import { navigate } from "../../shell/router.ts";
import { type Choice, takesTranscript, toTargets } from "./choice.ts";
import { type CheckedSources, type FailedSource, forEachSource, type RunSource } from "./run-sources.ts";
import { clearUploads, uploads } from "./uploads.ts";

const NOTHING: CheckedSources = { sources: [], estimates: [], failed: [] };
/** Estimates are requested one by one; for a large folder only the rate is shown. */
const MAX_ESTIMATED = 20;

/** The inputs that are ready. */
function listSources(choice: Choice): RunSource[] {
  if (uploads.value.length > 0)
    return uploads.value.flatMap(({ asset, file }) =>
      asset ? [{ assetId: asset.id, name: file.name }] : [],
    );
  return choice.url === "" ? [] : [{ url: choice.url, name: choice.url }];
}

/** Files that don't run, each with the reason. */
function FailedSources({ failed }: { failed: readonly FailedSource[] }) {
  if (failed.length === 0) return null;
  return (
    <div class="notice notice-bad">
      <Icon name="warning" />
      <div>
        <p>
          {failed.length === 1 ? "A file can’t be used" : `${failed.length} files can’t be used`}; the others
          run without {failed.length === 1 ? "it" : "them"}.
        </p>
        <ul>
          {failed.map(({ name, reason }) => (
            <li key={name}>
              <strong>{name}</strong>: {reason}
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}

function addUp(estimates: readonly TaskEstimate[]) {
  const sum = (pick: (estimate: TaskEstimate) => number | undefined) =>
    estimates.reduce<number | undefined>((total, estimate) => {
      const value = pick(estimate);
      return total === undefined || value === undefined ? undefined : total + value;
    }, 0);
  return {
    rate: estimates[0]?.creditsPerMinute ?? 0,
    cost: sum(({ cost }) => cost),
    duration: sum(({ duration }) => duration),
  };
}

function EstimateLine({ estimates, count }: { estimates: readonly TaskEstimate[]; count: number }) {
  const { rate, cost, duration } = addUp(estimates);
  if (cost === undefined || duration === undefined || estimates.length < count)
    return (
      <p>
        <strong>{formatCredits(rate)}</strong> for each minute
      </p>
    );
  return (
    <p>
      <strong>{formatCredits(cost)}</strong> <span class="muted">for {formatDuration(duration)}</span>
    </p>
  );
}

/** The transcript is uploaded as a separate file. */
async function uploadTranscript(
  choice: Choice,
  models: readonly Model[],
): Promise<{ transcriptAssetId?: string }> {
  const isTaken = models.some(
    (model) => takesTranscript(model) && choice.models.some(({ id }) => id === model.id),
  );
  if (!isTaken || choice.transcript.trim() === "") return {};
  const { id } = await apiClient.assets.upload(
    new File([choice.transcript], "transcript.txt", { type: "text/plain" }),
  );
  return { transcriptAssetId: id };
}

type RunPanelProps = { models: readonly Model[]; choice: Choice; folder: string };

/** Creates one Task, or a batch of one for each source, and shows it. */
async function createTasks({ models, choice, folder, checked }: RunPanelProps & { checked: CheckedSources }) {
  const { sources } = checked;
  const wanted = toTargets(choice, models, await uploadTranscript(choice, models));
  const [only] = sources;
  if (sources.length + checked.failed.length === 1 && only) {
    const { name: _, ...source } = only;
    const { id } = await apiClient.tasks.create({ ...source, targets: wanted });
    clearUploads();
    return navigate(`app/tasks/${id}`);
  }
  const batch = makeBatch(folder || `${sources.length} files`);
  const { done, failed } = await forEachSource(sources, ({ name: _, ...source }) =>
    apiClient.tasks.create({ ...source, targets: wanted, metadata: toBatchMetadata(batch) }),
  );
  clearUploads();
  const left = [...checked.failed, ...failed].map(({ name }) => name);
  announce(
    `${done.length} ${done.length === 1 ? "Task" : "Tasks"} created.${left.length > 0 ? ` Left out: ${left.join(", ")}.` : ""}`,
  );
  return navigate(`app/tasks?search=${encodeURIComponent(toBatchSearch(batch.id))}`);
}

/** The estimated cost, and the start button. */
export function RunPanel({ models, choice, folder }: RunPanelProps) {
  const sources = listSources(choice);
  const targets = toTargets(choice, models);
  const isUploading = uploads.value.some(({ asset, error }) => !asset && error === undefined);
  const isReady = sources.length > 0 && targets.length > 0 && !isUploading;
  const checked = useLoad<CheckedSources>(
    async (signal) => {
      if (!isReady) return NOTHING;
      const looked = sources.slice(0, MAX_ESTIMATED);
      const { values, done, failed } = await forEachSource(looked, ({ name: _, ...source }) =>
        apiClient.tasks.estimate({ ...source, targets }, { signal }),
      );
      return { sources: [...done, ...sources.slice(MAX_ESTIMATED)], estimates: values, failed };
    },
    [JSON.stringify([sources, targets, isReady])],
  );

  const { estimates } = checked.value ?? NOTHING;
  const count = isReady && checked.value ? checked.value.sources.length : sources.length;
  return (
    <section class="card stack run" aria-label="Run">
      <h2>Run</h2>
      <div aria-live="polite">
        {isReady && checked.error === undefined && estimates.length > 0 && (
          <EstimateLine estimates={estimates} count={count} />
        )}
        {isReady && checked.error !== undefined && <ErrorNotice error={checked.error} />}
        {isReady && <FailedSources failed={checked.value?.failed ?? []} />}
        {!isReady && (
          <p class="muted">
            {targets.length === 0
              ? "Choose what you want to get."
              : isUploading
                ? "Uploading…"
                : "Choose a file, paste a URL or record something first."}
          </p>
        )}
      </div>
      <Button
        kind="primary"
        icon="play"
        isDisabled={!isReady || checked.error !== undefined || count === 0}
        onClick={() => createTasks({ models, choice, folder, checked: checked.value ?? NOTHING })}
      >
        {count > 1 ? `Run ${count} Tasks` : "Run"}
      </Button>
    </section>
  );
}
