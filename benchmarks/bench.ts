/** `npm run bench NAME -- …`: the benchmarks of docs/benchmarks.md. The head of `benchmarks/NAME.ts` has its arguments. */
const BENCHMARKS: Readonly<Record<string, () => Promise<unknown>>> = {
  align: () => import("./align.ts"),
  api: () => import("./api.ts"),
  clean: () => import("./clean.ts"),
  cli: () => import("./cli.ts"),
  dashboard: () => import("./dashboard.ts"),
  detection: () => import("./detection.ts"),
  dialogue: () => import("./dialogue.ts"),
  fairness: () => import("./fairness.ts"),
  faults: () => import("./faults.ts"),
  fleet: () => import("./fleet.ts"),
  gpu: () => import("./gpu.ts"),
  guessing: () => import("./guessing.ts"),
  instruments: () => import("./instruments.ts"),
  keywords: () => import("./keywords.ts"),
  languages: () => import("./languages.ts"),
  lyrics: () => import("./lyrics.ts"),
  memory: () => import("./memory.ts"),
  mixer: () => import("./mixer.ts"),
  noise: () => import("./noisy-words.ts"),
  "open-networks": () => import("./open-networks.ts"),
  overload: () => import("./overload.ts"),
  previews: () => import("./previews.ts"),
  quality: () => import("./quality.ts"),
  quota: () => import("./quota.ts"),
  scale: () => import("./scale.ts"),
  separate: () => import("./separate.ts"),
  spans: () => import("./spans.ts"),
  speech: () => import("./speech.ts"),
  targets: () => import("./targets.ts"),
  voices: () => import("./voices.ts"),
};

const [, , name = "", ...args] = process.argv;
const load = BENCHMARKS[name];
if (load === undefined) {
  console.error(`usage: npm run bench NAME -- …; NAME is one of ${Object.keys(BENCHMARKS).join(", ")}`);
  process.exit(2);
}
process.argv = [...process.argv.slice(0, 2), ...args];
await load();
