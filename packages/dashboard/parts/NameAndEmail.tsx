import { TextField } from "./TextField.tsx";
import type { Form } from "./use-form.ts";

/** Name and email fields, shared by all forms that ask for them. */
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
