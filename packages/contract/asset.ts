import { z } from "zod";
import { dateTime, id } from "./id.ts";
import { pageQuery } from "./page.ts";
import { plainText } from "./plain-text.ts";

export const asset = z
  .object({
    id,
    format: z.string().meta({ description: "Lower-case extension", example: "wav" }),
    name: z.string().meta({ description: "The uploaded file's name", example: "song.wav" }),
    link: z.string().meta({ description: "Download link of the source, good for one hour" }),
    size: z.int().meta({ description: "Bytes" }),
    createdAt: dateTime,
  })
  .meta({ id: "Asset" });
export type Asset = z.infer<typeof asset>;

export const assetListQuery = pageQuery.extend({
  search: plainText(200).exactOptional().meta({ description: "Text in the name or the id, in any case" }),
});
export type AssetListQuery = z.output<typeof assetListQuery>;
