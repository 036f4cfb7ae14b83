import type { TaskExports, WordsVersion } from "@stemwright/sdk";
import { toOwnLink } from "../../data/own-link.ts";
import { Button } from "../../parts/Button.tsx";
import { followLink } from "../../parts/follow-link.ts";
import { formatBytes } from "../../parts/format.ts";
import { announce } from "../../parts/toast.ts";

/** Exports change when there are more outputs. */
export const countOutputs = (targets: readonly { output: readonly unknown[] }[]) =>
  targets.reduce((sum, { output }) => sum + output.length, 0);

export type LoadExports = (options?: {
  signal?: AbortSignal;
  version?: WordsVersion;
}) => Promise<TaskExports>;

/** All outputs in one file, with words as edited. */
export function ExportButtons({
  load,
  exports,
  isMusic,
}: {
  /** Fetches fresh links. */
  load: LoadExports;
  exports: TaskExports | undefined;
  /** Whether it is for DJ software as well. */
  isMusic: boolean;
}) {
  const { archive, stemFile, editedTargets = [] } = exports ?? {};
  if (!archive && !(stemFile && isMusic)) return null;

  /** Fetches a fresh link: the page may have been open for hours. */
  async function follow(
    find: (fresh: TaskExports) => { link: string } | undefined,
    version: WordsVersion = "edited",
  ) {
    const found = find(await load({ version }));
    if (!found) throw new Error("Nothing left to download: the outputs were removed.");
    followLink(toOwnLink(found.link));
  }

  return (
    <div class="row row-wrap">
      {archive && archive.files > 1 && (
        <Button icon="download" onClick={() => follow((fresh) => fresh.archive)}>
          All as zip <span class="muted">({formatBytes(archive.size)})</span>
        </Button>
      )}
      {archive && editedTargets.length > 0 && (
        <Button kind="plain" onClick={() => follow((fresh) => fresh.archive, "original")}>
          The same with the original words
        </Button>
      )}
      {stemFile && isMusic && (
        <Button
          icon="download"
          onClick={async () => {
            await follow((fresh) => fresh.stemFile);
            announce(
              "The stem file is built while it downloads, so the browser doesn't know how much is left.",
            );
          }}
        >
          For DJ software <span class="muted">(.stem.mp4)</span>
        </Button>
      )}
    </div>
  );
}
