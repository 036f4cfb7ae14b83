import type { WholeApi } from "../../api.ts";
import { addAccountCreditRoutes } from "./account-credit-routes.ts";
import { addAccountKeyRoutes } from "./account-key-routes.ts";
import { addInvitationRoutes } from "./invitation-routes.ts";
import { addMeRoutes } from "./me-routes.ts";
import { addOidcRoutes } from "./oidc-routes.ts";
import { addPeopleRoutes } from "./people-routes.ts";
import { addSessionRoutes } from "./session-routes.ts";
import { addSignInRoutes } from "./sign-in-routes.ts";

export function addAccountRoutes(api: WholeApi): void {
  addSignInRoutes(api);
  addOidcRoutes(api);
  addMeRoutes(api);
  addSessionRoutes(api);
  addPeopleRoutes(api);
  addInvitationRoutes(api);
  addAccountKeyRoutes(api);
  addAccountCreditRoutes(api);
}
