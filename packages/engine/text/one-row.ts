/** A text on one row: line breaks and runs of white space are single spaces. */
export function toOneRow(text: string): string {
  return text.replace(/\s+/gu, " ");
}
