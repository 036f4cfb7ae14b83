import { type OutputFile, type TextOutputFormat, toOutputFileName } from "@stemwright/sdk";
import { toOwnLink } from "../../data/own-link.ts";
import { Button } from "../../parts/Button.tsx";
import { Icon } from "../../parts/Icon.tsx";
import { saveResponse } from "../../parts/save-response.ts";

/** Loads the words as people have edited them, in the format of an output. */
export type LoadEdited = (format: TextOutputFormat) => Promise<Response>;

/** Downloads an output under the name the service gives it; of edited words people's version, with the service's own beside it. */
export function DownloadButtons({
  output,
  loadEdited,
}: {
  output: OutputFile;
  loadEdited: LoadEdited | undefined;
}) {
  const fileName = toOutputFileName(output);
  return (
    <>
      {loadEdited && (
        <Button
          isSmall
          icon="download"
          onClick={async () => saveResponse(await loadEdited(output.format as TextOutputFormat))}
        >
          Download<span class="visually-hidden"> {fileName} as edited</span>
        </Button>
      )}
      <a
        class={`button button-small ${loadEdited ? "button-plain" : ""}`}
        href={toOwnLink(output.link)}
        download=""
      >
        {!loadEdited && <Icon name="download" />}
        <span>
          {loadEdited ? "Original" : "Download"}
          <span class="visually-hidden"> {fileName}</span>
        </span>
      </a>
    </>
  );
}
