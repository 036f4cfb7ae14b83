import { StemwrightError } from "../errors.ts";
import type { Platform } from "./platform.ts";

function refuse(): never {
  throw new StemwrightError(
    "Paths need a file system, which there is none of here; use a Blob, a File or a stream",
  );
}

export const platform: Platform = {
  canStreamBodies: false,
  loadFile: async () => refuse(),
  writeFile: async () => refuse(),
  joinPath: () => refuse(),
};
