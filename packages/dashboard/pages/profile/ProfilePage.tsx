import type { Me } from "@stemwright/sdk";
import { useState } from "preact/hooks";
import { apiClient } from "../../account/api-client.ts";
import { me } from "../../account/session.ts";
import { Button } from "../../parts/Button.tsx";
import { FormError } from "../../parts/FormError.tsx";
import { NameAndEmail } from "../../parts/NameAndEmail.tsx";
import { PageHead } from "../../parts/PageHead.tsx";
import { TextField } from "../../parts/TextField.tsx";
import { announce } from "../../parts/toast.ts";
import { useForm } from "../../parts/use-form.ts";
import { useLoad } from "../../parts/use-load.ts";
import { NewPasswordField } from "../sign-in/NewPasswordField.tsx";

function CurrentPassword({
  value,
  onInput,
  error,
}: {
  value: string;
  onInput: (value: string) => void;
  error: string | undefined;
}) {
  return (
    <TextField
      label="Current password"
      type="password"
      autocomplete="current-password"
      value={value}
      onInput={onInput}
      error={error}
    />
  );
}

/** Instead of a current password, for people who have none. */
function SignInAgain({ what }: { what: string }) {
  return (
    <p>
      To {what}, <a href="account/oidc/start">sign in again</a> first. You then have ten minutes.
    </p>
  );
}

function NameAndEmailCard({ person, hasPassword, mayResetPassword }: Me) {
  const [name, setName] = useState(person.name);
  const [email, setEmail] = useState(person.email ?? "");
  const [currentPassword, setCurrentPassword] = useState("");
  const isEmailChanged = email !== (person.email ?? "");
  const form = useForm(async () => {
    me.value = await apiClient.account.update({
      name,
      ...(isEmailChanged ? { email, ...(mayResetPassword ? {} : { currentPassword }) } : {}),
    });
    setCurrentPassword("");
    announce("Your profile is saved.");
  });
  return (
    <form class="card stack" onSubmit={form.submit}>
      <h2>Name and email</h2>
      <NameAndEmail
        form={form}
        name={name}
        onName={setName}
        email={email}
        onEmail={setEmail}
        emailHint="What you sign in with. Nothing is mailed to it."
      />
      {isEmailChanged && !mayResetPassword && !hasPassword && <SignInAgain what="change your email" />}
      {isEmailChanged && !mayResetPassword && hasPassword && (
        <CurrentPassword
          value={currentPassword}
          onInput={setCurrentPassword}
          error={form.errorOf("currentPassword")}
        />
      )}
      <FormError form={form} />
      <div>
        <Button type="submit" kind="primary" isBusy={form.isBusy}>
          Save
        </Button>
      </div>
    </form>
  );
}

function Password({ hasPassword, mayResetPassword }: Me) {
  const [password, setPassword] = useState("");
  const [currentPassword, setCurrentPassword] = useState("");
  const form = useForm(async () => {
    me.value = await apiClient.account.update({ password, ...(mayResetPassword ? {} : { currentPassword }) });
    setPassword("");
    setCurrentPassword("");
    announce("Your password is set. All your other sessions are ended.");
  });
  return (
    <form class="card stack" onSubmit={form.submit}>
      <h2>Password</h2>
      {!mayResetPassword && !hasPassword && <SignInAgain what="set a password" />}
      {!mayResetPassword && hasPassword && (
        <CurrentPassword
          value={currentPassword}
          onInput={setCurrentPassword}
          error={form.errorOf("currentPassword")}
        />
      )}
      <NewPasswordField
        label="New password"
        value={password}
        onInput={setPassword}
        error={form.errorOf("password")}
      />
      <FormError form={form} />
      <div>
        <Button type="submit" kind="primary" isBusy={form.isBusy}>
          {hasPassword ? "Change password" : "Set password"}
        </Button>
      </div>
    </form>
  );
}

/** Hidden if no provider is configured. */
function Provider({ hasIdentity }: Me) {
  const options = useLoad((signal) => apiClient.account.options({ signal }), []);
  const name = options.value?.oidc?.name;
  if (name === undefined) return null;
  return (
    <section class="card stack">
      <h2>{name}</h2>
      {hasIdentity ? (
        <p>You can sign in with {name}.</p>
      ) : (
        <>
          <p>Sign in with {name} from now on. Your email address there has to be the one above.</p>
          <div>
            <a class="button" href="account/oidc/start">
              Connect {name}
            </a>
          </div>
        </>
      )}
    </section>
  );
}

export default function ProfilePage() {
  const { value } = me;
  if (!value) return null;
  const role = value.person.isAdministrator ? "owner and administrator" : value.person.role;
  return (
    <>
      <PageHead title="Profile" lead={`You are ${role} of ${value.client.name}.`} />
      <div class="columns">
        <NameAndEmailCard {...value} />
        <Password {...value} />
        <Provider {...value} />
      </div>
    </>
  );
}
