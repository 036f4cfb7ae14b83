/** Everything that must never happen, whatever is killed. */
export const FAULTS = {
  tasksLost: "Tasks lost: missing, unfinished, or ended by an error of ours",
  tasksTwice: "Tasks made twice",
  targetsTwice: "targets completed twice",
  chargesWrong: "charges that are double, missing or wrong",
  reservationsLeft: "credits left reserved",
  webhooksMissing: "webhooks missing",
  webhooksWrong: "webhooks due twice, or with a bad signature",
  filesStray: "files without a row, and work and temporary files left",
  filesMissing: "rows without a file",
  assetsWrong: "uploads with other bytes than were sent",
  outputsWrong: "outputs with other bytes than undisturbed",
  processesStray: "processes left behind",
  endedUnasked: "processes that ended though another was killed",
  answersWrong: "answers other than 2xx, an expected 4xx or 503",
  requestsDropped: "requests without an answer while their API ran",
} as const;
export type Fault = keyof typeof FAULTS;
export type Finding = { fault: Fault; detail: string };

export const toFindings = (fault: Fault, details: readonly string[]): Finding[] =>
  details.map((detail) => ({ fault, detail }));
