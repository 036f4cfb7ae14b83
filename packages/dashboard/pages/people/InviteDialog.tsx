import type { NewInvitation, PersonRole } from "@stemwright/sdk";
import { useState } from "preact/hooks";
import { apiClient } from "../../account/api-client.ts";
import { Button } from "../../parts/Button.tsx";
import { CodeBlock } from "../../parts/CodeBlock.tsx";
import { Dialog } from "../../parts/Dialog.tsx";
import { FormActions } from "../../parts/FormActions.tsx";
import { formatDateTime } from "../../parts/format.ts";
import { SelectField } from "../../parts/SelectField.tsx";
import { TextField } from "../../parts/TextField.tsx";
import { useForm } from "../../parts/use-form.ts";

const ROLES = [
  { value: "member", text: "Member: Tasks, assets, keys, settings" },
  { value: "owner", text: "Owner: also people" },
] as const;

/** Invites somebody to the account or, for administrators, to another one. */
export function InviteDialog({
  clientId,
  onClose,
  onMade,
}: {
  clientId?: string;
  onClose: () => void;
  onMade?: () => void;
}) {
  const [role, setRole] = useState<PersonRole>("member");
  const [email, setEmail] = useState("");
  const [made, setMade] = useState<NewInvitation>();
  const form = useForm(async () => {
    setMade(
      await apiClient.account.invitations.create({ role, ...(email === "" ? {} : { email }) }, { clientId }),
    );
    onMade?.();
  });
  if (made)
    return (
      <Dialog title="Send this link" onClose={onClose}>
        <p>
          It lets one person in, until {formatDateTime(made.expiresAt)}. It is shown this once, and nothing is
          mailed: send it in whatever way you trust.
        </p>
        <CodeBlock label="invitation link" code={made.url} />
        <div class="dialog-actions">
          <Button kind="primary" onClick={onClose}>
            I have it
          </Button>
        </div>
      </Dialog>
    );
  return (
    <Dialog title="Invite somebody" onClose={onClose}>
      <form class="stack" onSubmit={form.submit}>
        <SelectField label="Role" value={role} options={ROLES} onChange={setRole} />
        <TextField
          label="Email (optional)"
          hint="If set, the link works for this address only."
          type="email"
          autocomplete="off"
          isOptional
          value={email}
          onInput={setEmail}
          error={form.errorOf("email")}
        />
        <FormActions form={form} action="Make the link" onClose={onClose} />
      </form>
    </Dialog>
  );
}
