/** The language code of a tag, whatever its case and region: "en-US" is "en". */
export const toLanguageCode = (tag: string) => tag.trim().toLowerCase().split(/[-_]/)[0] ?? "";
