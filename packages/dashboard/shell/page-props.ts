/** What every page gets: the named parts of its path. */
export type PageProps = { params: Record<string, string> };
