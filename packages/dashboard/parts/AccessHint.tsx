import { getClientId, me } from "../account/session.ts";

/** What to do about a model that the client may not use yet. */
export function AccessHint() {
  if (!me.value?.person.isAdministrator)
    return <p class="small">Ask an administrator of this service for access.</p>;
  return (
    <p class="small">
      <a href={`app/admin/clients/${getClientId()}`}>Grant access</a> to use it.
    </p>
  );
}
