import type { Client } from "@stemwright/sdk";
import { useState } from "preact/hooks";
import { apiClient } from "../../account/api-client.ts";
import { Button } from "../../parts/Button.tsx";
import { FormError } from "../../parts/FormError.tsx";
import { formatCredits } from "../../parts/format.ts";
import { SelectField } from "../../parts/SelectField.tsx";
import { TextField } from "../../parts/TextField.tsx";
import { announce } from "../../parts/toast.ts";
import { useForm } from "../../parts/use-form.ts";
import { Ledger } from "../usage/Ledger.tsx";

const KINDS = [
  { value: "grant", text: "Grant" },
  { value: "refund", text: "Refund" },
] as const;

export function ClientCredits({ record, onChanged }: { record: Client; onChanged: () => void }) {
  const { id, credits } = record;
  const [amount, setAmount] = useState("");
  const [note, setNote] = useState("");
  const [kind, setKind] = useState<"grant" | "refund">("grant");
  const [count, setCount] = useState(0);
  const form = useForm(async () => {
    const { balanceAfter } = await apiClient.admin.credits.grant(id, { amount: Number(amount), kind, note });
    announce(`The balance is ${formatCredits(balanceAfter)} now.`);
    setAmount("");
    setNote("");
    setCount(count + 1);
    onChanged();
  });
  return (
    <div class="stack">
      <form class="card stack" onSubmit={form.submit}>
        <p>
          {formatCredits(credits.available)} left of {formatCredits(credits.balance)};{" "}
          {formatCredits(credits.reserved)} reserved for unfinished Tasks.
        </p>
        <div class="columns">
          <TextField
            label="Credits"
            hint="A negative grant takes back."
            type="number"
            step="any"
            value={amount}
            onInput={setAmount}
            error={form.errorOf("amount")}
          />
          <SelectField label="Kind" value={kind} options={KINDS} onChange={setKind} />
          <TextField
            label="Note"
            placeholder="Invoice 17"
            value={note}
            onInput={setNote}
            error={form.errorOf("note")}
          />
        </div>
        <FormError form={form} />
        <div>
          <Button type="submit" kind="primary" isBusy={form.isBusy}>
            Add the entry
          </Button>
        </div>
      </form>
      <Ledger
        count={count}
        load={(page, options) => apiClient.admin.credits.ledger(id, page, options).page()}
      />
    </div>
  );
}
