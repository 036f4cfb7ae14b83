import { useState } from "preact/hooks";
import { Button } from "../../parts/Button.tsx";
import { FormError } from "../../parts/FormError.tsx";
import { NameAndEmail } from "../../parts/NameAndEmail.tsx";
import { useForm } from "../../parts/use-form.ts";
import { NewPasswordField } from "./NewPasswordField.tsx";

/** Name, email and password of a new person. */
export function NewPersonForm(props: {
  knownEmail?: string;
  emailHint: string;
  action: string;
  save: (person: { name: string; email: string; password: string }) => Promise<void>;
}) {
  const { knownEmail = "", emailHint, action, save } = props;
  const [name, setName] = useState("");
  const [email, setEmail] = useState(knownEmail);
  const [password, setPassword] = useState("");
  const form = useForm(() => save({ name, email, password }));
  return (
    <form class="stack" onSubmit={form.submit}>
      <NameAndEmail
        form={form}
        name={name}
        onName={setName}
        email={email}
        onEmail={setEmail}
        emailHint={emailHint}
      />
      <NewPasswordField value={password} onInput={setPassword} error={form.errorOf("password")} />
      <FormError form={form} />
      <Button type="submit" kind="primary" isBusy={form.isBusy}>
        {action}
      </Button>
    </form>
  );
}
