export type SectionUnit = { start: number; end: number; vector: Float32Array };
export type Section = { start: number; end: number; label: string };

/** Units (bars, or seconds without a beat) that a boundary is compared over, on each side. */
const KERNEL = 8;
const SECTION_UNITS_MIN = 4;
/** A boundary is where the two sides differ by this share more than units usually do. */
const NOVELTY_MIN = 0.08;
const ALIKE_MIN = 0.86;
const SECTIONS_MAX = 400;

/** Parts between changes of harmony and sound; those alike have the same letter. Units are compared in pairs along the shorter of two parts. */
export function findSections(units: readonly SectionUnit[]): Section[] {
  if (units.length === 0) return [];
  const novelty = units.map((_, at) => measureNovelty(units, at));
  const cuts = [0];
  for (let at = SECTION_UNITS_MIN; at <= units.length - SECTION_UNITS_MIN; at++) {
    const near = novelty.slice(Math.max(0, at - SECTION_UNITS_MIN + 1), at + SECTION_UNITS_MIN);
    const isPeak = novelty[at]! >= NOVELTY_MIN && near.every((value) => value <= novelty[at]!);
    if (isPeak && at - cuts.at(-1)! >= SECTION_UNITS_MIN && cuts.length < SECTIONS_MAX) cuts.push(at);
  }
  const parts = cuts.map((start, index) => units.slice(start, cuts[index + 1]));
  const labels = labelParts(parts);
  return parts.map((part, index) => ({
    start: part[0]!.start,
    end: part.at(-1)!.end,
    label: labels[index]!,
  }));
}

/** How much more alike the units of each side are than those of different sides. */
function measureNovelty(units: readonly SectionUnit[], at: number): number {
  const reach = Math.min(KERNEL, at, units.length - at);
  if (reach < SECTION_UNITS_MIN) return 0;
  let [same, across] = [0, 0];
  for (let a = at - reach; a < at; a++) {
    for (let b = at; b < at + reach; b++) {
      across += toLikeness(units[a]!, units[b]!);
      same += toLikeness(units[a]!, units[b - reach]!) / 2 + toLikeness(units[a + reach]!, units[b]!) / 2;
    }
  }
  return (same - across) / reach ** 2;
}

function labelParts(parts: readonly (readonly SectionUnit[])[]): string[] {
  const known: (readonly SectionUnit[])[] = [];
  return parts.map((part) => {
    let best = known.findIndex((other) => isAlike(part, other));
    if (best < 0) best = known.push(part) - 1;
    return toLabel(best);
  });
}

function isAlike(a: readonly SectionUnit[], b: readonly SectionUnit[]): boolean {
  const length = Math.min(a.length, b.length);
  if (length < 0.5 * Math.max(a.length, b.length)) return false;
  let sum = 0;
  for (let n = 0; n < length; n++) sum += toLikeness(a[n]!, b[n]!);
  return sum / length >= ALIKE_MIN;
}

/** A to Z, then AA. */
function toLabel(index: number): string {
  const letter = String.fromCharCode(65 + (index % 26));
  return index < 26 ? letter : toLabel(Math.floor(index / 26) - 1) + letter;
}

/** The cosine. */
function toLikeness({ vector: a }: SectionUnit, { vector: b }: SectionUnit): number {
  let [product, left, right] = [0, 0, 0];
  for (let n = 0; n < a.length; n++) {
    product += a[n]! * b[n]!;
    left += a[n]! ** 2;
    right += b[n]! ** 2;
  }
  return left > 0 && right > 0 ? product / Math.sqrt(left * right) : left === right ? 1 : 0;
}
