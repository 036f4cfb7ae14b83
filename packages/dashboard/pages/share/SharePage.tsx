import { NotFoundError, type SharedTask, toOutputFileName } from "@stemwright/sdk";
import { useEffect, useMemo } from "preact/hooks";
import { apiClient } from "../../account/api-client.ts";
import { toLeadSeconds } from "../../data/lead-seconds.ts";
import { isMusic, loadModels, nameModel } from "../../data/model-names.ts";
import { toOwnLink } from "../../data/own-link.ts";
import { EmptyState } from "../../parts/EmptyState.tsx";
import { formatBytes, formatDateTime } from "../../parts/format.ts";
import { Loaded } from "../../parts/Loaded.tsx";
import { PageHead } from "../../parts/PageHead.tsx";
import { ProgressBar } from "../../parts/ProgressBar.tsx";
import { useInterval } from "../../parts/use-interval.ts";
import { useLoad } from "../../parts/use-load.ts";
import type { Player } from "../../player/player.ts";
import { makePlayerClock } from "../../player/player-clock.ts";
import { makePreviewSource } from "../../player/preview-source.ts";
import { Brand } from "../../shell/Brand.tsx";
import { address } from "../../shell/router.ts";
import { RecordingClock } from "../../words/RecordingClock.tsx";
import { WordsView } from "../../words/WordsView.tsx";
import { makeSharedSource, type WordsSource } from "../../words/words-source.ts";
import { DownloadButtons } from "../task/DownloadButtons.tsx";
import { countOutputs, ExportButtons, type LoadExports } from "../task/ExportButtons.tsx";
import { SourceMixer } from "../task/mixer/MixerPanel.tsx";
import { useLanes } from "../task/mixer/use-lanes.ts";
import "./share.css";

const UNFINISHED_INTERVAL_MS = 3000;

type SharedTarget = SharedTask["targets"][number];

const nameTargets = ({ targets }: SharedTask) => targets.map(({ model }) => nameModel(model)).join(", ");
/** Without a name that may be told, what was made of the recording is in the line below. */
const nameTask = (task: SharedTask) => task.name ?? "Shared recording";

function Gone() {
  return (
    <EmptyState title="This link no longer works">
      It has expired or was revoked, or it is not complete. Ask whoever sent it for a new one.
    </EmptyState>
  );
}

function Files({ targets, token }: { targets: readonly SharedTarget[]; token: string }) {
  const load: LoadExports = (options) => apiClient.shares.exports(token, options);
  const exports = useLoad((signal) => load({ signal }), [token, countOutputs(targets)]);
  const files = targets.flatMap(({ id, output }) => output.map((file) => ({ id, file })));
  if (files.length === 0) return null;
  return (
    <section class="stack-tight" aria-label="Files">
      <h2>Files</h2>
      <ExportButtons load={load} exports={exports.value} isMusic={isMusic(targets)} />
      <ul class="plain-list stack-tight">
        {files.map(({ id: targetId, file }) => (
          <li key={`${targetId} ${toOutputFileName(file)}`} class="row row-apart">
            <span class="truncate">
              {toOutputFileName(file)} <span class="small muted">{formatBytes(file.size)}</span>
            </span>
            <span class="row">
              <DownloadButtons
                output={file}
                loadEdited={
                  exports.value?.editedTargets?.includes(targetId)
                    ? (format) => apiClient.shares.exportWords(token, { targetId, format })
                    : undefined
                }
              />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The words of a target, following the mixer. */
function FollowingWords({
  source,
  leadSeconds,
  player,
  sampleRateHz,
}: {
  source: WordsSource;
  leadSeconds: number;
  player: Player;
  sampleRateHz: number;
}) {
  const clock = useMemo(() => makePlayerClock(player, sampleRateHz), [player, sampleRateHz]);
  useEffect(() => clock.close, [clock]);
  return <WordsView source={source} clock={clock} leadSeconds={leadSeconds} />;
}

/** Without previews: each file in the browser's own player. */
function PlainPlayer({
  task,
  words,
  leadSeconds,
}: {
  task: SharedTask;
  words: WordsSource | undefined;
  leadSeconds: number;
}) {
  const sounds = task.targets
    .flatMap((target) => target.output.map((file) => ({ ...file, leadSeconds: toLeadSeconds(target) })))
    .filter(({ type }) => type.startsWith("audio/"))
    .map(({ name, format, link, leadSeconds: leadOfSound }) => ({
      name: `${name}.${format}`,
      link: toOwnLink(link),
      leadSeconds: leadOfSound,
    }));
  if (sounds.length === 0 && !words) return null;
  return (
    <RecordingClock sounds={sounds}>
      {(clock) => (words ? <WordsView source={words} clock={clock} leadSeconds={leadSeconds} /> : null)}
    </RecordingClock>
  );
}

function Shared({ task, token }: { task: SharedTask; token: string }) {
  const spoken = task.targets.find(({ hasWords }) => hasWords);
  const spokenId = spoken?.id;
  const leadSeconds = spoken ? toLeadSeconds(spoken) : 0;
  const words = useMemo(
    () => (spokenId === undefined ? undefined : makeSharedSource(token, spokenId)),
    [token, spokenId],
  );
  const previews = useMemo(() => makePreviewSource(apiClient.shares.previews, token), [token]);
  const lanes = useLanes(task.targets, (signal) => ({
    openText: async (output) =>
      await (await apiClient.shares.download(token, { task, output }, { signal })).text(),
    loadWords: (targetId) => apiClient.shares.words(token, targetId, { signal }),
  }));
  return (
    <div class="stack">
      {task.completedAt === null && (
        <ProgressBar value={Math.min(...task.targets.map(({ progress = 1 }) => progress))} label="Progress" />
      )}
      <SourceMixer
        name={nameTask(task).replace(/\.\w+$/, "")}
        source={previews}
        completedAt={task.completedAt}
        lanes={lanes}
        instead={<PlainPlayer task={task} words={words} leadSeconds={leadSeconds} />}
      >
        {(player, { sampleRate }) =>
          words && (
            <FollowingWords
              key={words.key}
              source={words}
              leadSeconds={leadSeconds}
              player={player}
              sampleRateHz={sampleRate}
            />
          )
        }
      </SourceMixer>
      <Files targets={task.targets} token={token} />
    </div>
  );
}

/** One Task for anyone with the link: listen, read, download. */
export default function SharePage() {
  const token = address.value.hash;
  const shared = useLoad(
    async (signal) => {
      if (token === "") return null;
      const shared = apiClient.shares.get(token, { signal }).catch((error: unknown) => {
        if (error instanceof NotFoundError) return null;
        throw error;
      });
      await loadModels(signal);
      return await shared;
    },
    [token],
  );
  const isUnfinished = shared.value?.completedAt === null;
  useInterval(shared.reload, isUnfinished ? UNFINISHED_INTERVAL_MS : undefined);
  return (
    <main class="share-page">
      <Brand />
      <Loaded loaded={shared}>
        {(task) => (
          <>
            <PageHead
              title={task ? nameTask(task) : "Shared Task"}
              lead={task && `${nameTargets(task)}. Shared with you until ${formatDateTime(task.expiresAt)}`}
            />
            {task ? <Shared task={task} token={token} /> : <Gone />}
          </>
        )}
      </Loaded>
    </main>
  );
}
