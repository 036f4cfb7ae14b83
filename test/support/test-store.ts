import { CreateBucketCommand, ListMultipartUploadsCommand, S3Client } from "@aws-sdk/client-s3";
import { S3_KEY, S3_REGION, startS3Server } from "./s3-server.ts";

export type TestStore = {
  endpoint: string;
  region: string;
  credentials: { accessKeyId: string; secretAccessKey: string };
  addBucket(name: string): Promise<void>;
  countUploads(bucket: string): Promise<number>;
  close(): Promise<void>;
};

function openRealStore(endpoint: string): TestStore {
  const credentials = {
    accessKeyId: process.env.TEST_S3_ACCESS_KEY_ID ?? "",
    secretAccessKey: process.env.TEST_S3_SECRET_ACCESS_KEY ?? "",
  };
  const client = new S3Client({ endpoint, credentials, region: "us-east-1", forcePathStyle: true });
  return {
    endpoint,
    region: "us-east-1",
    credentials,
    addBucket: async (Bucket) => void (await client.send(new CreateBucketCommand({ Bucket }))),
    countUploads: async (Bucket) =>
      (await client.send(new ListMultipartUploadsCommand({ Bucket }))).Uploads?.length ?? 0,
    close: async () => client.destroy(),
  };
}

/** The S3 store named by TEST_S3_ENDPOINT (see with-rgw.sh), or the built-in test server. */
export async function openTestStore(): Promise<TestStore> {
  const { TEST_S3_ENDPOINT } = process.env;
  if (TEST_S3_ENDPOINT !== undefined) return openRealStore(TEST_S3_ENDPOINT);
  const server = await startS3Server();
  const buckets = new Map<string, ReturnType<typeof server.addBucket>>();
  return {
    endpoint: server.endpoint,
    region: S3_REGION,
    credentials: S3_KEY,
    addBucket: async (name) => void buckets.set(name, server.addBucket(name)),
    countUploads: async (name) => buckets.get(name)?.uploads.size ?? 0,
    close: () => server.close(),
  };
}
