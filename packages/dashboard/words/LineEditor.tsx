import { useEffect, useRef, useState } from "preact/hooks";
import { Button } from "../parts/Button.tsx";
import type { Clock } from "./clock.ts";
import type { Edge } from "./edit-times.ts";
import { WordTimeline } from "./WordTimeline.tsx";
import { endOf, joinLine, startOf, type WordsLine } from "./words-lines.ts";

/** Played before the line to tap along with. */
const LEAD_SECONDS = 1.5;

export type LineActions = {
  setText(text: string): Promise<void>;
  moveEdge(move: { word: number; edge: Edge; seconds: number; isNew: boolean }): void;
  setTaps(taps: readonly number[]): void;
  /** Aligns the whole line again. */
  align(): Promise<void>;
  changeSpeaker(): void;
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
  onTapped: (taps: readonly number[]) => void;
}) {
  const [taps, setTaps] = useState<number[]>();
  const button = useRef<HTMLButtonElement>(null);
  /** Whether the latest press was a tap, so that the click at its end means nothing. */
  const isTap = useRef(false);
  const needed = line.words.length + 1;

  function start() {
    button.current?.focus();
    clock.seek(Math.max(0, startOf(line) - LEAD_SECONDS));
    clock.play();
    setTaps([]);
  }
  function tap(before: readonly number[]) {
    const next = [...before, clock.readSeconds()];
    if (next.length < needed) return setTaps(next);
    finish(next);
  }
  function finish(tapped: readonly number[]) {
    clock.pause();
    setTaps(undefined);
    button.current?.focus();
    if (tapped.length > 0) onTapped(tapped);
  }
  /** A tap counts from the moment the key or button goes down; a click would come when it is released. */
  function press() {
    isTap.current = taps !== undefined;
    if (taps) tap(taps);
  }
  function onKeyDown(event: KeyboardEvent) {
    if (event.key !== " " && event.key !== "Enter") return;
    if (taps || event.repeat) event.preventDefault();
    if (!event.repeat) press();
  }
  function onKeyUp(event: KeyboardEvent) {
    if (isTap.current) event.preventDefault();
    isTap.current = false;
  }
  function click() {
    if (isTap.current) isTap.current = false;
    else if (taps) tap(taps);
    else start();
  }

  const next = taps && (line.words[taps.length]?.text.trim() ?? "");
  return (
    <>
      <button
        ref={button}
        type="button"
        class={`button button-small tap-button ${taps ? "button-primary" : ""}`}
        onPointerDown={(event) => event.button === 0 && press()}
        onKeyDown={onKeyDown}
        onKeyUp={onKeyUp}
        onClick={click}
      >
        {next === undefined ? "Tap along" : next === "" ? "Tap at the end" : `Tap at “${next}”`}
      </button>
      {taps && (
        <Button isSmall onClick={() => finish(taps)}>
          Stop
        </Button>
      )}
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
  const editor = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const { activeElement } = document;
    area.current?.focus();
    return () => {
      const isInside = editor.current?.contains(document.activeElement);
      if (isInside && activeElement instanceof HTMLElement) activeElement.focus();
    };
  }, []);
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
    <div class="line-editor" ref={editor}>
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
            Play the line
          </Button>
        )}
        <Button isSmall icon="retry" isDisabled={isChanged} onClick={actions.align}>
          Align the line again
        </Button>
        {clock.hasSound && <TapAlong line={line} clock={clock} onTapped={actions.setTaps} />}
        <Button isSmall onClick={actions.changeSpeaker}>
          Speaker
        </Button>
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
