import type { KeyRole } from "@stemwright/contract";

/** Who makes a request: the account behind the key, and what the key may do. */
export type Caller = { keyId: string; clientId: string; role: KeyRole };
