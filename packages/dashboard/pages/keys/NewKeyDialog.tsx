import type { KeyInput, NewApiKey } from "@stemwright/sdk";
import { useState } from "preact/hooks";
import { me } from "../../account/session.ts";
import { Button } from "../../parts/Button.tsx";
import { CodeBlock } from "../../parts/CodeBlock.tsx";
import { Dialog } from "../../parts/Dialog.tsx";
import { FormActions } from "../../parts/FormActions.tsx";
import { quoteForShell } from "../../parts/quote-for-shell.ts";
import { SelectField } from "../../parts/SelectField.tsx";
import { TextField } from "../../parts/TextField.tsx";
import { useForm } from "../../parts/use-form.ts";

const KINDS = [
  { value: "client", text: "API key of this account" },
  { value: "admin", text: "Administrator’s key: all accounts" },
  { value: "legacy", text: "Token of the older Jobs interface" },
] as const;
type Kind = (typeof KINDS)[number]["value"];

const toRequest = (name: string, kind: Kind) => (kind === "legacy" ? { name, kind } : { name, role: kind });

function MadeKey({ made, onClose }: { made: NewApiKey; onClose: () => void }) {
  const header =
    made.kind === "legacy" ? `authorization: Bearer ${made.secret}` : `x-api-key: ${made.secret}`;
  const path = made.kind === "legacy" ? "job" : "tasks";
  const command = ["curl", "-H", header, new URL(path, document.baseURI).href].map(quoteForShell).join(" ");
  return (
    <>
      <p>Copy it now. It is shown only once; the service stores only its hash.</p>
      <CodeBlock label="API key" code={made.secret} />
      <p class="small muted">Try it:</p>
      <CodeBlock label="curl command" code={command} />
      <div class="dialog-actions">
        <Button kind="primary" onClick={onClose}>
          I have it
        </Button>
      </div>
    </>
  );
}

export function NewKeyDialog({
  make,
  onClose,
  onMade,
}: {
  make: (request: KeyInput) => Promise<NewApiKey>;
  onClose: () => void;
  onMade: () => void;
}) {
  const [name, setName] = useState("");
  const [kind, setKind] = useState<Kind>("client");
  const [made, setMade] = useState<NewApiKey>();
  const form = useForm(async () => {
    setMade(await make(toRequest(name, kind)));
    onMade();
  });
  return (
    <Dialog title={made ? `“${made.name}” is ready` : "New API key"} onClose={onClose}>
      {made ? (
        <MadeKey made={made} onClose={onClose} />
      ) : (
        <form class="stack" onSubmit={form.submit}>
          <TextField
            label="Name"
            hint="What uses it, so that you know later which one to revoke."
            placeholder="Production"
            value={name}
            onInput={setName}
            error={form.errorOf("name")}
          />
          {me.value?.person.isAdministrator && (
            <SelectField label="What it opens" value={kind} options={KINDS} onChange={setKind} />
          )}
          <FormActions form={form} action="Make the key" onClose={onClose} />
        </form>
      )}
    </Dialog>
  );
}
