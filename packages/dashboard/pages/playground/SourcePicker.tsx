import type { Model } from "@stemwright/sdk";
import { useRef } from "preact/hooks";
import { Button } from "../../parts/Button.tsx";
import { Field } from "../../parts/Field.tsx";
import { Icon } from "../../parts/Icon.tsx";
import { announce, reportError } from "../../parts/toast.ts";
import { Recorder } from "./Recorder.tsx";
import { readDroppedFiles } from "./read-dropped-files.ts";
import { UploadList } from "./UploadList.tsx";
import { addFiles, uploads } from "./uploads.ts";
import { useFileDrop } from "./use-file-drop.ts";

/** Extensions of audio and video files. */
function listMediaFormats(models: readonly Model[]): string[] {
  const media = models.flatMap(({ inputs = [] }) => inputs.filter(({ id }) => id === "media"));
  return [...new Set(media.flatMap(({ formats }) => [...(formats?.audio ?? []), ...(formats?.video ?? [])]))];
}

/** Picks files, a URL, or the microphone. */
export function SourcePicker({
  models,
  url,
  onUrl,
  onFolder,
}: {
  models: readonly Model[];
  url: string;
  onUrl: (url: string) => void;
  onFolder: (name: string) => void;
}) {
  const formats = listMediaFormats(models);

  function take(files: readonly File[], folder?: string) {
    const media = files.filter(({ name }) => formats.includes(name.split(".").at(-1)?.toLowerCase() ?? ""));
    const left = files.length - media.length;
    if (left > 0)
      announce(`${left} ${left === 1 ? "file is" : "files are"} neither audio nor video: skipped.`);
    if (folder) onFolder(folder);
    if (media.length > 0) onUrl("");
    addFiles(media);
  }

  const isOver = useFileDrop((data) => {
    readDroppedFiles(data).then(({ files, folder }) => take(files, folder), reportError);
  });

  return (
    <section class="card stack" aria-labelledby="source-title">
      <h2 id="source-title">1. Choose a source</h2>
      <div class="drop" data-over={isOver || undefined}>
        <Icon name="upload" />
        <p>Drop files or a folder here</p>
        <FileInputs formats={formats} onPicked={take} />
      </div>
      <UploadList />
      {uploads.value.length === 0 && <UrlField url={url} onUrl={onUrl} />}
    </section>
  );
}

/** Buttons for files, for a folder and for the microphone. */
function FileInputs({
  formats,
  onPicked,
}: {
  formats: readonly string[];
  onPicked: (files: readonly File[], folder?: string) => void;
}) {
  const fileInput = useRef<HTMLInputElement>(null);
  const folderInput = useRef<HTMLInputElement>(null);
  const accept = formats.map((format) => `.${format}`).join(",");

  function pick(input: HTMLInputElement) {
    const files = [...(input.files ?? [])];
    onPicked(files, files[0]?.webkitRelativePath.split("/")[0]);
    input.value = "";
  }

  return (
    <>
      <div class="row row-wrap">
        <Button onClick={() => fileInput.current?.click()}>Choose files</Button>
        <Button onClick={() => folderInput.current?.click()}>Choose a folder</Button>
        <Recorder onRecorded={(file) => onPicked([file])} />
      </div>
      <input
        ref={fileInput}
        type="file"
        class="visually-hidden"
        tabIndex={-1}
        aria-label="Files"
        multiple
        accept={accept}
        onChange={({ currentTarget }) => pick(currentTarget)}
      />
      <input
        ref={folderInput}
        type="file"
        class="visually-hidden"
        tabIndex={-1}
        aria-label="Folder"
        multiple
        {...{ webkitdirectory: true }}
        onChange={({ currentTarget }) => pick(currentTarget)}
      />
    </>
  );
}

function UrlField({ url, onUrl }: { url: string; onUrl: (url: string) => void }) {
  return (
    <Field
      label="Or a URL"
      hint="The https address of an audio or video file, or s3://, gs:// or az:// with a storage integration."
    >
      {(control) => (
        <input
          {...control}
          class="input"
          type="url"
          placeholder="https://"
          value={url}
          onInput={({ currentTarget }) => onUrl(currentTarget.value.trim())}
        />
      )}
    </Field>
  );
}
