import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";

export type FieldControl = { id: string; "aria-describedby": string | undefined; "aria-invalid": boolean };

/**
 * A label, its control, and its hint or error.
 *
 * @example
 * <Field label="Email">{(control) => <input class="input" type="email" {...control} />}</Field>
 */
export function Field({
  label,
  hint,
  error,
  children,
}: {
  label: ComponentChildren;
  hint?: ComponentChildren;
  error?: string | undefined;
  children: (control: FieldControl) => ComponentChildren;
}) {
  const id = useId();
  const noteId = `${id}-note`;
  const note = error ?? hint;
  return (
    <div class="field">
      <label class="field-label" for={id}>
        {label}
      </label>
      {children({ id, "aria-describedby": note ? noteId : undefined, "aria-invalid": error !== undefined })}
      {note && (
        <div id={noteId} class={error === undefined ? "field-hint" : "field-error"}>
          {note}
        </div>
      )}
    </div>
  );
}
