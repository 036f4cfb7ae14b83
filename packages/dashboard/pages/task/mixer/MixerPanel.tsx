import type { Task } from "@stemwright/sdk";
import { useEffect, useMemo } from "preact/hooks";
import { EmptyState } from "../../../parts/EmptyState.tsx";
import { Loaded } from "../../../parts/Loaded.tsx";
import { Player } from "../../../player/player.ts";
import { isPlayable, type PlayablePreviews, type PreviewSource } from "../../../player/preview-source.ts";
import { Mixer } from "./Mixer.tsx";
import { usePreviews } from "./use-previews.ts";
import "./mixer.css";

/** One player for a version of the previews, told of them as they grow. */
function PlayerHolder({
  task,
  source,
  previews,
}: {
  task: Task;
  source: PreviewSource;
  previews: PlayablePreviews;
}) {
  const player = useMemo(() => new Player(source, previews), [source, previews.version]);
  useEffect(() => () => void player.close(), [player]);
  useEffect(() => player.setPreviews(previews), [player, previews]);
  return <Mixer task={task} player={player} source={source} previews={previews} />;
}

/** All stems of the Task on one timeline, to hear together; also while it runs. */
export default function MixerPanel({ task }: { task: Task }) {
  const { source, loaded } = usePreviews(task);
  return (
    <Loaded loaded={loaded}>
      {(previews) =>
        isPlayable(previews) ? (
          <PlayerHolder task={task} source={source} previews={previews} />
        ) : (
          <EmptyState title={previews.status === "waiting" ? "Nothing to hear yet" : "No previews"}>
            {previews.status === "waiting"
              ? "The first seconds can be heard as soon as the Task has begun."
              : "This Task has no previews: they were turned off, or were removed with its outputs."}
          </EmptyState>
        )
      }
    </Loaded>
  );
}
