/** These interfaces read the key from their own headers, so their routes are public for the rest of the service. */
export const COMPAT_CONFIG = { isPublic: true, looksAtKeysItself: true, takesToken: true };

export const COMPAT_SECURITY = [{ bearerKey: [] }, { apiKey: [] }];
