import type { TaskRequest } from "@stemwright/contract";
import { isWebUrl } from "../check-web-url.ts";
import { Refusal } from "../refusal.ts";
import { refuseField } from "../refuse-field.ts";
import { findBucketUrl, isBucketUrl } from "../storage/bucket-url.ts";

function checkUrl(url: string): void {
  // Whether plain http is allowed depends on the host; the address guard decides when connecting.
  if (isBucketUrl(url) || isWebUrl(url)) return;
  if (findBucketUrl(url)) {
    const message = "must name an object in the bucket, such as s3://bucket/folder/song.wav";
    refuseField("URL_INVALID", { path: "url", message }, `url ${message}`);
  }
  refuseField(
    "URL_INVALID",
    { path: "url", message: "must be an https://, s3://, gs:// or az:// URL" },
    "url must be an https:// address, or s3://, gs:// or az:// with a storage integration",
  );
}

/** The combinations of input, storage integration and destination that the interface allows. */
export function checkInput(request: TaskRequest): void {
  const { assetId, url, storageIntegrationId, writeDestination } = request;
  if (assetId === undefined && url === undefined)
    throw new Refusal("INPUT_MISSING", "Give the input: assetId or url");
  if (assetId !== undefined && url !== undefined)
    throw new Refusal("INPUT_AMBIGUOUS", "Give assetId or url, not both");
  if (url !== undefined) checkUrl(url);
  const needsIntegration = writeDestination !== undefined || (url !== undefined && isBucketUrl(url));
  if (needsIntegration && storageIntegrationId === undefined) {
    throw new Refusal(
      "STORAGE_INTEGRATION_REQUIRED",
      "A bucket URL or a writeDestination needs a storageIntegrationId",
    );
  }
  if (writeDestination === undefined) return;
  if (!findBucketUrl(writeDestination)) {
    throw new Refusal(
      "WRITE_DESTINATION_INVALID",
      "writeDestination must be a bucket URL prefix such as s3://bucket/folder",
    );
  }
  if (url === undefined || !isBucketUrl(url)) {
    throw new Refusal("WRITE_DESTINATION_INVALID", "writeDestination needs an input url in a bucket as well");
  }
}
