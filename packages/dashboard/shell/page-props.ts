/** Props of every page: the parameters of its path. */
export type PageProps = { params: Record<string, string> };
