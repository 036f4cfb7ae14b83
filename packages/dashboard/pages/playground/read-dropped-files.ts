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
  const entries = [...data.items].map((item) => item.webkitGetAsEntry()).filter((entry) => entry !== null);
  const folder = entries.find(({ isDirectory }) => isDirectory)?.name;
  return { files: (await Promise.all(entries.map(readEntry))).flat(), folder };
}
