import type { Model } from "@stemwright/sdk";
import { loadModels } from "../../data/model-names.ts";
import { SearchField } from "../../parts/SearchField.tsx";
import { useLoad } from "../../parts/use-load.ts";

const STATES = [
  ["", "All"],
  ["processing", "Running"],
  ["completed", "Done"],
  ["error", "Failed"],
] as const;
const DATES = [
  ["from", "Created from"],
  ["to", "Created until"],
] as const;

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
      {DATES.map(([name, label]) => (
        <input
          key={name}
          class="input task-date"
          type="date"
          aria-label={label}
          title={label}
          value={filters[name] ?? ""}
          onChange={({ currentTarget }) => onChange({ [name]: currentTarget.value })}
        />
      ))}
      <SearchField
        label="Search Tasks"
        hint="File, URL, metadata or id"
        value={filters.search ?? ""}
        onChange={(search) => onChange({ search })}
      />
    </search>
  );
}
