import { signal } from "@preact/signals";
import { AuthenticationError } from "@stemwright/sdk";
import { me } from "../account/session.ts";
import { describeError } from "./describe-error.ts";

export type Toast = { id: number; text: string; isError: boolean };

const SHOWN_MS = 6000;

export const toasts = signal<readonly Toast[]>([]);
/** While there is an open dialog, toasts are shown in it: everything outside is dimmed and does not react. */
export const openDialogs = signal(0);
let lastId = 0;

export function dismissToast(id: number): void {
  toasts.value = toasts.value.filter((toast) => toast.id !== id);
}

function add(text: string, isError: boolean): void {
  // One cause, such as a service that stopped, makes several requests fail.
  if (isError && toasts.value.some((toast) => toast.isError && toast.text === text)) return;
  lastId += 1;
  const id = lastId;
  toasts.value = [...toasts.value, { id, text, isError }];
  // An error stays until it is dismissed: it may need to be read twice.
  if (!isError) setTimeout(() => dismissToast(id), SHOWN_MS);
}

/** Confirms an action. */
export const announce = (text: string): void => add(text, false);

/** Shows why an action failed; for `promise.catch(reportError)`. */
export function reportError(error: unknown): void {
  if (error instanceof AuthenticationError) me.value = null;
  add(describeError(error), true);
}
