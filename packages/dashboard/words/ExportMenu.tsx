import type { TextOutputFormat } from "@stemwright/sdk";
import { useState } from "preact/hooks";
import { Button } from "../parts/Button.tsx";

const FORMS: readonly [TextOutputFormat, string][] = [
  ["srt", "Subtitles (srt)"],
  ["vtt", "Subtitles (vtt)"],
  ["txt", "Text (txt)"],
  ["lrc", "Lyrics (lrc)"],
  ["ass", "Karaoke (ass)"],
  ["ultrastar", "UltraStar song (txt)"],
  ["json", "Words with times (json)"],
];

/** The name the service gives the file. */
const nameOf = (response: Response) =>
  /filename="([^"]+)"/.exec(response.headers.get("content-disposition") ?? "")?.[1] ?? "words.txt";

/** Downloads the words in the chosen format. */
export function ExportMenu({ exportAs }: { exportAs: (format: TextOutputFormat) => Promise<Response> }) {
  const [format, setFormat] = useState<TextOutputFormat>("srt");

  async function download() {
    const response = await exportAs(format);
    const link = document.createElement("a");
    link.href = URL.createObjectURL(await response.blob());
    link.download = nameOf(response);
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  }

  return (
    <div class="row">
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
      <Button icon="download" onClick={download}>
        Export
      </Button>
    </div>
  );
}
