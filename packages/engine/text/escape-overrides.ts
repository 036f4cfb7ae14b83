/**
 * Players obey the override tags of SubStation Alpha (`{\an8}`, `\N`) in other subtitles too. Braces open tags, and most players
 * know no escape for them; a backslash that no letter follows is only a backslash.
 */
export const escapeOverrides = (text: string) =>
  text.replaceAll("{", "(").replaceAll("}", ")").replaceAll("\\", "\\\u2060");
