import { Icon } from "./Icon.tsx";
import type { Form } from "./use-form.ts";

/** A form error that belongs to none of its fields. */
export function FormError({ form }: { form: Form }) {
  return (
    <div class="form-error" role="alert">
      {form.message && (
        <div class="notice notice-bad">
          <Icon name="warning" />
          <p>{form.message}</p>
        </div>
      )}
    </div>
  );
}
