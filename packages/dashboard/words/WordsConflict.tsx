import type { Words } from "@stemwright/sdk";
import { Button } from "../parts/Button.tsx";
import type { WordsLines } from "./words-lines.ts";
import { compareLines } from "./words-saver.ts";

const SHOWN_MAX = 8;

/** Both sides of edits made at the same time, to choose from. */
export function WordsConflict({
  lines,
  theirs,
  onKeepMine,
  onTakeTheirs,
}: {
  lines: WordsLines;
  /** Absent while they can't be loaded. */
  theirs: Words | undefined;
  onKeepMine: () => Promise<void>;
  onTakeTheirs: () => Promise<void>;
}) {
  const differing = theirs ? compareLines(lines, theirs) : [];
  return (
    <section class="card stack-tight" aria-label="Two versions of the words">
      <p>
        Somebody else, or another tab, saved these words meanwhile.
        {differing.length > SHOWN_MAX && ` ${differing.length} lines differ; here are ${SHOWN_MAX}.`}
      </p>
      {differing.length > 0 && (
        <div class="words-versions">
          <strong>Yours</strong>
          <strong>Saved</strong>
          {differing
            .slice(0, SHOWN_MAX)
            .flatMap(({ mine, theirs: other }, n) => [
              <p key={`mine ${n}`}>{mine}</p>,
              <p key={`theirs ${n}`}>{other}</p>,
            ])}
        </div>
      )}
      <div class="row row-wrap">
        <Button onClick={onKeepMine}>Keep mine</Button>
        <Button onClick={onTakeTheirs}>Take the saved ones</Button>
      </div>
    </section>
  );
}
