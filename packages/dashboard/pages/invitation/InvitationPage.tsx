import type { AccountOptions, ReceivedInvitation } from "@stemwright/sdk";
import { useState } from "preact/hooks";
import { apiClient } from "../../account/api-client.ts";
import { me } from "../../account/session.ts";
import { Button } from "../../parts/Button.tsx";
import { FormError } from "../../parts/FormError.tsx";
import { Loaded } from "../../parts/Loaded.tsx";
import { useForm } from "../../parts/use-form.ts";
import { useLoad } from "../../parts/use-load.ts";
import { address, navigate } from "../../shell/router.ts";
import { NewPersonForm } from "../sign-in/NewPersonForm.tsx";
import { SignInCard } from "../sign-in/SignInCard.tsx";

type Invited = { token: string; invitation: ReceivedInvitation; options: AccountOptions };

function JoinWithProvider({ token, invitation, options }: Invited) {
  const form = useForm(async () => {
    window.location.assign((await apiClient.account.invitations.acceptWithProvider(token)).url);
  });
  if (!options.oidc) return null;
  return (
    <form class="stack" onSubmit={form.submit}>
      <FormError form={form} />
      <Button type="submit" isBusy={form.isBusy}>
        Join {invitation.client.name} with {options.oidc.name}
      </Button>
    </form>
  );
}

function Join({ token, invitation, options }: Invited) {
  const { client: account, role, email } = invitation;
  const signedIn = me.value;
  return (
    <SignInCard
      title={`Join ${account.name}`}
      lead={`You were invited to the account “${account.name}” as ${role}. What you do there belongs to that account.`}
    >
      {signedIn && (
        <p>
          You are signed in to “{signedIn.client.name}” as {signedIn.person.name}. Joining signs you out
          there.
        </p>
      )}
      <NewPersonForm
        knownEmail={email ?? ""}
        emailHint={
          email === null
            ? "What you sign in with from now on. Nothing is mailed to it."
            : "You were invited by this address, so keep it. Nothing is mailed to it."
        }
        action={`Join ${account.name}`}
        save={async (person) => {
          me.value = await apiClient.account.invitations.accept({ token, ...person });
          navigate("app", { replaces: true });
        }}
      />
      <JoinWithProvider token={token} invitation={invitation} options={options} />
    </SignInCard>
  );
}

function Invitation({ token }: { token: string }) {
  const loaded = useLoad(
    async (signal) => {
      const [invitation, options] = await Promise.all([
        apiClient.account.invitations.lookup(token, { signal }),
        apiClient.account.options({ signal }),
      ]);
      return { token, invitation, options };
    },
    [token],
  );
  if (loaded.value) return <Join {...loaded.value} />;
  return (
    <SignInCard title={loaded.error === undefined ? "Your invitation" : "This invitation does not work"}>
      <Loaded loaded={loaded}>{() => null}</Loaded>
    </SignInCard>
  );
}

export default function InvitationPage() {
  const [token] = useState(address.value.hash);
  if (token !== "") return <Invitation token={token} />;
  return (
    <SignInCard title="This invitation link is incomplete">
      <p>The part behind the # is missing. Open the link as it was sent to you, or ask for a new one.</p>
    </SignInCard>
  );
}
