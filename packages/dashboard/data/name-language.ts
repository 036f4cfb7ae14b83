const names = new Intl.DisplayNames(["en"], { type: "language" });

/** `German (de)`. */
export function nameLanguage(code: string): string {
  const name = names.of(code);
  return name === undefined || name === code ? code : `${name} (${code})`;
}
