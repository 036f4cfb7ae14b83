/** Stands for the service's identity where the operator has not told it. */
export const UNKNOWN_PRINCIPAL = "ARN-OF-THIS-SERVICE";

/** What the role of an `aws` integration has to trust: this installation, and only for this integration. */
export const makeTrustPolicy = (externalId: string, principalArn = UNKNOWN_PRINCIPAL) =>
  JSON.stringify(
    {
      Version: "2012-10-17",
      Statement: [
        {
          Effect: "Allow",
          Principal: { AWS: principalArn },
          Action: "sts:AssumeRole",
          Condition: { StringEquals: { "sts:ExternalId": externalId } },
        },
      ],
    },
    null,
    2,
  );

/** What the role, or a key of an S3 store, has to be allowed to do. */
export const makeAccessPolicy = (bucket: string) =>
  JSON.stringify(
    {
      Version: "2012-10-17",
      Statement: [
        { Effect: "Allow", Action: "s3:ListBucket", Resource: `arn:aws:s3:::${bucket}` },
        {
          Effect: "Allow",
          Action: ["s3:GetObject", "s3:PutObject", "s3:AbortMultipartUpload", "s3:DeleteObject"],
          Resource: `arn:aws:s3:::${bucket}/*`,
        },
      ],
    },
    null,
    2,
  );
