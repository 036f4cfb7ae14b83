import type { Task } from "@stemwright/sdk";
import type { ComponentChildren } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import { client } from "../../../account/client.ts";
import { nameTask } from "../../../data/task-name.ts";
import { EmptyState } from "../../../parts/EmptyState.tsx";
import { Loaded } from "../../../parts/Loaded.tsx";
import { Player } from "../../../player/player.ts";
import {
  isPlayable,
  makePreviewSource,
  type PlayablePreviews,
  type PreviewSource,
} from "../../../player/preview-source.ts";
import { Mixer } from "./Mixer.tsx";
import { usePreviews } from "./use-previews.ts";
import "./mixer.css";

/** What stands below the mixer and goes with its player. */
type WithPlayer = (player: Player, previews: PlayablePreviews) => ComponentChildren;

/** One player for a version of the previews, told of them as they grow. */
function PlayerHolder({
  name,
  source,
  previews,
  children,
}: {
  name: string;
  source: PreviewSource;
  previews: PlayablePreviews;
  children?: WithPlayer | undefined;
}) {
  const player = useMemo(() => new Player(source, previews), [source, previews.version]);
  useEffect(() => () => void player.close(), [player]);
  useEffect(() => player.setPreviews(previews), [player, previews]);
  return (
    <>
      <Mixer name={name} player={player} source={source} previews={previews} />
      {children?.(player, previews)}
    </>
  );
}

/** The mixer over any previews; `instead` is shown where there are none and none will come. */
export function SourceMixer({
  name,
  source,
  completedAt,
  instead,
  children,
}: {
  /** What files saved from it are named after. */
  name: string;
  source: PreviewSource;
  completedAt: string | null;
  instead: ComponentChildren;
  children?: WithPlayer;
}) {
  const loaded = usePreviews(source, completedAt);
  return (
    <Loaded loaded={loaded}>
      {(previews) => {
        if (isPlayable(previews))
          return (
            <PlayerHolder name={name} source={source} previews={previews}>
              {children}
            </PlayerHolder>
          );
        if (previews.status !== "waiting") return instead;
        return (
          <EmptyState title="Nothing to hear yet">
            The first seconds can be heard as soon as the Task has begun.
          </EmptyState>
        );
      }}
    </Loaded>
  );
}

/** All stems of the Task on one timeline, to hear together; also while it runs. */
export default function MixerPanel({ task }: { task: Task }) {
  const source = useMemo(() => makePreviewSource(client.tasks.previews, task.id), [task.id]);
  return (
    <SourceMixer
      name={nameTask(task).replace(/\.\w+$/, "")}
      source={source}
      completedAt={task.completedAt}
      instead={
        <EmptyState title="No previews">
          This Task has no previews: they were turned off, or were removed with its outputs.
        </EmptyState>
      }
    />
  );
}
