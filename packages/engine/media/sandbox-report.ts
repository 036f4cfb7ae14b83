/** What a decoder or encoder taken over by a hostile file still can't do. All are required unless the sandbox is relaxed. */
export const GUARANTEES = {
  network: "reaching the network",
  files: "opening other files",
  processes: "starting, signalling or tracing processes",
  limits: "using up memory, CPU time or disk space",
  privileges: "gaining privileges",
} as const;

export type Guarantee = keyof typeof GUARANTEES;

/** What a media child has verified about its sandbox. */
export type SandboxReport = {
  layers: string[];
  /** Layers that are unavailable here, each with the reason. */
  missing: string[];
  gaps: Guarantee[];
};

/** Explains which guarantees are missing, why, and what to do about it. */
export function explainGaps({ gaps, missing }: SandboxReport): string {
  const open = gaps.map((gap) => GUARANTEES[gap]).join(", ");
  return (
    `The media sandbox is incomplete here: nothing keeps a damaged or malicious file from ${open} (${missing.join("; ")}). ` +
    "Run the service on Linux (x64 or arm64) with seccomp filters, which a container may have to be allowed, or set MEDIA_SANDBOX=relaxed to open media without this protection."
  );
}
