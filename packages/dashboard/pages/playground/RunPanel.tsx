import type { Model, TaskEstimate, TaskInput } from "@stemwright/sdk";
import { apiClient } from "../../account/api-client.ts";
import { makeBatch, toBatchMetadata, toBatchSearch } from "../../data/batch.ts";
import { Button } from "../../parts/Button.tsx";
import { ErrorNotice } from "../../parts/ErrorNotice.tsx";
import { formatCredits, formatDuration } from "../../parts/format.ts";
import { announce } from "../../parts/toast.ts";
import { useLoad } from "../../parts/use-load.ts";
import { navigate } from "../../shell/router.ts";
import { type Choice, takesTranscript, toTargets } from "./choice.ts";
import { clearUploads, uploads } from "./uploads.ts";

/** Estimates are requested one by one; for a large folder only the rate is shown. */
const MAX_ESTIMATED = 20;

type Source = Pick<TaskInput, "assetId" | "url">;

/** The inputs that are ready. */
function listSources(choice: Choice): Source[] {
  if (uploads.value.length > 0)
    return uploads.value.flatMap(({ asset }) => (asset ? [{ assetId: asset.id }] : []));
  return choice.url === "" ? [] : [{ url: choice.url }];
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
async function createTasks({ models, choice, folder }: RunPanelProps) {
  const sources = listSources(choice);
  const wanted = toTargets(choice, models, await uploadTranscript(choice, models));
  const [only] = sources;
  if (sources.length === 1 && only) {
    const { id } = await apiClient.tasks.create({ ...only, targets: wanted });
    clearUploads();
    return navigate(`app/tasks/${id}`);
  }
  const batch = makeBatch(folder || `${sources.length} files`);
  for (const source of sources)
    await apiClient.tasks.create({ ...source, targets: wanted, metadata: toBatchMetadata(batch) });
  clearUploads();
  announce(`${sources.length} Tasks created.`);
  return navigate(`app/tasks?search=${encodeURIComponent(toBatchSearch(batch.id))}`);
}

/** The estimated cost, and the start button. */
export function RunPanel({ models, choice, folder }: RunPanelProps) {
  const sources = listSources(choice);
  const targets = toTargets(choice, models);
  const isUploading = uploads.value.some(({ asset, error }) => !asset && error === undefined);
  const isReady = sources.length > 0 && targets.length > 0 && !isUploading;
  const estimates = useLoad<readonly TaskEstimate[]>(
    async (signal) => {
      if (!isReady) return [];
      const found: TaskEstimate[] = [];
      for (const source of sources.slice(0, MAX_ESTIMATED))
        found.push(await apiClient.tasks.estimate({ ...source, targets }, { signal }));
      return found;
    },
    [JSON.stringify([sources, targets, isReady])],
  );

  return (
    <section class="card stack run" aria-label="Run">
      <h2>Run</h2>
      <div aria-live="polite">
        {isReady && estimates.error === undefined && (estimates.value?.length ?? 0) > 0 && (
          <EstimateLine estimates={estimates.value ?? []} count={sources.length} />
        )}
        {isReady && estimates.error !== undefined && <ErrorNotice error={estimates.error} />}
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
        isDisabled={!isReady || estimates.error !== undefined}
        onClick={() => createTasks({ models, choice, folder })}
      >
        {sources.length > 1 ? `Run ${sources.length} Tasks` : "Run"}
      </Button>
    </section>
  );
}
