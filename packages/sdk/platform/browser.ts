import { StemwrightError } from "../errors.ts";
import type { Platform } from "./platform.ts";

function refuse(): never {
  throw new StemwrightError("No file system available; use a Blob, File or stream instead of a path");
}

export const platform: Platform = {
  canStreamBodies: false,
  loadFile: async () => refuse(),
  writeFile: async () => refuse(),
  joinPath: () => refuse(),
};
