/** The client that an administrator acts for in this tab, instead of the person's own. */
export type ActingFor = { id: string; name: string };

const KEY = "stemwright-acting-for";

function read(): ActingFor | undefined {
  const text = sessionStorage.getItem(KEY);
  return text === null ? undefined : (JSON.parse(text) as ActingFor);
}

/** Known when the page is loaded, and the same until it is loaded again. */
export const actingFor: ActingFor | undefined = read();

/** Reloads the page, so that no data of another client stays on it; undefined returns to the user's own account. */
export function actFor(client: ActingFor | undefined, page = "app"): void {
  if (client) sessionStorage.setItem(KEY, JSON.stringify(client));
  else sessionStorage.removeItem(KEY);
  location.assign(new URL(page, document.baseURI));
}
