import type { StorageType } from "@stemwright/contract";

const BUCKET_URL = /^(s3|gs|az):\/\/([^/]+)(?:\/(.*))?$/s;

export const SCHEME_OF_TYPE: Record<StorageType, string> = { aws: "s3", s3: "s3", gcp: "gs", azure: "az" };

export type BucketUrl = { scheme: string; bucket: string; key: string };

/** `s3://bucket/key`, `gs://bucket/object` or `az://container/blob`. The key is taken literally, without decoding. */
export function findBucketUrl(url: string): BucketUrl | undefined {
  const match = BUCKET_URL.exec(url);
  return match ? { scheme: match[1] ?? "", bucket: match[2] ?? "", key: match[3] ?? "" } : undefined;
}

/** Whether a URL names an object, not just a bucket or folder. */
export function isBucketUrl(url: string): boolean {
  const { key = "" } = findBucketUrl(url) ?? {};
  return key !== "" && !key.endsWith("/");
}

/** The key of an output: `<prefix>/<taskId>/<name>.<format>`. */
export function toOutputKey(
  writeDestination: string,
  output: { taskId: string; name: string; format: string },
): string {
  const prefix = (findBucketUrl(writeDestination)?.key ?? "").replace(/\/+$/, "");
  return `${prefix === "" ? "" : `${prefix}/`}${output.taskId}/${output.name}.${output.format}`;
}
