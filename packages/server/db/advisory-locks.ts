/** Advisory locks with fixed, arbitrary numbers. Functions of the schema refer to theirs by number. */
export const ADVISORY_LOCKS = {
  /** One migrator at a time, however many processes start together. */
  migrator: 7_734_211,
  /** One claim of a Task at a time, or one worker recording that its Task is long: `claim_task`, `set_task_length`. */
  claims: 7_734_212,
  /** One supervisor among all workers, for as long as its session lasts. */
  supervisor: 7_734_213,
  /** One claim of a realignment at a time: `claim_realignment`. */
  realignmentClaims: 7_734_214,
} as const;
