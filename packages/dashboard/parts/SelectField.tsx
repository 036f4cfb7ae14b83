import type { ComponentChildren } from "preact";
import { Field } from "./Field.tsx";

export function SelectField<Value extends string>({
  label,
  hint,
  value,
  options,
  onChange,
}: {
  label: ComponentChildren;
  hint?: ComponentChildren;
  value: Value;
  options: readonly { value: Value; text: string }[];
  onChange: (value: Value) => void;
}) {
  return (
    <Field label={label} hint={hint}>
      {(control) => (
        <select
          {...control}
          class="input"
          value={value}
          onChange={(event) => onChange(event.currentTarget.value as Value)}
        >
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.text}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
