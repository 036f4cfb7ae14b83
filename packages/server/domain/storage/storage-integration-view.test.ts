import { expect, it } from "vitest";
import { toStorageIntegration } from "./storage-integration-view.ts";

const ARN = "arn:aws:iam::210987654321:role/stemwright";
const record = (type: "aws" | "s3") => ({
  id: "i1",
  clientId: "c1",
  type,
  storageName: "stems",
  authConfig: {},
  sealedSecrets: Buffer.alloc(0),
  createdAt: new Date(0),
  updatedAt: new Date(0),
});

it("[N3] an aws integration names the principal to trust, if the operator has set it", () => {
  expect(toStorageIntegration(record("aws"), ARN)).toMatchObject({ servicePrincipalArn: ARN });
  expect(toStorageIntegration(record("aws"), undefined)).not.toHaveProperty("servicePrincipalArn");
  expect(toStorageIntegration(record("s3"), ARN)).not.toHaveProperty("servicePrincipalArn");
});
