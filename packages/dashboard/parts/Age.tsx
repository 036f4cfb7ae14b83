import { formatAge, formatDateTime } from "./format.ts";

/** How long ago something was, with the exact time on hover. */
export function Age({ at }: { at: string }) {
  return (
    <time dateTime={at} title={formatDateTime(at)}>
      {formatAge(at)}
    </time>
  );
}
