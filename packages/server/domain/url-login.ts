/** A URL without its user and password, and those as `user:password`. The rest of the URL is preserved exactly. */
export function splitLogin(url: string): { url: string; login?: string } {
  const parsed = URL.parse(url);
  if (!parsed || (parsed.username === "" && parsed.password === "")) return { url };
  const login = toLogin(parsed);
  parsed.username = "";
  parsed.password = "";
  // URLs may have white space around them and tabs and line breaks inside. Those inside would hide where the login ends.
  const cuts = [url, url.replace(/[\t\n\r]/g, "")].map(withoutLogin);
  return { url: cuts.find((cut) => URL.parse(cut)?.href === parsed.href) ?? parsed.href, login };
}

const withoutLogin = (url: string) => url.replace(/^([\0-\x20]*[a-z][a-z0-9+.-]*:[\\/]*)[^\\/?#]*@/i, "$1");

/** The login of a URL as `user:password`. A percent sign that escapes nothing stands for itself. */
export const toLogin = ({ username, password }: Pick<URL, "username" | "password">) =>
  `${decode(username)}:${decode(password)}`;

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
