/**
 * The numbers of a failed target's `error.code`. Thousands are classes: 1 input, 2 model, 3 output,
 * 4 ended by the client, 9 internal. The page docs/errors.md lists the same; a test holds the two equal.
 */
export const TARGET_ERRORS = {
  INPUT_UNREADABLE: { code: 1001, when: "The input is not readable audio or video." },
  INPUT_NO_AUDIO: { code: 1002, when: "The input has no audio." },
  INPUT_TOO_LONG: { code: 1003, when: "The input is longer than the model allows." },
  INPUT_NOT_FOUND: { code: 1004, when: "The input does not exist, or no longer exists." },
  INPUT_ACCESS_DENIED: {
    code: 1005,
    when: "The server that holds the input, or the address guard, denied access.",
  },
  INPUT_FETCH_FAILED: { code: 1006, when: "The input could not be fetched." },
  INPUT_TOO_LARGE: { code: 1007, when: "The input has more bytes than the server allows." },
  INPUT_OVER_CREDITS: { code: 1008, when: "The input is longer than the account's credits cover." },
  INPUT_DECODED_TOO_LARGE: {
    code: 1009,
    when: "The decoded input, or its requested stems, take more disk than the server allows.",
  },
  INPUT_OVER_QUOTA: {
    code: 1010,
    when: "The account's storage quota has no room to process the input.",
  },
  LANGUAGE_UNSUPPORTED: { code: 2001, when: "The model does not support the language." },
  TRANSCRIPT_UNUSABLE: { code: 2002, when: "The transcript can't be read or does not match the audio." },
  OUT_OF_MEMORY: { code: 2003, when: "The model ran out of memory." },
  MODEL_FAILED: { code: 2004, when: "The model failed." },
  MODEL_MISSING: { code: 2005, when: "The model's weights are missing or damaged." },
  DESTINATION_NOT_WRITABLE: { code: 3001, when: "The outputs could not be written to the destination." },
  DISK_FULL: { code: 3002, when: "The Task needs more disk than the worker's volume has." },
  ENCODE_FAILED: { code: 3003, when: "The output could not be encoded in that format." },
  OUTPUT_OVER_QUOTA: { code: 3004, when: "The account's storage quota has no room for the outputs." },
  CANCELLED: { code: 4001, when: "The client cancelled or deleted the Task." },
  INTERNAL: { code: 9001, when: "Something failed on our side." },
  ABANDONED: {
    code: 9002,
    when: "Every attempt at the Task failed on our side, or took the worker with it.",
  },
  NOT_SET_UP: {
    code: 9003,
    when: "The operator must add credentials or a certificate authority; the log says which.",
  },
} as const satisfies Record<string, { code: number; when: string }>;

export type TargetErrorName = keyof typeof TARGET_ERRORS;
