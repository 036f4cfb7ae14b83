/** The entries of a folder; browsers return them in batches. */
async function readFolder(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const all: FileSystemEntry[] = [];
  for (;;) {
    const portion = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (portion.length === 0) return all;
    all.push(...portion);
  }
}

async function readEntry(entry: FileSystemEntry): Promise<File[]> {
  if (entry.isDirectory) {
    const entries = await readFolder(entry as FileSystemDirectoryEntry);
    return (await Promise.all(entries.map(readEntry))).flat();
  }
  return [await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject))];
}

export type Dropped = { files: File[]; folder: string | undefined };

/** All dropped files, including those in folders. Must be called while the event is handled. */
export async function readDroppedFiles(data: DataTransfer): Promise<Dropped> {
  const dropped = [...data.items]
    .filter(({ kind }) => kind === "file")
    // What is dragged out of another page or an attachment is in no file system: it has no entry.
    .map((item) => item.webkitGetAsEntry() ?? item.getAsFile())
    .filter((item) => item !== null);
  const isFile = (item: FileSystemEntry | File) => item instanceof File;
  const folder = dropped.find((item) => !isFile(item) && item.isDirectory)?.name;
  const files = await Promise.all(dropped.map((item) => (isFile(item) ? [item] : readEntry(item))));
  return { files: files.flat(), folder };
}
