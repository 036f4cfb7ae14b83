import type { Task } from "@stemwright/sdk";
import type { ComponentChildren } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import { apiClient } from "../../../account/api-client.ts";
import { nameTask } from "../../../data/task-name.ts";
import { EmptyState } from "../../../parts/EmptyState.tsx";
import { Loaded } from "../../../parts/Loaded.tsx";
import { reportError } from "../../../parts/toast.ts";
import { Player } from "../../../player/player.ts";
import {
  isPlayable,
  makePreviewSource,
  type PlayablePreviews,
  type PreviewSource,
} from "../../../player/preview-source.ts";
import type { Lane } from "./lane.ts";
import { Mixer } from "./Mixer.tsx";
import { PictureView } from "./PictureView.tsx";
import { useLanes } from "./use-lanes.ts";
import { usePreviews } from "./use-previews.ts";
import "./mixer.css";

/** Content below the mixer that uses its player. */
type WithPlayer = (player: Player, previews: PlayablePreviews) => ComponentChildren;

/** One player per version of the previews, updated as they grow. */
function PlayerHolder({
  name,
  source,
  previews,
  lanes,
  picture,
  stateId,
  children,
}: {
  name: string;
  source: PreviewSource;
  previews: PlayablePreviews;
  lanes: readonly Lane[];
  picture: ((player: Player) => ComponentChildren) | undefined;
  stateId: string | undefined;
  children?: WithPlayer | undefined;
}) {
  const player = useMemo(() => new Player(source, previews, reportError), [source, previews.version]);
  useEffect(() => () => void player.close(), [player]);
  useEffect(() => player.setPreviews(previews), [player, previews]);
  return (
    <>
      <Mixer
        name={name}
        player={player}
        source={source}
        previews={previews}
        lanes={lanes}
        picture={picture?.(player)}
        stateId={stateId}
      />
      {children?.(player, previews)}
    </>
  );
}

/** The mixer for any previews; `instead` is shown if there are none and none will come. */
export function SourceMixer({
  name,
  source,
  completedAt,
  lanes = [],
  picture,
  stateId,
  instead,
  children,
}: {
  /** Base name of saved files. */
  name: string;
  source: PreviewSource;
  completedAt: string | null;
  /** Information along the timeline. */
  lanes?: readonly Lane[];
  picture?: (player: Player) => ComponentChildren;
  /** The Task whose mixer is found again as it was left. */
  stateId?: string;
  instead: ComponentChildren;
  children?: WithPlayer;
}) {
  const loaded = usePreviews(source, completedAt);
  return (
    <Loaded loaded={loaded}>
      {(previews) => {
        if (isPlayable(previews))
          return (
            <PlayerHolder
              name={name}
              source={source}
              previews={previews}
              lanes={lanes}
              picture={picture}
              stateId={stateId}
            >
              {children}
            </PlayerHolder>
          );
        if (previews.status !== "waiting") return instead;
        return (
          <EmptyState title="Nothing to play yet">
            The first seconds can be played as soon as the Task has started.
          </EmptyState>
        );
      }}
    </Loaded>
  );
}

/** All stems of the Task on one timeline, played together; also while it runs. */
export default function MixerPanel({ task }: { task: Task }) {
  const source = useMemo(() => makePreviewSource(apiClient.tasks.previews, task.id), [task.id]);
  const lanes = useLanes(task.targets, (signal) => ({
    openText: async (output) => await (await apiClient.tasks.download(task, output, { signal })).text(),
    loadWords: (targetId) => apiClient.tasks.words.get({ taskId: task.id, targetId }, { signal }),
  }));
  return (
    <SourceMixer
      name={nameTask(task).replace(/\.\w+$/, "")}
      source={source}
      stateId={task.id}
      completedAt={task.completedAt}
      lanes={lanes}
      picture={(player) => <PictureView task={task} player={player} />}
      instead={
        <EmptyState title="No previews">
          This Task has no previews: they were turned off, or were removed with its outputs.
        </EmptyState>
      }
    />
  );
}
