import { ApiError } from "@stemwright/sdk";
import { useState } from "preact/hooks";
import { describeError } from "./describe-error.ts";

/**
 * The state of a form that is being sent: what went wrong, at which field or with the whole, and whether it is on its way.
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
    /** What is wrong with one field, said at it. */
    errorOf: (field: string) => {
      const message = details.find(({ path }) => path === field)?.message;
      return message && `This ${message}.`;
    },
    /** What is wrong with the whole. */
    message: error !== undefined && details.length === 0 ? describeError(error) : undefined,
  };
}
export type Form = ReturnType<typeof useForm>;
