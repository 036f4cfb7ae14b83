import type { Target } from "@stemwright/sdk";

type Timed = Pick<Target, "model" | "audioOffset" | "fileTimeline">;

/** By default their times count from the start of the file, those of others from the start of its audio. */
const TEXT_MODELS = ["transcription", "alignment", "music_detection"];

/** By how much the times of a target, or its sounds, are later than in the audio alone, which previews play. */
export const toLeadSeconds = ({ model, audioOffset = 0, fileTimeline }: Timed): number =>
  (fileTimeline ?? TEXT_MODELS.includes(model)) ? audioOffset : 0;

/** How long a Task's input shows its picture before its audio starts; 0 until a target has completed. */
export const findAudioOffset = (targets: readonly Pick<Target, "audioOffset">[]): number =>
  targets.find(({ audioOffset }) => audioOffset !== undefined)?.audioOffset ?? 0;
