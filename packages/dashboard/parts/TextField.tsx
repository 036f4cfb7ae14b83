import type { ComponentChildren, InputHTMLAttributes } from "preact";
import { Field } from "./Field.tsx";

/** One line of text with its label. */
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
  // The library has a type for each kind of input, and none for those that are lines of text.
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
