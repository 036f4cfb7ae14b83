import { randomBytes } from "node:crypto";
import { S3_KEY, S3_REGION } from "./s3-server.ts";

/** Settings shared by all processes of an installation with an external database and a bucket. */
export const makeCompanyEnvironment = (given: {
  databaseUrl: string;
  bucket: string;
  endpoint: string;
  apiKey: string;
}): Record<string, string> => ({
  DATABASE_URL: given.databaseUrl,
  ENCRYPTION_KEY: randomBytes(32).toString("base64"),
  BOOTSTRAP_API_KEY: given.apiKey,
  RATE_LIMIT_PER_SECOND: "0",
  S3_BUCKET: given.bucket,
  AWS_ENDPOINT_URL_S3: given.endpoint,
  AWS_REGION: S3_REGION,
  AWS_ACCESS_KEY_ID: S3_KEY.accessKeyId,
  AWS_SECRET_ACCESS_KEY: S3_KEY.secretAccessKey,
  ENGINE_THREADS: "1",
  DRAIN_SECONDS: "2",
});
