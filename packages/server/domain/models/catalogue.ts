import {
  ANALYSIS_OUTPUT_FORMATS,
  AUDIO_OUTPUT_FORMATS,
  DETECTION_OUTPUT_FORMATS,
  INPUT_FORMATS,
  type ModelInput,
  TEXT_OUTPUT_FORMATS,
  VOICES_OUTPUT_FORMATS,
} from "@stemwright/contract";
import { SPEECH_LANGUAGES } from "./speech-languages.ts";

export type CatalogueVariant = { id: string; description: string; creditsPerMinute?: number };

export type CatalogueModel = {
  id: string;
  name: string;
  category: "instrument-stems" | "dialogue-music-effects" | "transcription-alignment";
  description: string;
  /** Absent if the rate is agreed with each client. */
  creditsPerMinute?: number;
  maxInputDurationSeconds: number;
  inputs: ModelInput[];
  produces: "sound" | "voices" | "text" | "detection" | "analysis";
  outputFormats: readonly string[];
  supportedLanguages?: readonly string[];
  variants?: CatalogueVariant[];
  /** Closed to every client without a grant. */
  needsGrant?: boolean;
};

const HOUR_SECONDS = 3600;

const mediaInput: ModelInput = {
  id: "media",
  description: "The audio, or the sound of the video, to process",
  required: true,
  taskFields: ["assetId", "url"],
  formats: { audio: [...INPUT_FORMATS.audio], video: [...INPUT_FORMATS.video] },
};

const transcriptInput: ModelInput = {
  id: "transcript",
  description: "The text to align; without one the audio is transcribed first",
  required: false,
  taskFields: ["targets[].transcriptAssetId", "targets[].transcriptUrl"],
  formats: { text: [...INPUT_FORMATS.text] },
};

const highQuality: CatalogueVariant = {
  id: "high_quality",
  description: "Higher quality, longer processing",
  creditsPerMinute: 1.5,
};

const stem = (
  id: string,
  name: string,
  description: string,
  variants?: CatalogueVariant[],
): CatalogueModel => ({
  id,
  name,
  category: "instrument-stems",
  description,
  creditsPerMinute: 1,
  maxInputDurationSeconds: 3 * HOUR_SECONDS,
  inputs: [mediaInput],
  produces: "sound",
  outputFormats: AUDIO_OUTPUT_FORMATS,
  ...(variants ? { variants } : {}),
});

const cinematic = (id: string, name: string, description: string): CatalogueModel => ({
  ...stem(id, name, description),
  category: "dialogue-music-effects",
  creditsPerMinute: 1.5,
});

const arranged = (model: CatalogueModel, variants?: CatalogueVariant[]): CatalogueModel => {
  const { creditsPerMinute: _, ...rest } = model;
  return {
    ...rest,
    maxInputDurationSeconds: HOUR_SECONDS,
    needsGrant: true,
    ...(variants ? { variants } : {}),
  };
};

const text = (id: string, name: string, description: string, inputs: ModelInput[]): CatalogueModel => ({
  id,
  name,
  category: "transcription-alignment",
  description,
  creditsPerMinute: 1,
  maxInputDurationSeconds: HOUR_SECONDS,
  inputs,
  produces: "text",
  outputFormats: TEXT_OUTPUT_FORMATS,
  supportedLanguages: SPEECH_LANGUAGES,
});

/** The whole catalogue of the interface, whether or not this installation has the network for it. */
export const CATALOGUE: readonly CatalogueModel[] = [
  stem("vocals", "Vocals", "The singing and speaking voices of a song.", [highQuality]),
  stem("instrumental", "Instrumental", "Everything of a song but its voices.", [highQuality]),
  stem("vocals_lead", "Lead vocals", "The leading voice of a song."),
  stem("vocals_backing", "Backing vocals", "The voices of a song that back the leading one."),
  stem("drums", "Drums", "Drums and percussion."),
  stem("bass", "Bass", "Bass guitar, double bass and synthetic bass."),
  stem("other", "Other", "What is neither voice nor drums nor bass."),
  stem("guitar", "Guitar", "Acoustic and electric guitars."),
  stem("other-x-guitar", "Other without guitar", "The other stem without its guitars."),
  stem("guitar_electric", "Electric guitar", "Electric guitars."),
  stem("guitar_acoustic", "Acoustic guitar", "Acoustic guitars."),
  stem("piano", "Piano", "Acoustic pianos."),
  stem("keys", "Keys", "Electric pianos, organs, clavinets and harpsichords."),
  stem("wind", "Wind", "Woodwind and brass."),
  stem("strings", "Strings", "Bowed strings."),
  {
    ...stem(
      "music_analysis",
      "Music analysis",
      "Tempo, beats, key, chords, sections and loudness of a song.",
    ),
    creditsPerMinute: 0.5,
    produces: "analysis",
    outputFormats: ANALYSIS_OUTPUT_FORMATS,
  },
  cinematic("dialogue", "Dialogue", "The spoken words of a film, show or recording."),
  cinematic("effects", "Effects", "Sounds that are neither speech nor music."),
  cinematic("music", "Music", "The music of a film, show or recording; singing counts as music."),
  arranged(cinematic("music_removal", "Music removal", "The recording without its music.")),
  cinematic("music_fx", "Music and effects", "The recording without its dialogue."),
  {
    ...cinematic("music_detection", "Music detection", "Where in the recording there is music."),
    creditsPerMinute: 0.5,
    produces: "detection",
    outputFormats: DETECTION_OUTPUT_FORMATS,
  },
  {
    ...arranged(cinematic("multi_voice", "Multi-voice", "A separate file for each speaker's voice."), [
      { id: "two_speaker", description: "Two speakers; the default" },
      { id: "n_speaker", description: "Any number of speakers" },
    ]),
    produces: "voices",
    outputFormats: VOICES_OUTPUT_FORMATS,
  },
  cinematic("speech_denoise", "Speech without noise", "Speech with its room, without noise."),
  {
    ...cinematic("speech_dereverb", "Dry speech", "Speech without its room and without noise."),
    creditsPerMinute: 2,
  },
  text("transcription", "Transcription", "The words of the recording, each with its time.", [mediaInput]),
  text("alignment", "Alignment", "Times for the words of a given text.", [mediaInput, transcriptInput]),
];

/** Whether its outputs are sound. */
export const isSound = ({ produces }: Pick<CatalogueModel, "produces">) =>
  produces === "sound" || produces === "voices";

export function findCatalogueModel(id: string): CatalogueModel | undefined {
  return CATALOGUE.find((model) => model.id === id);
}

export const describeUnknownModel = (model: string) =>
  `Unknown model "${model}". Must be one of ${CATALOGUE.map(({ id }) => id).join(", ")}`;
