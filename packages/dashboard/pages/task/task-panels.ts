import type { Task } from "@stemwright/sdk";
import type { ComponentType } from "preact";
import { listWordTargets } from "../../words/word-targets.ts";

/** A way to work with a Task on its page. */
export type TaskPanel = {
  id: string;
  title: string;
  /** Whether the Task has something for it; it is asked again whenever the Task changes. */
  isFor: (task: Task) => boolean;
  /** Gets the Task each time it changes. */
  load: () => Promise<{ default: ComponentType<{ task: Task }> }>;
};

/** Shown as tabs before the outputs, in this order; each is loaded when it is first opened. */
export const TASK_PANELS: readonly TaskPanel[] = [
  {
    id: "words",
    title: "Words",
    isFor: (task) => listWordTargets(task).length > 0,
    load: () => import("../../words/WordsPanel.tsx"),
  },
  {
    id: "mixer",
    title: "Mixer",
    // Where everything failed the page begins with the reasons, which stand with the outputs.
    isFor: ({ writeDestination, targets }) =>
      writeDestination === undefined && targets.some(({ status }) => status !== "error"),
    load: () => import("./mixer/MixerPanel.tsx"),
  },
];
