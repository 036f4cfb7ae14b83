/** Collapses line breaks and white space to single spaces. */
export function toOneRow(text: string): string {
  return text.replace(/\s+/gu, " ");
}
