import type { Api } from "../../api.ts";
import { addClientRoutes } from "./clients.ts";
import { addCreditRoutes } from "./credits.ts";
import { addGrantRoutes } from "./grants.ts";
import { addKeyRoutes } from "./keys.ts";
import { addOperationRoutes } from "./operation.ts";

export function addAdminRoutes(api: Api): void {
  addClientRoutes(api);
  addKeyRoutes(api);
  addGrantRoutes(api);
  addCreditRoutes(api);
  addOperationRoutes(api);
}
