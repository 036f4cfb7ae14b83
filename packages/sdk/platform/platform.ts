/** A file that is to be sent. */
export type LocalFile = {
  name: string;
  sizeBytes: number;
  /** From the beginning, each time it is called. */
  open(): AsyncIterable<Uint8Array>;
};

/** What differs between a browser and a runtime with a file system. */
export type Platform = {
  /** Whether fetch sends a stream as it comes; browsers do so only over HTTP/2, if at all. */
  canStreamBodies: boolean;
  loadFile(path: string): Promise<LocalFile>;
  /** Writes beside the path and renames: the file is there whole or not at all. Folders are made. */
  writeFile(path: string, content: ReadableStream<Uint8Array>): Promise<void>;
  joinPath(folder: string, name: string): string;
};
