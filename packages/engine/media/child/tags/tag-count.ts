import { MediaError } from "../../media-error.ts";

/** FFmpeg looks through all earlier tags for each: 2,000 take a tenth of a second, 40,000 a minute. Real files have up to a few hundred. */
export const MAX_TAGS = 2000;
/** Without pictures. */
export const MAX_TAG_BYTES = 16 * 1024 * 1024;

/** Adds up the tags of a file, and refuses too many. */
export class TagCount {
  #tags = 0;
  #bytes = 0;

  add(sizeBytes: number): void {
    this.#tags += 1;
    this.#bytes += sizeBytes;
    if (this.#tags > MAX_TAGS) throw makeError(`more than ${MAX_TAGS} tags`);
    if (this.#bytes > MAX_TAG_BYTES) throw makeError(`more than ${MAX_TAG_BYTES} bytes of tags`);
  }
}

const makeError = (what: string) =>
  new MediaError(
    "unreadable",
    `The file has ${what}. Remove its tags (title, artist, comments …) and try again.`,
  );
