import type {
  ApiKey,
  ClientChange,
  CreditEntry,
  CreditGrantRequest,
  KeyRequest,
  ModelGrant,
  PageQuery,
} from "@stemwright/contract";
import type { Listed } from "../ports.ts";
import type { ClientRecord } from "./client-record.ts";

/** Clients and everything that belongs to them, for administrators. */
export interface AccountStore {
  insertClient(client: { id: string; name: string; isMetered: boolean }): Promise<void>;
  findClient(id: string): Promise<ClientRecord | undefined>;
  listClients(page: PageQuery): Promise<Listed<ClientRecord>>;
  changeClient(id: string, change: ClientChange): Promise<void>;
  setSuspended(id: string, isSuspended: boolean): Promise<void>;

  insertKey(clientId: string, key: KeyRequest & { secret: string }): Promise<ApiKey>;
  listKeys(clientId: string): Promise<ApiKey[]>;
  findKey(id: string): Promise<ApiKey | undefined>;
  revokeKey(id: string): Promise<void>;

  upsertGrant(clientId: string, grant: ModelGrant): Promise<void>;
  deleteGrant(clientId: string, model: string): Promise<boolean>;

  /** Undefined if it would use reserved credits, or exceed what an account can hold. */
  grantCredits(
    clientId: string,
    grant: CreditGrantRequest & { keyId: string },
  ): Promise<CreditEntry | undefined>;
  listCreditEntries(clientId: string, page: PageQuery): Promise<Listed<CreditEntry>>;
}
