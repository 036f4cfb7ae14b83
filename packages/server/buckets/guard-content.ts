import { PassThrough, pipeline, type Readable } from "node:stream";
import { BucketError } from "../domain/storage/bucket.ts";
import { limitSlowness, SLOWEST } from "../streams/limit-slowness.ts";
import { toBucketError } from "./to-bucket-error.ts";

/** An object's content, whose reader gets only BucketErrors, also if it is sent too slowly. */
export function guardContent(content: Readable): Readable {
  const tooSlow = () => new BucketError("failed", "it is sent too slowly", { isTransient: true });
  const guarded = new PassThrough({
    destroy(error, done) {
      done(error && toBucketError(error));
    },
  });
  return pipeline(content, limitSlowness(SLOWEST, tooSlow), guarded, () => {});
}
