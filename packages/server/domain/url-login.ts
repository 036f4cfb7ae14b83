/** A URL without the user and password in it, and those as `user:password`. All else of the URL stays letter by letter as it was. */
export function splitLogin(url: string): { url: string; login?: string } {
  const parsed = URL.parse(url);
  if (!parsed || (parsed.username === "" && parsed.password === "")) return { url };
  const login = `${decode(parsed.username)}:${decode(parsed.password)}`;
  parsed.username = "";
  parsed.password = "";
  const cut = url.replace(/^([a-z]+:[\\/]*)[^\\/?#]*@/i, "$1");
  // A URL in an unusual form, for example with line breaks inside, is serialised again.
  return { url: URL.parse(cut)?.href === parsed.href ? cut : parsed.href, login };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
