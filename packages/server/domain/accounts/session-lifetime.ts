/** A session expires this long after its last use, */
export const SESSION_IDLE_DAYS = 14;
/** and this long after sign-in at the latest. */
export const SESSION_DAYS = 90;
