/** A file to upload. */
export type LocalFile = {
  name: string;
  sizeBytes: number;
  modifiedAtMs: number;
  /** Opens the file again, all of it or a part; `end` is exclusive. */
  open(part?: { start: number; end: number }): AsyncIterable<Uint8Array>;
};

/** What differs between browsers and runtimes with a file system. */
export type Platform = {
  /** Whether fetch can stream request bodies; in browsers only some can, and only over HTTP/2. */
  canStreamBodies: boolean;
  loadFile(path: string): Promise<LocalFile>;
  /** Writes to a temporary file and renames it. Creates missing folders. */
  writeFile(path: string, content: ReadableStream<Uint8Array>): Promise<void>;
  joinPath(folder: string, name: string): string;
};
