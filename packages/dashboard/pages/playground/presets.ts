import type { Choice } from "./choice.ts";
import { NO_WORDS_OPTIONS } from "./words-options.ts";

export type Preset = {
  id: string;
  name: string;
  description: string;
  models: readonly string[];
  choice: Partial<Choice>;
};

/** The most common uses. */
export const PRESETS: readonly Preset[] = [
  {
    id: "karaoke",
    name: "Karaoke",
    description: "The song without its voice, and the words with their times",
    models: ["instrumental", "alignment"],
    choice: { audioFormats: ["mp3"], textFormats: ["lrc", "json"] },
  },
  {
    id: "four-stems",
    name: "Four stems",
    description: "Vocals, drums, bass and the rest",
    models: ["vocals", "drums", "bass", "other"],
    choice: { audioFormats: ["wav"] },
  },
  {
    id: "band",
    name: "Band",
    description: "Vocals, drums, bass, guitar and the rest",
    models: ["vocals", "drums", "bass", "guitar", "other-x-guitar"],
    choice: { audioFormats: ["wav"] },
  },
  {
    id: "dubbing",
    name: "Dubbing",
    description: "Dialogue apart from music and effects, with subtitles",
    models: ["dialogue", "music_fx", "transcription"],
    choice: { audioFormats: ["wav"], textFormats: ["srt"] },
  },
  {
    id: "interview",
    name: "Interview",
    description: "Voices without noise, written down, with who says what",
    models: ["dialogue", "transcription"],
    choice: {
      audioFormats: ["mp3"],
      textFormats: ["txt", "json"],
      words: { ...NO_WORDS_OPTIONS, speakers: "any", speakerNames: true },
    },
  },
  {
    id: "clean-speech",
    name: "Clean speech",
    description: "A voice recording without its noise",
    models: ["speech_denoise"],
    choice: { audioFormats: ["wav"] },
  },
  {
    id: "subtitles",
    name: "Subtitles",
    description: "What is said, as subtitles",
    models: ["transcription"],
    choice: { textFormats: ["srt", "vtt"] },
  },
];

/** Whether exactly the preset's models are chosen. */
export const isPresetChosen = ({ models }: Preset, choice: Choice) =>
  models.length === choice.models.length &&
  models.every((id) => choice.models.some((chosen) => chosen.id === id));
