import { findReason } from "./find-reason.ts";

/** OpenSSL's names for a certificate whose issuer is not among the trusted ones. */
const UNKNOWN_ISSUER_CODES = [
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
];

/** Why a server's certificate is not trusted, if the operator can fix it; continues a sentence. */
export function findCertificateFault(error: unknown): string | undefined {
  const { code = "" } = findReason(error) as NodeJS.ErrnoException;
  if (!UNKNOWN_ISSUER_CODES.includes(code)) return undefined;
  return `its server's certificate is from an authority that this installation does not trust (${code}); the operator can add the authority with NODE_EXTRA_CA_CERTS`;
}
