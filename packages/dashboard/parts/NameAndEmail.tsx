import { TextField } from "./TextField.tsx";
import type { Form } from "./use-form.ts";

/** Who somebody is, in every form that asks for it. */
export function NameAndEmail(props: {
  form: Form;
  name: string;
  onName: (name: string) => void;
  email: string;
  onEmail: (email: string) => void;
  emailHint: string;
}) {
  const { form, name, onName, email, onEmail, emailHint } = props;
  return (
    <>
      <TextField
        label="Your name"
        autocomplete="name"
        value={name}
        onInput={onName}
        error={form.errorOf("name")}
      />
      <TextField
        label="Email"
        hint={emailHint}
        type="email"
        autocomplete="username"
        value={email}
        onInput={onEmail}
        error={form.errorOf("email")}
      />
    </>
  );
}
