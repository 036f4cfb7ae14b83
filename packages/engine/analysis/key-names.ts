const SHARPS = ["C", "C#", "D", "D#", "E", "F", "F#", "G", "G#", "A", "A#", "B"];
const FLATS = ["C", "Db", "D", "Eb", "E", "F", "Gb", "G", "Ab", "A", "Bb", "B"];
/** Tonics of major keys that are written with flats: F, Bb, Eb, Ab, Db. Their relative minors are, too. */
const FLAT_TONICS = new Set([5, 10, 3, 8, 1]);

/** 0 to 11 are major keys from C, 12 to 23 minor ones. */
const toRelativeMajor = (key: number) => (key < 12 ? key : (key - 12 + 3) % 12);

/** The note's name as the key spells it; sharps without a key. */
export function spellNote(note: number, key: number | undefined): string {
  const hasFlats = key !== undefined && FLAT_TONICS.has(toRelativeMajor(key));
  return (hasFlats ? FLATS : SHARPS)[note % 12]!;
}

export const spellKey = (key: number) => `${spellNote(key % 12, key)} ${key < 12 ? "major" : "minor"}`;
