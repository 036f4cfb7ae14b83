import type { Client, ClientChangeInput } from "@stemwright/sdk";
import { useState } from "preact/hooks";
import { apiClient } from "../../account/api-client.ts";
import { Button } from "../../parts/Button.tsx";
import { FormError } from "../../parts/FormError.tsx";
import { formatBytes } from "../../parts/format.ts";
import { TextField } from "../../parts/TextField.tsx";
import { announce } from "../../parts/toast.ts";
import { useForm } from "../../parts/use-form.ts";
import { MeteredField } from "./MeteredField.tsx";

/** Empty means the service's setting. */
const toText = (max: number | null) => (max === null ? "" : String(max));
const toMax = (text: string, unit = 1) => (text.trim() === "" ? "default" : Math.round(Number(text) * unit));
const GIGABYTE = 1e9;

function LimitField({
  inUse,
  ...field
}: {
  label: string;
  inUse?: string;
  value: string;
  onInput: (text: string) => void;
  error: string | undefined;
}) {
  const hint = inUse === undefined ? "0 = no limit." : `${inUse} in use. 0 = no limit.`;
  return (
    <TextField
      {...field}
      hint={hint}
      type="number"
      min={0}
      isOptional
      placeholder="default"
      {...(inUse === undefined ? {} : { step: "any" })}
    />
  );
}

export function ClientTerms({ record, onChanged }: { record: Client; onChanged: () => void }) {
  const [name, setName] = useState(record.name);
  const { storage } = record;
  const [isMetered, setMetered] = useState(record.metered);
  const [weight, setWeight] = useState(String(record.weight));
  const [runningMax, setRunningMax] = useState(toText(record.runningMax));
  const [waitingMax, setWaitingMax] = useState(toText(record.waitingMax));
  const quota = record.storageQuotaBytes;
  const [quotaGigabytes, setQuotaGigabytes] = useState(toText(quota === null ? null : quota / GIGABYTE));
  const form = useForm(async () => {
    const change: ClientChangeInput = {
      name,
      metered: isMetered,
      weight: Number(weight),
      runningMax: toMax(runningMax),
      waitingMax: toMax(waitingMax),
      storageQuotaBytes: toMax(quotaGigabytes, GIGABYTE),
    };
    await apiClient.admin.clients.update(record.id, change);
    announce("The terms are saved.");
    onChanged();
  });
  return (
    <form class="card stack" onSubmit={form.submit}>
      <div class="columns">
        <TextField label="Name" value={name} onInput={setName} error={form.errorOf("name")} />
        <TextField
          label="Weight"
          hint="Share of the queue: 2 gets twice the turns of 1."
          type="number"
          min={1}
          max={100}
          value={weight}
          onInput={setWeight}
          error={form.errorOf("weight")}
        />
        <LimitField
          label="Maximum running Tasks"
          value={runningMax}
          onInput={setRunningMax}
          error={form.errorOf("runningMax")}
        />
        <LimitField
          label="Maximum waiting Tasks"
          value={waitingMax}
          onInput={setWaitingMax}
          error={form.errorOf("waitingMax")}
        />
        <LimitField
          label="Storage quota in GB"
          inUse={formatBytes(storage.assetsBytes + storage.outputsBytes)}
          value={quotaGigabytes}
          onInput={setQuotaGigabytes}
          error={form.errorOf("storageQuotaBytes")}
        />
      </div>
      <MeteredField isMetered={isMetered} onChange={setMetered} />
      <FormError form={form} />
      <div>
        <Button type="submit" kind="primary" isBusy={form.isBusy}>
          Save
        </Button>
      </div>
    </form>
  );
}
