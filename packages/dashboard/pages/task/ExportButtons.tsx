import type { TaskExports } from "@stemwright/sdk";
import { toOwnLink } from "../../data/own-link.ts";
import { Button } from "../../parts/Button.tsx";
import { followLink } from "../../parts/follow-link.ts";
import { formatBytes } from "../../parts/format.ts";
import { announce } from "../../parts/toast.ts";
import { useLoad } from "../../parts/use-load.ts";

/** Exports change when there are more outputs. */
export const countOutputs = (targets: readonly { output: readonly unknown[] }[]) =>
  targets.reduce((sum, { output }) => sum + output.length, 0);

/** All outputs in one file. `version` changes when outputs are added. */
export function ExportButtons({
  load,
  version,
}: {
  load: (signal?: AbortSignal) => Promise<TaskExports>;
  version: string;
}) {
  const exports = useLoad(load, [version]);
  const { archive, stemFile } = exports.value ?? {};
  if (!archive && !stemFile) return null;

  /** Fetches a fresh link: the page may have been open for hours. */
  async function follow(find: (fresh: TaskExports) => { link: string } | undefined) {
    const found = find(await load());
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
      {stemFile && (
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
