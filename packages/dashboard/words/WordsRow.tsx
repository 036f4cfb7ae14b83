import { type ReadonlySignal, useComputed } from "@preact/signals";
import { formatDuration } from "../parts/format.ts";
import { nameSpeaker } from "./speakers.ts";
import type { Place, WordsLine } from "./words-lines.ts";
import { startOf } from "./words-lines.ts";

const DOUBT_STEPS = [0.3, 0.5, 0.7, 0.85];

/** 0 for a confident word, up to 4. */
const doubtOf = (confidence: number) => DOUBT_STEPS.filter((step) => confidence < step).length;

const describe = (confidence: number) =>
  confidence === 0 ? "Its time is estimated" : `${Math.round(confidence * 100)} % sure`;

export type RowProps = {
  line: WordsLine;
  index: number;
  current: ReadonlySignal<Place | undefined>;
  /** Colours by speaker. */
  hues: ReadonlyMap<string | number, number>;
  /** Absent if the words are read-only. */
  onEdit: ((index: number) => void) | undefined;
  onSpeaker: ((index: number) => void) | undefined;
};

/** One line. Rendered again only when its own current word changes; the list handles clicks on words. */
export function WordsRow({ line, index, current, hues, onEdit, onSpeaker }: RowProps) {
  const active = useComputed(() => (current.value?.line === index ? current.value.word : undefined)).value;
  const hue = line.speaker === undefined ? undefined : hues.get(line.speaker);
  return (
    <div class="words-row" data-current={active !== undefined || undefined}>
      <span class="words-time small muted">{formatDuration(startOf(line))}</span>
      <p class="words-text">
        {line.speaker !== undefined &&
          (onSpeaker ? (
            <button
              type="button"
              class={`words-speaker hue-${hue}`}
              aria-label={`${nameSpeaker(line.speaker)} says line ${index + 1}: change`}
              title="Name, merge or change the speaker"
              onClick={() => onSpeaker(index)}
            >
              {nameSpeaker(line.speaker)}
            </button>
          ) : (
            <span class={`words-speaker hue-${hue}`}>{nameSpeaker(line.speaker)}</span>
          ))}
        {line.words.map((word, n) => (
          <span
            key={n}
            class="word"
            data-doubt={doubtOf(word.confidence) || undefined}
            data-estimated={word.confidence === 0 || undefined}
            data-active={active === n || undefined}
            title={describe(word.confidence)}
            data-word={n}
          >
            {word.text}
          </span>
        ))}
      </p>
      {onEdit && (
        <button
          type="button"
          class="button button-plain button-small words-edit"
          aria-label={`Edit line ${index + 1}`}
          onClick={() => onEdit(index)}
        >
          Edit
        </button>
      )}
    </div>
  );
}
