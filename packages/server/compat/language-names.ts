const names = new Intl.DisplayNames("en", { type: "language" });

/** Where Whisper's name for a language differs from Unicode's. */
const OTHER_NAMES: Record<string, string> = { my: "myanmar", nn: "nynorsk", tl: "tagalog" };

/** A language's English name in lower case, as Whisper uses it. */
export const toLanguageName = (code: string) => OTHER_NAMES[code] ?? (names.of(code) ?? code).toLowerCase();
