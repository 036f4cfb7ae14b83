import type { AccountOptions } from "@stemwright/sdk";
import { useEffect, useState } from "preact/hooks";
import { apiClient } from "../../account/api-client.ts";
import { me } from "../../account/session.ts";
import { Button } from "../../parts/Button.tsx";
import { ErrorNotice } from "../../parts/ErrorNotice.tsx";
import { FormError } from "../../parts/FormError.tsx";
import { Icon } from "../../parts/Icon.tsx";
import { Loaded } from "../../parts/Loaded.tsx";
import { TextField } from "../../parts/TextField.tsx";
import { useForm } from "../../parts/use-form.ts";
import { useLoad } from "../../parts/use-load.ts";
import { address, navigate } from "../../shell/router.ts";
import { SignInCard } from "./SignInCard.tsx";

const SIGN_IN = "app/sign-in";

/** Messages for the provider's error codes. */
const PROBLEMS: Record<string, string> = {
  provider:
    "Signing in with the provider did not work. Try again; if it stays, tell whoever runs this service.",
  refused:
    "The provider knows you, but this service does not. Ask an owner of the account for an invitation link.",
  unconnected:
    "Somebody here signs in with your email address and a password. If that is you, do so, and connect the provider under Profile. If not, tell whoever runs this service.",
  known:
    "You belong to an account of this service already, so the invitation was not accepted. Sign in with the provider to use your account.",
  reserved:
    "Your email address belongs to another account of this service. Sign in with the provider to join it.",
  invitation:
    "The invitation was accepted or withdrawn, has expired, or is for another email address. Ask for a new one.",
  suspended: "Your account is suspended. Ask whoever runs this service.",
};

/** After signing in on the sign-in page itself, go to the start page; if redirected here, return to the original page. */
function goOn(): void {
  if (address.value.path === SIGN_IN) navigate("app", { replaces: true });
}

function LinkSignIn({ token }: { token: string }) {
  const [error, setError] = useState<unknown>();
  useEffect(() => {
    // The token is used up: remove it from the address and the history.
    navigate(SIGN_IN, { replaces: true });
    apiClient.account.signInWithLink(token).then((value) => {
      me.value = value;
      goOn();
    }, setError);
  }, [token]);
  return (
    <SignInCard title={error === undefined ? "Signing you in" : "This link does not work"}>
      {error === undefined ? (
        <div class="skeleton" role="status" aria-label="Signing in" />
      ) : (
        <ErrorNotice
          error={error}
          action={{ label: "Sign in another way", onClick: () => window.location.reload() }}
        />
      )}
    </SignInCard>
  );
}

function PasswordForm({ options }: { options: AccountOptions }) {
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const form = useForm(async () => {
    // Says at once how long to wait, instead of waiting for it.
    me.value = await apiClient.account.signIn({ email, password }, { maxRetries: 0 });
    goOn();
  });
  if (!options.hasPeople && !options.oidc)
    return (
      <p>
        Nobody has signed in here yet. Open the link that the service printed when it was first started, or
        print a new one with <code>npm run sign-in</code>.
      </p>
    );
  return (
    <>
      <form class="stack" onSubmit={form.submit}>
        <TextField
          label="Email"
          type="email"
          autocomplete="username"
          value={email}
          onInput={setEmail}
          error={form.errorOf("email")}
        />
        <TextField
          label="Password"
          type="password"
          autocomplete="current-password"
          value={password}
          onInput={setPassword}
          error={form.errorOf("password")}
        />
        <FormError form={form} />
        <Button type="submit" kind="primary" isBusy={form.isBusy}>
          Sign in
        </Button>
      </form>
      {options.oidc && (
        <a class="button" href="account/oidc/start">
          Sign in with {options.oidc.name}
        </a>
      )}
      <p class="small muted">
        No way in? Whoever runs this service can print a link for you: <code>npm run sign-in</code>.
      </p>
    </>
  );
}

export default function SignInPage() {
  // Read once: it is removed from the address immediately.
  const [token] = useState(address.value.path === SIGN_IN ? address.value.hash : "");
  const options = useLoad((signal) => apiClient.account.options({ signal }), []);
  if (token !== "") return <LinkSignIn token={token} />;
  const problem = PROBLEMS[address.value.query.get("problem") ?? ""];
  return (
    <SignInCard title="Sign in">
      {problem && (
        <div class="notice notice-bad" role="alert">
          <Icon name="warning" />
          <p>{problem}</p>
        </div>
      )}
      <Loaded loaded={options}>{(value) => <PasswordForm options={value} />}</Loaded>
    </SignInCard>
  );
}
