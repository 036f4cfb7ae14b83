import { useEffect, useRef, useState } from "preact/hooks";
import { Button } from "../parts/Button.tsx";
import type { Clock } from "./clock.ts";
import type { Edge } from "./edit-times.ts";
import { WordTimeline } from "./WordTimeline.tsx";
import { endOf, joinLine, startOf, type WordsLine } from "./words-lines.ts";

export type LineActions = {
  setText(text: string): Promise<void>;
  moveEdge(move: { word: number; edge: Edge; seconds: number; isNew: boolean }): void;
  setTaps(taps: readonly number[]): void;
  /** Aligns the whole line again. */
  align(): Promise<void>;
  play(): void;
  close(): void;
};

/** Tap along with the recording: one tap for the start of each word, and one for the end of the last. */
function TapAlong({
  line,
  clock,
  onTapped,
}: {
  line: WordsLine;
  clock: Clock;
  onTapped: (taps: number[]) => void;
}) {
  const [taps, setTaps] = useState<number[]>();
  const needed = line.words.length + 1;

  function start() {
    clock.seek(Math.max(0, startOf(line) - 1.5));
    clock.play();
    setTaps([]);
  }
  function tap() {
    const next = [...(taps ?? []), clock.seconds.peek()];
    if (next.length < needed) return setTaps(next);
    clock.pause();
    setTaps(undefined);
    onTapped(next);
  }
  function stop() {
    clock.pause();
    if (taps && taps.length > 0) onTapped(taps);
    setTaps(undefined);
  }

  if (!taps)
    return (
      <Button isSmall onClick={start}>
        Tap along
      </Button>
    );
  const next = line.words[taps.length]?.text.trim();
  return (
    <>
      <button
        type="button"
        class="button button-small button-primary"
        onClick={tap}
        ref={(button) => button?.focus()}
      >
        {next === undefined ? "Tap at the end" : `Tap at “${next}”`}
      </button>
      <Button isSmall onClick={stop}>
        Stop
      </Button>
    </>
  );
}

/** An open line: its text, and the times of its words. */
export function LineEditor({
  line,
  number,
  room,
  clock,
  actions,
}: {
  line: WordsLine;
  number: number;
  room: { start: number; end: number };
  clock: Clock;
  actions: LineActions;
}) {
  const current = joinLine(line).trim();
  const [text, setText] = useState(current);
  const area = useRef<HTMLTextAreaElement>(null);
  useEffect(() => setText(current), [current]);
  useEffect(() => area.current?.focus(), []);
  const isChanged = text.replace(/\s+/g, " ").trim() !== current.replace(/\s+/g, " ");

  function onKeyDown(event: KeyboardEvent) {
    event.stopPropagation();
    if (event.key === "Escape") actions.close();
    if (event.key === "Enter") {
      event.preventDefault();
      if (isChanged) void actions.setText(text);
      else actions.close();
    }
  }

  return (
    <div class="line-editor">
      <textarea
        ref={area}
        class="input line-text"
        rows={2}
        aria-label={`Text of line ${number}`}
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <WordTimeline line={line} room={room} onMove={actions.moveEdge} />
      <div class="row row-wrap">
        <Button isSmall kind="primary" isDisabled={!isChanged} onClick={() => actions.setText(text)}>
          Apply and align
        </Button>
        {clock.hasSound && (
          <Button isSmall icon="play" onClick={actions.play}>
            Hear the line
          </Button>
        )}
        <Button isSmall icon="retry" isDisabled={isChanged} onClick={actions.align}>
          Align the line again
        </Button>
        {clock.hasSound && <TapAlong line={line} clock={clock} onTapped={actions.setTaps} />}
        <Button isSmall kind="plain" onClick={actions.close}>
          Close
        </Button>
        <span class="small muted">
          {startOf(line).toFixed(2)} s to {endOf(line).toFixed(2)} s
        </span>
      </div>
    </div>
  );
}
