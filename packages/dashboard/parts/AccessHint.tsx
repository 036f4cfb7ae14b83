import { getClientId, me } from "../account/session.ts";

/** How to get access to a model. */
export function AccessHint() {
  if (!me.value?.person.isAdministrator)
    return <p class="small">Ask an administrator of this service for access.</p>;
  return (
    <p class="small">
      <a href={`app/admin/clients/${getClientId()}`}>Grant access</a> to use it.
    </p>
  );
}
