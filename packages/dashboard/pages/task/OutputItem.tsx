import { type OutputFile, type Task, type TextOutputFormat, toOutputFileName } from "@stemwright/sdk";
import { useState } from "preact/hooks";
import { apiClient } from "../../account/api-client.ts";
import { isOwnLink, toOwnLink } from "../../data/own-link.ts";
import { formatBytes } from "../../parts/format.ts";
import { Loaded } from "../../parts/Loaded.tsx";
import { useLoad } from "../../parts/use-load.ts";
import { DownloadButtons, type LoadEdited } from "./DownloadButtons.tsx";

const TEXT_FORMATS = new Set(["json", "srt", "vtt", "txt", "lrc", "ass", "ultrastar", "lab", "csv"]);
/** Enough for an excerpt; the whole file can be downloaded. */
const SHOWN_CHARACTERS = 20_000;

function TextPreview({
  task,
  output,
  loadEdited,
}: {
  task: Task;
  output: OutputFile;
  loadEdited: LoadEdited | undefined;
}) {
  const text = useLoad(
    async (signal) => {
      if (loadEdited)
        return (await (await loadEdited(output.format as TextOutputFormat)).text()).slice(
          0,
          SHOWN_CHARACTERS,
        );
      const fresh = { ...output, link: toOwnLink(output.link) };
      return (await (await apiClient.tasks.download(task, fresh, { signal })).text()).slice(
        0,
        SHOWN_CHARACTERS,
      );
    },
    [output.name, output.format],
  );
  return (
    <Loaded loaded={text}>
      {(value) => (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: long texts are scrolled with the keyboard.
        <section class="code output-text" tabIndex={0} aria-label={toOutputFileName(output)}>
          <pre>{value}</pre>
        </section>
      )}
    </Loaded>
  );
}

/** One file: to play or read, and to download. */
export function OutputItem({
  task,
  output,
  loadEdited,
}: {
  task: Task;
  output: OutputFile;
  /** If people have edited the words. */
  loadEdited?: LoadEdited | undefined;
}) {
  const [isOpen, setOpen] = useState(false);
  const fileName = toOutputFileName(output);
  const link = toOwnLink(output.link);
  const isOurs = isOwnLink(link);
  const isSound = isOurs && output.type.startsWith("audio/") && output.format !== "mid";
  const isText = isOurs && TEXT_FORMATS.has(output.format);
  return (
    <li class="output">
      <div class="output-name">
        <span class="truncate">
          {fileName} {loadEdited && <span class="tag">edited</span>}
        </span>
        <span class="small muted">
          {formatBytes(output.size)}
          {isOurs ? "" : " · in your bucket"}
          {output.clippedSamples ? ` · ${output.clippedSamples} samples clipped` : ""}
        </span>
      </div>
      {isSound && (
        // biome-ignore lint/a11y/useMediaCaption: stems of any sound; words are separate outputs.
        <audio
          class="output-sound"
          controls
          preload="metadata"
          src={link}
          aria-label={`Listen to ${fileName}`}
        />
      )}
      <div class="row output-actions">
        {isText && (
          <button
            type="button"
            class="button button-small"
            aria-expanded={isOpen}
            onClick={() => setOpen(!isOpen)}
          >
            {isOpen ? "Hide" : "Show"}
          </button>
        )}
        <DownloadButtons output={output} loadEdited={loadEdited} />
      </div>
      {isOpen && <TextPreview task={task} output={output} loadEdited={loadEdited} />}
    </li>
  );
}
