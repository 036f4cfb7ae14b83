/** The path the service is reached under, with a trailing slash. */
export const toBasePath = (publicBaseUrl: string) => new URL(publicBaseUrl).pathname.replace(/\/*$/, "/");
