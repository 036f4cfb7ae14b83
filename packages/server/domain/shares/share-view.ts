import type { NewShare, Share, SharedTask } from "@stemwright/contract";
import type { LinkSigner } from "../links.ts";
import { toShownDuration } from "../tasks/shown-duration.ts";
import type { TargetRecord } from "../tasks/task-record.ts";
import { toOutputFile, toShownOffset } from "../tasks/task-view.ts";
import { isText } from "../words/load-words.ts";
import type { SharedRecord, ShareRecord } from "./share-record.ts";

export const toShare = ({ id, createdAt, expiresAt, showsName }: ShareRecord): Share => ({
  id,
  createdAt: createdAt.toISOString(),
  expiresAt: expiresAt.toISOString(),
  showsName,
});

/** The token is in the fragment: browsers never send that to a server, so it appears in no log. */
export const toNewShare = (
  record: ShareRecord,
  { token, baseUrl }: { token: string; baseUrl: string },
): NewShare => ({
  ...toShare(record),
  token,
  url: `${baseUrl}/app/share#${token}`,
});

/** Only what the link is meant to show: no account, input, costs or error messages. */
export function toSharedTask(
  { task, share, name }: SharedRecord & { name: string | undefined },
  links: LinkSigner,
): SharedTask {
  return {
    ...(name !== undefined && share.showsName ? { name } : {}),
    createdAt: task.createdAt.toISOString(),
    completedAt: task.completedAt?.toISOString() ?? null,
    expiresAt: share.expiresAt.toISOString(),
    targets: task.targets.map((target) => toSharedTarget(target, links)),
  };
}

function toSharedTarget(target: TargetRecord, links: LinkSigner): SharedTask["targets"][number] {
  const { id, model, variant, status, progress, durationSeconds, fileTimeline } = target;
  return {
    id,
    model,
    ...(variant === undefined ? {} : { variant }),
    status,
    ...(status === "completed" ? { duration: toShownDuration(durationSeconds ?? 0) } : {}),
    ...toShownOffset(target),
    ...(fileTimeline === undefined ? {} : { fileTimeline }),
    ...(status === "processing" ? { progress } : {}),
    output: target.output.map((output) => toOutputFile(output, links)),
    hasWords: status === "completed" && isText(target),
  };
}
