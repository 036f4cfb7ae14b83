import type { TaskRequest } from "@stemwright/contract";
import type { Caller } from "../accounts/caller.ts";
import { getFound } from "../get-found.ts";
import { Refusal } from "../refusal.ts";
import { refuseField } from "../refuse-field.ts";
import { toOutputNames } from "../tasks/output-names.ts";
import { findBucketUrl, SCHEME_OF_TYPE } from "./bucket-url.ts";
import type { StorageIntegrationRecord } from "./storage-integration-record.ts";
import type { StorageIntegrationStore } from "./storage-ports.ts";

export const unknownIntegration = () =>
  new Refusal("STORAGE_INTEGRATION_UNKNOWN", "The account has no storage integration with that id");

function checkCovered(integration: StorageIntegrationRecord, field: string, url: string | undefined): void {
  const named = url === undefined ? undefined : findBucketUrl(url);
  if (!named) return;
  const scheme = SCHEME_OF_TYPE[integration.type];
  if (named.scheme === scheme && named.bucket === integration.storageName) return;
  const message = `${field} is not in the storage integration's bucket, ${scheme}://${integration.storageName}`;
  refuseField("STORAGE_BUCKET_MISMATCH", { path: field, message });
}

/** Voices are numbered later, so they are checked by their prefix. */
const listFileNames = (target: TaskRequest["targets"][number]) =>
  toOutputNames(target).flatMap(({ name }) => target.formats.map((format) => `${name}.${format}`));

/** Output names must be unique in a bucket: two targets with the same name would overwrite each other. */
function checkNames({ targets }: TaskRequest): void {
  const seen = new Map<string, number>();
  for (const [index, target] of targets.entries()) {
    for (const name of listFileNames(target)) {
      const twin = seen.get(name);
      if (twin !== undefined && twin !== index) {
        const message = `targets[${index}] and targets[${twin}] would both write ${name}; make two Tasks of them`;
        refuseField("WRITE_DESTINATION_INVALID", { path: `targets[${index}]`, message });
      }
      seen.set(name, index);
    }
  }
}

/** Checks a Task's bucket URLs against its storage integration. */
export async function checkBuckets(
  integrations: StorageIntegrationStore,
  caller: Caller,
  request: TaskRequest,
): Promise<void> {
  const { storageIntegrationId: id, url, writeDestination } = request;
  if (id === undefined) return;
  const { clientId } = caller;
  const find = () => integrations.findIntegration({ clientId }, id);
  const integration = await getFound(id, find, unknownIntegration);
  checkCovered(integration, "url", url);
  checkCovered(integration, "writeDestination", writeDestination);
  for (const [index, { transcriptUrl }] of request.targets.entries())
    checkCovered(integration, `targets[${index}].transcriptUrl`, transcriptUrl);
  if (writeDestination !== undefined) checkNames(request);
}
