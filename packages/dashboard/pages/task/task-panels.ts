import type { Task } from "@stemwright/sdk";
import type { ComponentType } from "preact";
import { listWordTargets } from "../../words/word-targets.ts";
import { findAnalysisFile } from "./analysis-file.ts";

/** A tab of a Task's page. */
export type TaskPanel = {
  id: string;
  title: string;
  /** Whether it applies to the Task; checked whenever the Task changes. */
  isFor: (task: Task) => boolean;
  /** The component gets the Task each time it changes. */
  load: () => Promise<{ default: ComponentType<{ task: Task }> }>;
};

/** Shown as tabs before the outputs, in this order; each is loaded when it is first opened. */
export const TASK_PANELS: readonly TaskPanel[] = [
  {
    id: "music",
    title: "Music",
    isFor: (task) => findAnalysisFile(task) !== undefined,
    load: () => import("./AnalysisPanel.tsx"),
  },
  {
    id: "words",
    title: "Words",
    isFor: (task) => listWordTargets(task).length > 0,
    load: () => import("../../words/WordsPanel.tsx"),
  },
  {
    id: "mixer",
    title: "Mixer",
    // If everything failed the page starts with the reasons, which are shown with the outputs.
    isFor: ({ writeDestination, targets }) =>
      writeDestination === undefined && targets.some(({ status }) => status !== "error"),
    load: () => import("./mixer/MixerPanel.tsx"),
  },
];
