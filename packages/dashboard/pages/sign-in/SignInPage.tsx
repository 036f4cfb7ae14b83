import { useState } from "preact/hooks";
import { signInWithKey } from "../../account/session.ts";
import { Button } from "../../parts/Button.tsx";
import { describeError } from "../../parts/describe-error.ts";
import { Field } from "../../parts/Field.tsx";
import { PageHead } from "../../parts/PageHead.tsx";
import icon from "../../shell/icon.svg";

export default function SignInPage() {
  const [key, setKey] = useState("");
  const [error, setError] = useState<string>();

  async function submit(event: Event) {
    event.preventDefault();
    try {
      await signInWithKey(key.trim());
    } catch (failure) {
      setError(describeError(failure));
    }
  }

  return (
    <main>
      <div class="brand">
        <img src={icon} alt="" />
        Stemwright
      </div>
      <form class="card stack" onSubmit={submit}>
        <PageHead title="Sign in" />
        <Field label="API key" hint="The first start of the service printed one." error={error}>
          {(control) => (
            <input
              {...control}
              class="input"
              type="password"
              autocomplete="off"
              required
              value={key}
              onInput={(event) => setKey(event.currentTarget.value)}
            />
          )}
        </Field>
        <Button type="submit" kind="primary">
          Sign in
        </Button>
      </form>
    </main>
  );
}
