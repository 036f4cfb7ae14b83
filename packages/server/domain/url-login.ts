/** A URL without its user and password, and those as `user:password`. The rest of the URL is preserved exactly. */
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
