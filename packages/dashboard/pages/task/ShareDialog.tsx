import type { NewShare, Share } from "@stemwright/sdk";
import { useState } from "preact/hooks";
import { apiClient } from "../../account/api-client.ts";
import { Button } from "../../parts/Button.tsx";
import { copyText } from "../../parts/copy-text.ts";
import { Dialog } from "../../parts/Dialog.tsx";
import { Field } from "../../parts/Field.tsx";
import { formatDateTime } from "../../parts/format.ts";
import { Loaded } from "../../parts/Loaded.tsx";
import { announce } from "../../parts/toast.ts";
import { useLoad } from "../../parts/use-load.ts";

const DAY_SECONDS = 86_400;
const LENGTHS: readonly [number, string][] = [
  [3600, "An hour"],
  [DAY_SECONDS, "A day"],
  [7 * DAY_SECONDS, "A week"],
  [30 * DAY_SECONDS, "30 days"],
  [365 * DAY_SECONDS, "A year"],
];

/** Uses the address the page was opened at, which may differ from the service's public one. */
const toPageUrl = (token: string) => new URL(`app/share#${token}`, document.baseURI).href;

/** Creates, copies and revokes links that show a Task to people without an account. */
export function ShareDialog({ taskId, onClose }: { taskId: string; onClose: () => void }) {
  const shares = useLoad((signal) => apiClient.tasks.shares.list(taskId, { signal }), [taskId]);
  const [expiresInSeconds, setExpires] = useState(7 * DAY_SECONDS);
  const [showsName, setShowsName] = useState(true);
  const [made, setMade] = useState<NewShare>();

  async function make() {
    setMade(await apiClient.tasks.shares.create(taskId, { expiresInSeconds, showsName }));
    shares.reload();
  }

  async function revoke(id: string) {
    await apiClient.tasks.shares.revoke(taskId, id);
    if (made?.id === id) setMade(undefined);
    shares.reload();
    announce("The link is revoked. It no longer works, and downloads from it stop.");
  }

  return (
    <Dialog title="Share this Task" onClose={onClose}>
      <p>Whoever has the link can listen, read and download, without an account, and change nothing.</p>
      <div class="stack">
        <LengthField seconds={expiresInSeconds} onChange={setExpires} />
        <label class="check">
          <input
            type="checkbox"
            checked={showsName}
            onChange={({ currentTarget }) => setShowsName(currentTarget.checked)}
          />
          Show the file’s name
        </label>
        <Button kind="primary" icon="link" onClick={make}>
          Make a link
        </Button>
        {made && <NewLink url={toPageUrl(made.token)} />}
        <Loaded loaded={shares}>{(list) => <ShareList shares={list} onRevoke={revoke} />}</Loaded>
      </div>
      <div class="dialog-actions">
        <Button onClick={onClose}>Done</Button>
      </div>
    </Dialog>
  );
}

function LengthField({ seconds, onChange }: { seconds: number; onChange: (seconds: number) => void }) {
  return (
    <Field label="The link works for">
      {(control) => (
        <select
          {...control}
          class="input"
          value={String(seconds)}
          onChange={({ currentTarget }) => onChange(Number(currentTarget.value))}
        >
          {LENGTHS.map(([length, label]) => (
            <option key={length} value={String(length)}>
              {label}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

/** The link as it is shown once. */
function NewLink({ url }: { url: string }) {
  async function copy() {
    await copyText(url);
    announce("The link is copied.");
  }

  return (
    <div class="stack-tight">
      <Field label="The link" hint="It is shown once; create another if it gets lost.">
        {(control) => (
          <input
            {...control}
            class="input mono"
            readOnly
            value={url}
            onFocus={({ currentTarget }) => currentTarget.select()}
          />
        )}
      </Field>
      <Button icon="copy" onClick={copy}>
        Copy the link
      </Button>
    </div>
  );
}

function ShareList({
  shares,
  onRevoke,
}: {
  shares: readonly Share[];
  onRevoke: (id: string) => Promise<void>;
}) {
  return (
    <ul class="plain-list stack-tight" aria-label="Active links">
      {shares.map(({ id, expiresAt }) => (
        <li key={id} class="row row-apart">
          <span class="small">Works until {formatDateTime(expiresAt)}</span>
          <Button isSmall kind="danger" onClick={() => onRevoke(id)}>
            Revoke
          </Button>
        </li>
      ))}
    </ul>
  );
}
