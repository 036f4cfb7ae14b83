export const SANDBOX_MODES = ["required", "relaxed"] as const;

/** Whether media is opened only with every guarantee of the sandbox, or with whatever the machine supports. */
export type SandboxMode = (typeof SANDBOX_MODES)[number];

let mode: SandboxMode = "required";

/** For all media that this process opens from now on. */
export function setSandboxMode(chosen: SandboxMode): void {
  mode = chosen;
}

export function getSandboxMode(): SandboxMode {
  return mode;
}
