import { ApiError } from "@stemwright/sdk";
import { useState } from "preact/hooks";
import { describeError } from "./describe-error.ts";

/**
 * The state of a form: whether it is being sent, and its errors, by field and for the form as a whole.
 *
 * @example
 * const form = useForm(() => client.account.signIn({ email, password }));
 * return <form onSubmit={form.submit}>…<FormError form={form} /></form>;
 */
export function useForm(send: () => Promise<unknown>) {
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const details = error instanceof ApiError ? error.details : [];

  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    if (isBusy) return;
    setBusy(true);
    try {
      await send();
      setError(undefined);
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  }

  return {
    submit,
    isBusy,
    /** The error of one field. */
    errorOf: (field: string) => {
      const message = details.find(({ path }) => path === field)?.message;
      return message && `This ${message}.`;
    },
    /** An error that belongs to no field. */
    message: error !== undefined && details.length === 0 ? describeError(error) : undefined,
  };
}
export type Form = ReturnType<typeof useForm>;
