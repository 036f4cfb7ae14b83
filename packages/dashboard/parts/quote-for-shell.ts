/** One word for a POSIX shell. Every word of a command that a page shows goes through here. */
export const quoteForShell = (text: string) =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
