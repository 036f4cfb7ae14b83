import type { Target, Task, TextOutputFormat } from "@stemwright/sdk";
import { apiClient } from "../../account/api-client.ts";
import { isMusic, nameModel } from "../../data/model-names.ts";
import { nameLanguage } from "../../data/name-language.ts";
import { describeTarget, isCancelled } from "../../data/task-state.ts";
import { Badge } from "../../parts/Badge.tsx";
import { formatCredits, formatDuration } from "../../parts/format.ts";
import { Icon } from "../../parts/Icon.tsx";
import { ProgressBar } from "../../parts/ProgressBar.tsx";
import { useLoad } from "../../parts/use-load.ts";
import { countOutputs, ExportButtons, type LoadExports } from "./ExportButtons.tsx";
import { OutputItem } from "./OutputItem.tsx";

function describeCost({ cost, duration }: Target): string {
  return [
    duration === undefined ? "" : formatDuration(duration),
    cost === undefined ? "" : formatCredits(cost),
  ]
    .filter((part) => part !== "")
    .join(" · ");
}

function TargetSection({ task, target, isEdited }: { task: Task; target: Target; isEdited: boolean }) {
  const loadEdited = (format: TextOutputFormat) =>
    apiClient.tasks.words.export({ taskId: task.id, targetId: target.id }, format);
  const state = describeTarget(target);
  const name = nameModel(target.model);
  const titleId = `target-${target.id}`;
  return (
    <section class="card stack-tight" aria-labelledby={titleId}>
      <div class="row row-apart row-wrap">
        <div class="row">
          <h2 id={titleId}>{name}</h2>
          {target.variant && <span class="tag">{target.variant}</span>}
          {target.language && <span class="tag">{nameLanguage(target.language)}</span>}
        </div>
        <div class="row small muted">
          {describeCost(target)}
          <Badge tone={state.tone}>{state.text}</Badge>
        </div>
      </div>
      {target.status === "processing" && (
        <ProgressBar value={target.progress ?? 0} label={`Progress of ${name}`} />
      )}
      {target.error && !isCancelled(target) && (
        <div class="notice notice-bad">
          <Icon name="warning" />
          <p>
            {target.error.message} <span class="muted">(error {target.error.code})</span>
          </p>
        </div>
      )}
      {target.output.length > 0 && (
        <ul class="plain-list output-list">
          {target.output.map((output) => (
            <OutputItem
              key={`${output.name}.${output.format}`}
              task={task}
              output={output}
              loadEdited={isEdited ? loadEdited : undefined}
            />
          ))}
        </ul>
      )}
    </section>
  );
}

/** Every target with its files. */
export function Outputs({ task }: { task: Task }) {
  const load: LoadExports = (options) => apiClient.tasks.exports(task.id, options);
  const exports = useLoad((signal) => load({ signal }), [task.id, countOutputs(task.targets)]);
  return (
    <div class="stack">
      <ExportButtons load={load} exports={exports.value} isMusic={isMusic(task.targets)} />
      {task.targets.map((target) => (
        <TargetSection
          key={target.id}
          task={task}
          target={target}
          isEdited={exports.value?.editedTargets?.includes(target.id) ?? false}
        />
      ))}
    </div>
  );
}
