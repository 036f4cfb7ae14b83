import { z } from "zod";
import { wordsVersion } from "./words.ts";

/** What a Task is exported as; the names are the last part of the links. */
export const EXPORT_FILES = ["outputs.zip", "originals.zip", "outputs.stem.mp4"] as const;
export type ExportFile = (typeof EXPORT_FILES)[number];

const link = z.string().meta({ description: "Download link, good for one hour" });

export const taskExports = z
  .object({
    archive: z
      .object({
        link,
        size: z.int().meta({ description: "Bytes" }),
        files: z.int().meta({ description: "Number of files" }),
      })
      .exactOptional()
      .meta({ description: "All outputs in one zip file; absent while there are none" }),
    editedTargets: z.array(z.string()).exactOptional().meta({
      description:
        "Ids of the targets whose words people have edited, if there are any: the archive has them as edited",
    }),
    stemFile: z
      .object({
        link,
        stems: z.array(z.string()).meta({ description: "The tracks behind the mix", example: ["Drums"] }),
      })
      .exactOptional()
      .meta({
        description:
          "The mix and four stems in one `.stem.mp4` for DJ software, made during the download; absent without stems and for recordings longer than half an hour",
      }),
  })
  .meta({ id: "TaskExports", description: "A Task's outputs in one file" });
export type TaskExports = z.infer<typeof taskExports>;

export const taskExportsQuery = z.object({ version: wordsVersion });

export const exportParams = z.object({ id: z.string().min(1), file: z.enum(EXPORT_FILES) });
