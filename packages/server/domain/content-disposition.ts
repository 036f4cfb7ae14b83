import contentDisposition from "content-disposition";

/** `plainName` is for clients that know ASCII alone; where the file's name is another, it goes beside it (RFC 6266). */
export const toContentDisposition = (plainName: string, name = plainName) =>
  contentDisposition(name, { fallback: plainName });
