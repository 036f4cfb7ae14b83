/** The key is looked at in the doors, in headers of their own, so to the rest of the service their routes are open. */
export const DOOR_CONFIG = { isPublic: true, looksAtKeysItself: true, takesToken: true };

export const DOOR_SECURITY = [{ bearerKey: [] }, { apiKey: [] }];
