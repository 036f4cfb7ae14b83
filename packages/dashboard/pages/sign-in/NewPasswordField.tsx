import { TextField } from "../../parts/TextField.tsx";

export function NewPasswordField({
  label = "Password",
  value,
  onInput,
  error,
}: {
  label?: string;
  value: string;
  onInput: (value: string) => void;
  error?: string | undefined;
}) {
  return (
    <TextField
      label={label}
      hint="At least ten characters."
      type="password"
      autocomplete="new-password"
      minLength={10}
      value={value}
      onInput={onInput}
      error={error}
    />
  );
}
