import { useState } from "preact/hooks";
import { client } from "../../account/client.ts";
import { me } from "../../account/session.ts";
import { Button } from "../../parts/Button.tsx";
import { FormError } from "../../parts/FormError.tsx";
import { TextField } from "../../parts/TextField.tsx";
import { useForm } from "../../parts/use-form.ts";
import { address, navigate } from "../../shell/router.ts";
import { NewPasswordField } from "../sign-in/NewPasswordField.tsx";
import { SignInCard } from "../sign-in/SignInCard.tsx";

export default function InvitationPage() {
  const [token] = useState(address.value.hash);
  const [name, setName] = useState("");
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const form = useForm(async () => {
    me.value = await client.account.invitations.accept({ token, name, email, password });
    navigate("app", { replaces: true });
  });
  if (token === "")
    return (
      <SignInCard title="This invitation is not whole">
        <p>The part behind the # is missing. Open the link as it was sent to you, or ask for a new one.</p>
      </SignInCard>
    );
  return (
    <SignInCard title="Join Stemwright" lead="You were invited. Choose how you sign in from now on.">
      <form class="stack" onSubmit={form.submit}>
        <TextField
          label="Your name"
          autocomplete="name"
          value={name}
          onInput={setName}
          error={form.errorOf("name")}
        />
        <TextField
          label="Email"
          hint="Nothing is mailed to it. If you were invited by an address, use that one."
          type="email"
          autocomplete="username"
          value={email}
          onInput={setEmail}
          error={form.errorOf("email")}
        />
        <NewPasswordField value={password} onInput={setPassword} error={form.errorOf("password")} />
        <FormError form={form} />
        <Button type="submit" kind="primary" isBusy={form.isBusy}>
          Join
        </Button>
      </form>
    </SignInCard>
  );
}
