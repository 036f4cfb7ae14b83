import { Button } from "./Button.tsx";
import { FormError } from "./FormError.tsx";
import type { Form } from "./use-form.ts";

/** The end of a dialog's form: its error and buttons. */
export function FormActions({
  form,
  action,
  onClose,
}: {
  form: Form;
  /** The button's text: `Make the key`. */
  action: string;
  onClose: () => void;
}) {
  return (
    <>
      <FormError form={form} />
      <div class="dialog-actions">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" kind="primary" isBusy={form.isBusy}>
          {action}
        </Button>
      </div>
    </>
  );
}
