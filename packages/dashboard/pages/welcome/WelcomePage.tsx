import { apiClient } from "../../account/api-client.ts";
import { me } from "../../account/session.ts";
import { NewPersonForm } from "../sign-in/NewPersonForm.tsx";
import { SignInCard } from "../sign-in/SignInCard.tsx";

/** Shown instead of every other page until the person can sign in without a link. */
export default function WelcomePage() {
  if (me.value && !me.value.mayResetPassword)
    return (
      <SignInCard
        title="This sign-in is too old"
        lead="A first password can be set within an hour after signing in."
      >
        <p>
          Open a new link: whoever runs this service can print one with <code>npm run sign-in</code>.
        </p>
      </SignInCard>
    );
  return (
    <SignInCard
      title="Welcome"
      lead="That link works only once. Sign in with an email and a password from now on."
    >
      <NewPersonForm
        knownEmail={me.value?.person.email ?? ""}
        emailHint="Only for signing in: no mail is sent to it."
        action="Continue"
        save={async (person) => {
          me.value = await apiClient.account.update(person);
        }}
      />
    </SignInCard>
  );
}
