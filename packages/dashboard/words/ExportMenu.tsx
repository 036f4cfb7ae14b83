import type { TextOutputFormat, WordsVersion } from "@stemwright/sdk";
import { useState } from "preact/hooks";
import { Button } from "../parts/Button.tsx";
import { saveResponse } from "../parts/save-response.ts";

const FORMS: readonly [TextOutputFormat, string][] = [
  ["srt", "Subtitles (srt)"],
  ["vtt", "Subtitles (vtt)"],
  ["txt", "Text (txt)"],
  ["lrc", "Lyrics (lrc)"],
  ["ass", "Karaoke (ass)"],
  ["ultrastar", "UltraStar song (txt)"],
  ["json", "Words with times (json)"],
];

/** Downloads the words in the chosen format; where they were edited, the service's own too. */
export function ExportMenu({
  isEdited,
  exportAs,
}: {
  isEdited: boolean;
  exportAs: (format: TextOutputFormat, version: WordsVersion) => Promise<Response>;
}) {
  const [format, setFormat] = useState<TextOutputFormat>("srt");
  const save = (version: WordsVersion) => async () => saveResponse(await exportAs(format, version));

  return (
    <div class="row row-wrap">
      <select
        class="input words-form"
        aria-label="Export format"
        value={format}
        onChange={({ currentTarget }) => setFormat(currentTarget.value as TextOutputFormat)}
      >
        {FORMS.map(([id, label]) => (
          <option key={id} value={id}>
            {label}
          </option>
        ))}
      </select>
      <Button icon="download" onClick={save("edited")}>
        Export
      </Button>
      {isEdited && (
        <Button kind="plain" onClick={save("original")}>
          Original
        </Button>
      )}
    </div>
  );
}
