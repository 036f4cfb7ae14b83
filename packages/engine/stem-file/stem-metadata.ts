/** The format requires exactly this many stems. */
export const STEM_COUNT = 4;

/** The Okabe–Ito palette, distinguishable with colour blindness. */
const COLOURS: Readonly<Record<string, string>> = {
  drums: "#009E73",
  bass: "#D55E00",
  other: "#CC79A7",
  vocals: "#56B4E9",
};
const OTHER_COLOURS = ["#E69F00", "#0072B2", "#F0E442", "#999999"];

/** Compressor and limiter that players may apply after the stems; off, with the values of the format's own authoring tool. */
const MASTERING = {
  compressor: {
    enabled: false,
    ratio: 3,
    output_gain: 0.5,
    release: 0.3,
    attack: 0.003,
    input_gain: 0.5,
    threshold: 0,
    hp_cutoff: 300,
    dry_wet: 50,
  },
  limiter: { enabled: false, release: 0.05, threshold: 0, ceiling: -0.35 },
};

/** The JSON of the `stem` box: names the tracks after the first one, in order. */
export function makeStemMetadata(names: readonly string[]): string {
  const stems = names.map((name, index) => ({
    name,
    color: COLOURS[name.toLowerCase()] ?? OTHER_COLOURS[index % OTHER_COLOURS.length],
  }));
  return JSON.stringify({ mastering_dsp: MASTERING, stems, version: 1 });
}
