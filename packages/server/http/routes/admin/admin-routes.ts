import type { WholeApi } from "../../api.ts";
import { addClientRoutes } from "./client-routes.ts";
import { addCreditRoutes } from "./credit-routes.ts";
import { addGrantRoutes } from "./grant-routes.ts";
import { addKeyRoutes } from "./key-routes.ts";
import { addOperationRoutes } from "./operation-routes.ts";

export function addAdminRoutes(api: WholeApi): void {
  addClientRoutes(api);
  addKeyRoutes(api);
  addGrantRoutes(api);
  addCreditRoutes(api);
  addOperationRoutes(api);
}
