/** `plainName` is for clients that know ASCII alone; where the file's name is another, it goes beside it (RFC 6266). */
export function toContentDisposition(plainName: string, name = plainName): string {
  const plain = `attachment; filename="${plainName}"`;
  return name === plainName ? plain : `${plain}; filename*=UTF-8''${toExtendedValue(name)}`;
}

/** RFC 8187 takes fewer characters as they are than a URL's component does. */
function toExtendedValue(name: string): string {
  return encodeURIComponent(name).replace(
    /['()*]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
