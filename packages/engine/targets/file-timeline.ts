import type { DecodedMedia } from "../media/index.ts";
import type { TimedText } from "../text/timed-text.ts";
import type { EngineTarget } from "./engine-request.ts";

/** Texts are read beside the picture; sounds are compared with the input's audio. */
const isOnFileTimeline = ({
  kind,
  isOnFileTimeline = kind === "text" || kind === "detection",
}: EngineTarget) => isOnFileTimeline;

/** What is added to the times of a target, or silent at the start of its sounds. */
export function findLeadSeconds(
  target: EngineTarget,
  { audioStartSeconds = 0 }: Pick<DecodedMedia, "audioStartSeconds">,
): number {
  return isOnFileTimeline(target) ? audioStartSeconds : 0;
}

export function findLeadFrames(
  target: EngineTarget,
  info: Pick<DecodedMedia, "audioStartSeconds" | "sampleRateHz">,
): number {
  return Math.round(findLeadSeconds(target, info) * info.sampleRateHz);
}

/** The same, some seconds later. */
export const delaySpans = <Span extends { startSeconds: number; endSeconds: number }>(
  spans: readonly Span[],
  seconds: number,
): Span[] =>
  spans.map((span) => ({
    ...span,
    startSeconds: span.startSeconds + seconds,
    endSeconds: span.endSeconds + seconds,
  }));

/** The same text of a recording that starts some seconds later. */
export function delayText(text: TimedText, seconds: number): TimedText {
  if (seconds === 0) return text;
  const { languageSpans, ...metadata } = text.metadata;
  return {
    lines: text.lines.map((line) => ({ ...line, words: delaySpans(line.words, seconds) })),
    durationSeconds: text.durationSeconds + seconds,
    metadata: {
      ...metadata,
      ...(languageSpans && {
        languageSpans: languageSpans.map((span) => ({
          ...span,
          start: span.start + seconds,
          end: span.end + seconds,
        })),
      }),
    },
  };
}
