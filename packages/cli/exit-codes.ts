/** Exit codes; docs/cli.md lists the same. */
export const EXIT_CODES = {
  DONE: { code: 0, when: "Everything was done." },
  FAILED: { code: 1, when: "Every input failed, or something unexpected happened." },
  USAGE: { code: 2, when: "An argument or setting is wrong. Nothing was started." },
  PARTLY: { code: 3, when: "Some inputs failed; the others are done." },
  NO_INPUT: { code: 4, when: "No file matches." },
  UNREACHABLE: { code: 5, when: "The service can't be reached, or refuses the key." },
  NOT_READY: {
    code: 6,
    when: "This machine lacks something: a network's weights, the media sandbox, room. `stemwright doctor` says what.",
  },
  INTERRUPTED: { code: 130, when: "Ctrl-C. The same command resumes where it stopped." },
} as const;

export type ExitReason = keyof typeof EXIT_CODES;
