import { clientRequest, storageIntegrationRequest, targetRequest, wordsEdit } from "@stemwright/contract";
import { expect, it } from "vitest";
import { z } from "zod";
import { describeIssue } from "./describe-issue.ts";

const first = (schema: z.ZodType, value: unknown) => {
  const [issue] = schema.safeParse(value).error?.issues ?? [];
  return issue && describeIssue(issue);
};

it.each([
  [z.array(z.string()), undefined, "is required; give a list"],
  [z.array(z.string()), "x", "must be a list"],
  [z.object({}), null, "must be an object"],
  [z.string(), 7, "must be a string"],
  [z.string().max(3), "long", "must have at most 3 characters"],
  [z.number().max(5), 6, "must be at most 5"],
  [z.int("must be a whole number from 1"), "x", "must be a whole number from 1"],
  [z.literal([16, 24, 32]), 8, "must be one of 16, 24, 32"],
  [z.enum(["pending", "failed"]), "x", "must be one of pending, failed"],
  [z.url("must be an https:// URL"), "x", "must be an https:// URL"],
  [z.union([z.int(), z.boolean()], "must be true or a number"), "x", "must be true or a number"],
  [z.array(z.string()).min(1, "must name at least one format"), [], "must name at least one format"],
])("[E1] a complaint is a sentence to act on: %#", (schema, value, sentence) => {
  expect(first(schema, value)).toBe(sentence);
});

const target = { model: "vocals", formats: ["wav"] };
const endpointOf = (endpoint: string) => ({
  type: "s3",
  storageName: "x",
  authConfig: { endpoint, region: "x", accessKeyId: "x", secretAccessKey: "x" },
});
const federated = {
  type: "gcp",
  storageName: "x",
  authConfig: {
    workloadIdentity: {
      audience: "//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/a/providers/b",
      serviceAccountEmail: "robot",
    },
  },
};
const word = { start: 0, end: 1, text: "a" };
it.each([
  [targetRequest, { ...target, speakers: "2" }, "must be true, false or a whole number from 1 to 8"],
  [targetRequest, { ...target, speakers: 9 }, "must be at most 8"],
  [
    wordsEdit,
    { revision: 0, lines: [{ words: [word], speaker: true }] },
    "must be a name of at most 64 characters, or a whole number",
  ],
  [
    clientRequest,
    { name: "x", runningMax: "many" },
    'must be a whole number from 0 to 1000000000, or "default"',
  ],
  [clientRequest, { name: "x", storageQuotaBytes: "all" }, 'must be a whole number from 0, or "default"'],
  [storageIntegrationRequest, endpointOf("nowhere"), "must be a URL such as https://minio.example"],
  [storageIntegrationRequest, federated, "must be an email address"],
])("[E1] a field of several types says what it takes: %#", (schema, value, sentence) => {
  expect(first(schema, value)).toBe(sentence);
});
