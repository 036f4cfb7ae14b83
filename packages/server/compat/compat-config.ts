/** Doors read the key from their own headers, so their routes are public for the rest of the service. */
export const DOOR_CONFIG = { isPublic: true, looksAtKeysItself: true, takesToken: true };

export const DOOR_SECURITY = [{ bearerKey: [] }, { apiKey: [] }];
