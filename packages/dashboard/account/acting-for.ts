/** The client that an administrator acts for in this tab, instead of the person's own. */
export type ActingFor = { id: string; name: string };

const KEY = "stemwright-acting-for";

function read(): ActingFor | undefined {
  const text = sessionStorage.getItem(KEY);
  return text === null ? undefined : (JSON.parse(text) as ActingFor);
}

/** Known when the page is loaded, and the same until it is loaded again. */
export const actingFor: ActingFor | undefined = read();

/** Starts the page anew, so that nothing on it is still of another client; undefined goes back to one's own. */
export function actFor(client: ActingFor | undefined, page = "app"): void {
  if (client) sessionStorage.setItem(KEY, JSON.stringify(client));
  else sessionStorage.removeItem(KEY);
  location.assign(new URL(page, document.baseURI));
}
