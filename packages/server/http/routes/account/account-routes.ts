import type { Api } from "../../api.ts";
import { addAccountCreditRoutes } from "./credits.ts";
import { addInvitationRoutes } from "./invitations.ts";
import { addAccountKeyRoutes } from "./keys.ts";
import { addMeRoutes } from "./me.ts";
import { addOidcRoutes } from "./oidc.ts";
import { addPeopleRoutes } from "./people.ts";
import { addSessionRoutes } from "./sessions.ts";
import { addSignInRoutes } from "./sign-in.ts";

export function addAccountRoutes(api: Api): void {
  addSignInRoutes(api);
  addOidcRoutes(api);
  addMeRoutes(api);
  addSessionRoutes(api);
  addPeopleRoutes(api);
  addInvitationRoutes(api);
  addAccountKeyRoutes(api);
  addAccountCreditRoutes(api);
}
