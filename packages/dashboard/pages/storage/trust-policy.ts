/** Placeholder for the service's ARN if the operator has not set it. */
export const UNKNOWN_PRINCIPAL = "ARN-OF-THIS-SERVICE";

/** The trust policy for the role of an `aws` integration: trusts this installation, for this integration only. */
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

/** The permissions of the role, or of an S3 store's key. */
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
