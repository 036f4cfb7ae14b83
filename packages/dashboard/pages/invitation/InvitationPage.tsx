import { useState } from "preact/hooks";
import { client } from "../../account/api-client.ts";
import { me } from "../../account/session.ts";
import { address, navigate } from "../../shell/router.ts";
import { NewPersonForm } from "../sign-in/NewPersonForm.tsx";
import { SignInCard } from "../sign-in/SignInCard.tsx";

export default function InvitationPage() {
  const [token] = useState(address.value.hash);
  if (token === "")
    return (
      <SignInCard title="This invitation link is incomplete">
        <p>The part behind the # is missing. Open the link as it was sent to you, or ask for a new one.</p>
      </SignInCard>
    );
  return (
    <SignInCard title="Join Stemwright" lead="You were invited. Choose how you sign in from now on.">
      <NewPersonForm
        emailHint="Nothing is mailed to it. If you were invited by an address, use that one."
        action="Join"
        save={async (person) => {
          me.value = await client.account.invitations.accept({ token, ...person });
          navigate("app", { replaces: true });
        }}
      />
    </SignInCard>
  );
}
