/** A session is good for so long after its last use, */
export const SESSION_IDLE_DAYS = 14;
/** and for so long in all. */
export const SESSION_DAYS = 90;
