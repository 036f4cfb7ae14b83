/** The json output of a transcription, as far as these interfaces read it. */
export type Transcript = {
  text: string;
  lines: TranscriptLine[];
  metadata: { language: string; languageConfidence: number };
};

export type TranscriptLine = {
  start: number;
  end: number;
  text: string;
  words: { start: number; end: number; text: string; confidence: number }[];
};

export const parseTranscriptJson = (content: string) => JSON.parse(content) as Transcript;
