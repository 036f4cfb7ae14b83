import { useState } from "preact/hooks";
import { client } from "../../account/client.ts";
import { me } from "../../account/session.ts";
import { Button } from "../../parts/Button.tsx";
import { FormError } from "../../parts/FormError.tsx";
import { TextField } from "../../parts/TextField.tsx";
import { useForm } from "../../parts/use-form.ts";
import { NewPasswordField } from "../sign-in/NewPasswordField.tsx";
import { SignInCard } from "../sign-in/SignInCard.tsx";

/** Shown in place of every other page until the next sign-in needs no link any more. */
export default function WelcomePage() {
  const [name, setName] = useState("");
  const [email, setEmail] = useState(me.value?.person.email ?? "");
  const [password, setPassword] = useState("");
  const form = useForm(async () => {
    me.value = await client.account.update({ name, email, password });
  });
  return (
    <SignInCard title="Welcome" lead="The link worked once. Choose how you sign in from now on.">
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
          hint="Only a name to sign in with: nothing is mailed to it."
          type="email"
          autocomplete="username"
          value={email}
          onInput={setEmail}
          error={form.errorOf("email")}
        />
        <NewPasswordField value={password} onInput={setPassword} error={form.errorOf("password")} />
        <FormError form={form} />
        <Button type="submit" kind="primary" isBusy={form.isBusy}>
          Go on
        </Button>
      </form>
    </SignInCard>
  );
}
