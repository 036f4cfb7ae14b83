import { Button } from "../../parts/Button.tsx";
import { formatBytes } from "../../parts/format.ts";
import { ProgressBar } from "../../parts/ProgressBar.tsx";
import { type FileUpload, removeUpload, retryUpload, uploads } from "./uploads.ts";
import { Waveform } from "./Waveform.tsx";

function UploadItem({ upload, isAlone }: { upload: FileUpload; isAlone: boolean }) {
  const { file, progress, asset, error } = upload;
  return (
    <li class="upload">
      <div class="row row-apart">
        <div class="truncate">
          <span class="upload-name">{file.name}</span>{" "}
          <span class="small muted">
            {error ?? (asset ? formatBytes(file.size) : `${Math.floor(progress * 100)} %`)}
          </span>
        </div>
        <div class="row">
          {error !== undefined && (
            <Button isSmall onClick={() => retryUpload(upload.id)}>
              Try again<span class="visually-hidden"> to upload {file.name}</span>
            </Button>
          )}
          <Button
            kind="plain"
            isSmall
            icon="close"
            label={`Remove ${file.name}`}
            onClick={() => removeUpload(upload.id)}
          />
        </div>
      </div>
      {!asset && error === undefined && <ProgressBar value={progress} label={`Upload of ${file.name}`} />}
      {isAlone && <Waveform file={file} />}
    </li>
  );
}

export function UploadList() {
  if (uploads.value.length === 0) return null;
  return (
    <ul class="plain-list upload-list">
      {uploads.value.map((upload) => (
        <UploadItem key={upload.id} upload={upload} isAlone={uploads.value.length === 1} />
      ))}
    </ul>
  );
}
