import type { AccountStore } from "./accounts/account-store.ts";
import type { PeopleStore } from "./accounts/people-store.ts";
import type { AssetStore, TaskStore, WebhookStore } from "./ports.ts";
import type { ShareStore } from "./shares/share-record.ts";
import type { StorageIntegrationStore } from "./storage/storage-ports.ts";
import type { UploadStore } from "./uploads/upload-record.ts";
import type { RealignmentStore } from "./words/realignment-record.ts";
import type { WordsStore } from "./words/words-record.ts";

/** Everything a request can change in the database. */
export type Stores = {
  tasks: TaskStore;
  assets: AssetStore;
  webhooks: WebhookStore;
  integrations: StorageIntegrationStore;
  accounts: AccountStore;
  people: PeopleStore;
  words: WordsStore;
  realignments: RealignmentStore;
  shares: ShareStore;
  uploads: UploadStore;
};
