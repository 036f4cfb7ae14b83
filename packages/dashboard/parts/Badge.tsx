import type { ComponentChildren } from "preact";
import type { StateTone } from "../data/task-state.ts";

/** A state, as a colour and always in words. */
export const Badge = ({ tone, children }: { tone: StateTone; children: ComponentChildren }) => (
  <span class={`badge badge-${tone}`}>{children}</span>
);
