import { Button } from "./Button.tsx";
import { FormError } from "./FormError.tsx";
import type { Form } from "./use-form.ts";

/** The end of a dialog's form: what went wrong, and the buttons. */
export function FormActions({
  form,
  action,
  onClose,
}: {
  form: Form;
  /** What the button says: `Make the key`. */
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
