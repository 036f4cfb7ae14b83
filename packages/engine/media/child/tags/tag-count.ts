import { MediaError } from "../../media-error.ts";

/** FFmpeg looks through all earlier tags for each: 2,000 take a tenth of a second, 40,000 a minute. Real files have up to a few hundred. */
export const TAGS_MAX = 2000;
/** Without pictures. */
export const TAG_BYTES_MAX = 16 * 1024 * 1024;

/** Adds up the tags of a file, and refuses too many. */
export class TagCount {
  #tags = 0;
  #bytes = 0;

  add(sizeBytes: number): void {
    this.#tags += 1;
    this.#bytes += sizeBytes;
    if (this.#tags > TAGS_MAX) throw makeError(`more than ${TAGS_MAX} tags`);
    if (this.#bytes > TAG_BYTES_MAX) throw makeError(`more than ${TAG_BYTES_MAX} bytes of tags`);
  }
}

const makeError = (what: string) =>
  new MediaError(
    "unreadable",
    `The file has ${what}. Remove its tags (title, artist, comments …) and try again.`,
  );
