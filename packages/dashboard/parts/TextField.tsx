import type { ComponentChildren, InputHTMLAttributes } from "preact";
import { Field } from "./Field.tsx";

export function TextField({
  label,
  hint,
  error,
  value,
  onInput,
  ...input
}: {
  label: ComponentChildren;
  hint?: ComponentChildren;
  error?: string | undefined;
  value: string;
  onInput: (value: string) => void;
  type?: "text" | "email" | "password" | "url" | "number";
  autocomplete?: string;
  placeholder?: string;
  isOptional?: boolean;
  minLength?: number;
  min?: number;
  max?: number;
  step?: string;
}) {
  const { isOptional, ...rest } = input;
  // Preact types each kind of input separately and has no type for all text-like ones.
  const attributes = rest as InputHTMLAttributes<HTMLInputElement>;
  return (
    <Field label={label} hint={hint} error={error}>
      {(control) => (
        <input
          {...control}
          {...attributes}
          class="input"
          required={!isOptional}
          value={value}
          onInput={(event) => onInput(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}
