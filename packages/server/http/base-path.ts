/** The sub-path that the service is reached under, with a slash at its end. */
export const toBasePath = (publicBaseUrl: string) => new URL(publicBaseUrl).pathname.replace(/\/*$/, "/");
