/** How the Tasks of all clients share the workers; 0 = no limit. */
export type QueueRules = {
  clientRunningMax: number;
  clientWaitingMax: number;
  /** A longer input makes a Task a long one. */
  longTaskSeconds: number;
};

export const isLong = (
  audioSeconds: number | undefined,
  { longTaskSeconds }: Pick<QueueRules, "longTaskSeconds">,
): boolean => audioSeconds !== undefined && longTaskSeconds > 0 && audioSeconds > longTaskSeconds;
