import type { Model } from "@stemwright/sdk";
import { useEffect, useRef, useState } from "preact/hooks";
import { loadModels } from "../../data/model-names.ts";
import { useLoad } from "../../parts/use-load.ts";

const STATES = [
  ["", "All"],
  ["processing", "Running"],
  ["completed", "Done"],
  ["error", "Failed"],
] as const;
const TYPING_PAUSE_MS = 300;

/** Calls back when typing pauses, not at each letter. */
function SearchField({ value, onChange }: { value: string; onChange: (text: string) => void }) {
  const [text, setText] = useState(value);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => setText(value), [value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  return (
    <input
      class="input task-search"
      type="search"
      aria-label="Search Tasks"
      placeholder="File, URL, metadata or id"
      value={text}
      onInput={({ currentTarget }) => {
        setText(currentTarget.value);
        clearTimeout(timer.current);
        timer.current = setTimeout(() => onChange(currentTarget.value.trim()), TYPING_PAUSE_MS);
      }}
    />
  );
}

export function TaskFilters({
  filters,
  onChange,
}: {
  filters: Record<string, string>;
  onChange: (changes: Record<string, string>) => void;
}) {
  const models = useLoad<readonly Model[]>(loadModels, []);
  return (
    <search class="row row-wrap task-filters">
      <fieldset class="row">
        <legend class="visually-hidden">State</legend>
        {STATES.map(([status, label]) => (
          <button
            key={status}
            type="button"
            class="choice"
            aria-pressed={(filters.status ?? "") === status}
            onClick={() => onChange({ status })}
          >
            {label}
          </button>
        ))}
      </fieldset>
      <select
        class="input task-model"
        aria-label="Model"
        value={filters.model ?? ""}
        onChange={({ currentTarget }) => onChange({ model: currentTarget.value })}
      >
        <option value="">Any model</option>
        {models.value?.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
      <SearchField value={filters.search ?? ""} onChange={(search) => onChange({ search })} />
    </search>
  );
}
