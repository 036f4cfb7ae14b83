import type { Model, ModelGrant } from "@stemwright/sdk";
import { useState } from "preact/hooks";
import { apiClient } from "../../account/api-client.ts";
import { Badge } from "../../parts/Badge.tsx";
import { Button } from "../../parts/Button.tsx";
import { Dialog } from "../../parts/Dialog.tsx";
import { FormActions } from "../../parts/FormActions.tsx";
import { Loaded } from "../../parts/Loaded.tsx";
import { SelectField } from "../../parts/SelectField.tsx";
import { ActionsHead, Table } from "../../parts/Table.tsx";
import { TextField } from "../../parts/TextField.tsx";
import { announce } from "../../parts/toast.ts";
import { useForm } from "../../parts/use-form.ts";
import { useLoad } from "../../parts/use-load.ts";

const HEADS = ["Model", "Access", "Credits a minute", <ActionsHead key="actions" />];
const ACCESS = [
  { value: "", text: "As in the catalogue" },
  { value: "enabled", text: "Enabled" },
  { value: "requestAccess", text: "Not open" },
] as const;
type Access = (typeof ACCESS)[number]["value"];
type Terms = { model: Model; grant: ModelGrant | undefined };

function GrantDialog({
  clientId,
  terms,
  onClose,
  onSaved,
}: {
  clientId: string;
  terms: Terms;
  onClose: () => void;
  onSaved: () => void;
}) {
  const { model, grant } = terms;
  // The network is missing: only a rate can be agreed in advance.
  const offered = model.installed ? ACCESS : ACCESS.filter(({ value }) => value !== "enabled");
  const [access, setAccess] = useState<Access>(grant?.access ?? "");
  const [rate, setRate] = useState(
    grant?.creditsPerMinute === undefined ? "" : String(grant.creditsPerMinute),
  );
  const form = useForm(async () => {
    await apiClient.admin.modelGrants.set(clientId, model.id, {
      ...(access === "" ? {} : { access }),
      ...(rate === "" ? {} : { creditsPerMinute: Number(rate) }),
    });
    announce(`The terms for ${model.name} are saved and apply from the next request on.`);
    onSaved();
    onClose();
  });
  return (
    <Dialog title={model.name} onClose={onClose}>
      <form class="stack" onSubmit={form.submit}>
        <SelectField label="Access" value={access} options={offered} onChange={setAccess} />
        <TextField
          label="Credits a minute"
          hint={`Empty: as in the catalogue, ${model.creditsPerMinute ?? "none"}.`}
          type="number"
          min={0}
          step="any"
          isOptional
          value={rate}
          onInput={setRate}
          error={form.errorOf("creditsPerMinute")}
        />
        <FormActions form={form} action="Save" onClose={onClose} />
      </form>
    </Dialog>
  );
}

function describeAccess({ access, installed }: Model): string {
  if (access === "enabled") return "Enabled";
  return installed ? "Not open" : "Not installed";
}

function GrantRow({
  terms: { model, grant },
  onChange,
  onReset,
}: {
  terms: Terms;
  onChange: () => void;
  onReset: () => Promise<void>;
}) {
  return (
    <tr>
      <td>
        {model.name} {grant && <span class="tag">agreed</span>}
      </td>
      <td>
        <Badge tone={model.access === "enabled" ? "good" : "quiet"}>{describeAccess(model)}</Badge>
      </td>
      <td>{model.creditsPerMinute ?? "–"}</td>
      <td class="number">
        <div class="row">
          <Button isSmall onClick={onChange}>
            Change
          </Button>
          {grant && (
            <Button isSmall kind="plain" onClick={onReset}>
              Reset
            </Button>
          )}
        </div>
      </td>
    </tr>
  );
}

/** The catalogue as one client sees it, with its grants. */
export function ClientGrants({ clientId }: { clientId: string }) {
  const loaded = useLoad(
    (signal) =>
      Promise.all([
        apiClient.models.list({ signal, clientId }),
        apiClient.admin.modelGrants.list(clientId, { signal }),
      ]),
    [clientId],
  );
  const [edited, setEdited] = useState<Terms>();
  async function reset(model: Model) {
    await apiClient.admin.modelGrants.delete(clientId, model.id);
    announce(`${model.name} has the default terms again.`);
    loaded.reload();
  }
  return (
    <Loaded loaded={loaded}>
      {([models, grants]) => (
        <>
          <Table label="Models and rates" heads={HEADS}>
            {models.map((model) => {
              const grant = grants.find((each) => each.model === model.id);
              const terms = { model, grant };
              return (
                <GrantRow
                  key={model.id}
                  terms={terms}
                  onChange={() => setEdited(terms)}
                  onReset={() => reset(model)}
                />
              );
            })}
          </Table>
          {edited && (
            <GrantDialog
              clientId={clientId}
              terms={edited}
              onClose={() => setEdited(undefined)}
              onSaved={loaded.reload}
            />
          )}
        </>
      )}
    </Loaded>
  );
}
