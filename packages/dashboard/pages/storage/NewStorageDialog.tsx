import type { StorageIntegrationInput } from "@stemwright/sdk";
import { useState } from "preact/hooks";
import { apiClient } from "../../account/api-client.ts";
import { getClientId, me } from "../../account/session.ts";
import { Dialog } from "../../parts/Dialog.tsx";
import { FormActions } from "../../parts/FormActions.tsx";
import { SelectField } from "../../parts/SelectField.tsx";
import { TextField } from "../../parts/TextField.tsx";
import { useForm } from "../../parts/use-form.ts";
import { STORAGE_KINDS, type StorageKind } from "./storage-kinds.ts";

const OPTIONS = STORAGE_KINDS.map(({ type, name }) => ({ value: type, text: name }));
const getKind = (type: StorageKind["type"]) =>
  STORAGE_KINDS.find((kind) => kind.type === type) as StorageKind;

export function NewStorageDialog({ onClose, onMade }: { onClose: () => void; onMade: () => void }) {
  const [type, setType] = useState<StorageKind["type"]>("aws");
  const [storageName, setStorageName] = useState("");
  const [values, setValues] = useState<Record<string, string>>({});
  const kind = getKind(type);
  const form = useForm(async () => {
    const authConfig = Object.fromEntries(kind.fields.map(({ name }) => [name, values[name]?.trim() ?? ""]));
    // Only administrators choose the owner.
    const own = me.value?.person.isAdministrator ? { clientId: getClientId() } : {};
    await apiClient.storageIntegrations.create({
      type,
      storageName: storageName.trim(),
      authConfig,
      ...own,
    } as StorageIntegrationInput);
    onMade();
    onClose();
  });
  return (
    <Dialog title="Add storage" onClose={onClose}>
      <form class="stack" onSubmit={form.submit}>
        <SelectField label="Where" value={type} options={OPTIONS} onChange={setType} />
        <TextField
          label={kind.bucket}
          value={storageName}
          onInput={setStorageName}
          error={form.errorOf("storageName")}
        />
        {kind.fields.map(({ name, label, hint, placeholder, isSecret }) => (
          <TextField
            key={`${type} ${name}`}
            label={label}
            {...(hint === undefined ? {} : { hint })}
            {...(placeholder === undefined ? {} : { placeholder })}
            type={isSecret ? "password" : "text"}
            autocomplete="off"
            value={values[name] ?? ""}
            onInput={(value) => setValues({ ...values, [name]: value })}
            error={form.errorOf(`authConfig.${name}`)}
          />
        ))}
        {type === "aws" && (
          <p class="small muted">
            The next page shows the exact trust policy for the role. No long-lived credentials are stored: the
            role is assumed for an hour at a time.
          </p>
        )}
        <FormActions form={form} action="Add it" onClose={onClose} />
      </form>
    </Dialog>
  );
}
