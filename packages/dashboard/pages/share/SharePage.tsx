import { NotFoundError, type SharedTask } from "@stemwright/sdk";
import { useMemo } from "preact/hooks";
import { client } from "../../account/client.ts";
import { loadModels, nameModel } from "../../data/models.ts";
import { toOwnLink } from "../../data/own-link.ts";
import { EmptyState } from "../../parts/EmptyState.tsx";
import { formatBytes, formatDateTime } from "../../parts/format.ts";
import { Icon } from "../../parts/Icon.tsx";
import { Loaded } from "../../parts/Loaded.tsx";
import { PageHead } from "../../parts/PageHead.tsx";
import { Progress } from "../../parts/Progress.tsx";
import { useLoad } from "../../parts/use-load.ts";
import { address } from "../../shell/router.ts";
import { RecordingClock } from "../../words/RecordingClock.tsx";
import { WordsView } from "../../words/WordsView.tsx";
import { makeSharedSource } from "../../words/words-source.ts";
import "./share.css";

type SharedTarget = SharedTask["targets"][number];

function Gone() {
  return (
    <EmptyState title="This link shows nothing any more">
      It has expired or was revoked, or it is not complete. Ask whoever sent it for a new one.
    </EmptyState>
  );
}

function Files({ targets }: { targets: readonly SharedTarget[] }) {
  const files = targets.flatMap(({ output }) => output);
  return (
    <section class="stack-tight" aria-label="Files">
      <h2>Files</h2>
      <ul class="plain-list stack-tight">
        {files.map(({ name, format, link, size }) => (
          <li key={`${name}.${format}`} class="row row-apart">
            <span class="truncate">
              {name}.{format} <span class="small muted">{formatBytes(size)}</span>
            </span>
            <a class="button button-small" href={toOwnLink(link)} download={`${name}.${format}`}>
              <Icon name="download" />
              <span>
                Download
                <span class="visually-hidden">
                  {" "}
                  {name}.{format}
                </span>
              </span>
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Shared({ task, token }: { task: SharedTask; token: string }) {
  const spoken = task.targets.find(({ hasWords }) => hasWords);
  const sounds = task.targets
    .flatMap(({ output }) => output)
    .filter(({ type }) => type.startsWith("audio/"))
    .map(({ name, format, link }) => ({ name: `${name}.${format}`, link: toOwnLink(link) }));
  const source = useMemo(() => makeSharedSource(token, spoken?.id ?? ""), [token, spoken?.id]);
  return (
    <div class="stack">
      {task.completedAt === null && (
        <Progress value={Math.min(...task.targets.map(({ progress = 1 }) => progress))} label="Progress" />
      )}
      {(sounds.length > 0 || spoken) && (
        <RecordingClock sounds={sounds}>
          {(clock) => (spoken ? <WordsView source={source} clock={clock} /> : null)}
        </RecordingClock>
      )}
      <Files targets={task.targets} />
    </div>
  );
}

/** One Task, for whoever has the link: to listen, read and download. */
export default function SharePage() {
  const token = address.value.hash;
  const shared = useLoad(
    async (signal) => {
      if (token === "") return null;
      const shared = client.shares.get(token, { signal }).catch((error: unknown) => {
        if (error instanceof NotFoundError) return null;
        throw error;
      });
      await loadModels(signal);
      return await shared;
    },
    [token],
  );
  return (
    <main class="share-page">
      <Loaded loaded={shared}>
        {(task) => (
          <>
            <PageHead
              title={task ? task.targets.map(({ model }) => nameModel(model)).join(", ") : "Shared Task"}
              lead={task && `Shared with you until ${formatDateTime(task.expiresAt)}`}
            />
            {task ? <Shared task={task} token={token} /> : <Gone />}
          </>
        )}
      </Loaded>
    </main>
  );
}
