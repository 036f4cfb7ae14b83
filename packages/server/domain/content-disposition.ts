import contentDisposition from "content-disposition";

/** `plainName` is for clients limited to ASCII; a different file name is added as `filename*` (RFC 6266). */
export const toContentDisposition = (plainName: string, name = plainName) =>
  contentDisposition(name, { fallback: plainName });
