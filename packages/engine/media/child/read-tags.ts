import type { AudioInput } from "./open-audio-input.ts";

/** Tags that people organise music by. Not the comment, which holds an output's provenance, nor tags about the encoding. */
const KEPT_TAGS = [
  "title",
  "artist",
  "album",
  "album_artist",
  "composer",
  "genre",
  "date",
  "track",
  "disc",
  "copyright",
] as const;
/** Longer values are not real titles. */
const MAX_TAG_CHARACTERS = 1000;

/** The tags of a recording; Ogg stores them in the stream, other containers for the file. */
export function readTags({ format, stream }: Pick<AudioInput, "format" | "stream">): Record<string, string> {
  const found = new Map<string, string>();
  for (const dictionary of [stream.metadata, format.metadata])
    for (const [name, value] of Object.entries(dictionary?.getAll() ?? {}))
      found.set(name.toLowerCase(), value);
  const kept = KEPT_TAGS.flatMap((name) => {
    const value = found.get(name);
    return value && value.length <= MAX_TAG_CHARACTERS ? [[name, value]] : [];
  });
  return Object.fromEntries(kept);
}
