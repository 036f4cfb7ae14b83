/** One target of an input, for the local engine or a service. */
export type WantedTarget = {
  model: string;
  kind: "sound" | "voices" | "text" | "detection" | "analysis";
  formats: readonly string[];
  variant?: string;
  /** The id of an added network; the model is then one of its stems. */
  network?: string;
  residual?: boolean;
  language?: string;
  transcriptPath?: string;
};

type NamedOutput = { name: string; format: string };

/** A target's outputs, named as the service names them; for voices, as many as were found. */
export function listOutputs(target: WantedTarget, voiceCount: number): NamedOutput[] {
  const { formats, kind, residual } = target;
  const name = toBaseName(target);
  const isSound = kind === "sound" || kind === "voices";
  const inFormats = (each: string) =>
    (kind === "voices" ? toSoundFormats(target) : formats).map((format) => ({ name: each, format }));
  const left = residual && isSound ? inFormats(`${name}_residual`) : [];
  if (kind !== "voices") return [...inFormats(name), ...left];
  const voices = Array.from({ length: voiceCount }, (_, index) => toVoiceName(name, index + 1));
  return [...voices.flatMap(inFormats), ...left, { name, format: "json" }];
}

/** Of voices, json is a file beside them that says who speaks when. */
export const toSoundFormats = ({ formats }: WantedTarget) => formats.filter((format) => format !== "json");

/** The prefix of a target's file names. */
export function toBaseName({ kind, model, variant }: WantedTarget): string {
  const noun = kind === "voices" ? "voice" : model;
  return variant === undefined ? noun : `${noun}_${variant}`;
}

const toVoiceName = (baseName: string, number: number) => `${baseName}_${String(number).padStart(2, "0")}`;

/** The number of voices among a target's files. */
export function countVoices(target: WantedTarget, files: readonly NamedOutput[]): number {
  const names = new Set(files.map(({ name }) => name));
  let count = 0;
  while (names.has(toVoiceName(toBaseName(target), count + 1))) count += 1;
  return count;
}
