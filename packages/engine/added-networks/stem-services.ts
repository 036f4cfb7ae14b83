import type { StemService } from "../manifests/manifest.ts";

/** Names that training code gives stems, without case, spaces, hyphens and underscores, and the catalogue's model for each. */
const MODELS: Readonly<Record<string, string>> = {
  ...sameModel("vocals", ["vocals", "vocal", "voice", "singing"]),
  ...sameModel("instrumental", ["instrumental", "instrum", "inst", "novocals", "accompaniment"]),
  ...sameModel("drums", ["drums"]),
  ...sameModel("bass", ["bass"]),
  ...sameModel("guitar", ["guitar", "guitars"]),
  ...sameModel("piano", ["piano"]),
  ...sameModel("keys", ["keys", "keyboards"]),
  ...sameModel("vocals_lead", ["karaoke", "lead", "leadvocals"]),
  ...sameModel("vocals_backing", ["back", "backing", "backvocals", "backingvocals", "bv"]),
  ...sameModel("speech_dereverb", ["noreverb", "dry", "noecho"]),
  ...sameModel("speech_denoise", ["denoised", "denoise", "nonoise", "clean"]),
  ...sameModel("dialogue", ["speech", "dialog", "dialogue", "foreground"]),
  ...sameModel("effects", ["effects", "sfx", "fx"]),
  ...sameModel("guitar_acoustic", ["acousticguitar"]),
  ...sameModel("guitar_electric", ["electricguitar"]),
  ...sameModel("strings", ["strings", "bowedstrings"]),
  ...sameModel("wind", ["wind", "woodwind", "brass"]),
};

/** What is left when the only stem of a network is taken away. */
const COMPLEMENTS: Readonly<Record<string, string>> = { vocals: "instrumental", instrumental: "vocals" };

function sameModel(model: string, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, model]));
}

const simplify = (name: string) => name.toLowerCase().replace(/[-_\s]/g, "");

/** What the network's stems serve: models of the catalogue by name and synonym, and models under their own names for all others. */
export function listStemServices(stems: readonly string[], fileName: string): StemService[] {
  const services: StemService[] = [];
  for (const stem of stems) {
    const model = toModel(stem, stems, fileName);
    if (!services.some((service) => service.model === model))
      services.push({ model, stem: [stem], variants: [] });
  }
  const [only] = services;
  const rest = stems.length === 1 && only ? COMPLEMENTS[only.model] : undefined;
  return rest === undefined ? services : [...services, { model: rest, without: [...stems], variants: [] }];
}

function toModel(stem: string, stems: readonly string[], fileName: string): string {
  const name = simplify(stem);
  const others = stems.filter((other) => other !== stem).map((other) => MODELS[simplify(other)]);
  if (name === "other") return others.length === 1 && others[0] === "vocals" ? "instrumental" : "other";
  if (name === "music") return others.includes("dialogue") ? "music_fx" : "music";
  // Denoising files call their stem "dry" as dereverberating ones do.
  if (name === "dry" && /denois/i.test(fileName)) return "speech_denoise";
  return (Object.hasOwn(MODELS, name) ? MODELS[name] : undefined) ?? stem;
}

/** `MODEL=STEM`, or `MODEL=-STEM` for the input without the stem; takes the place of what was found for that model. */
export function overruleServices(
  services: readonly StemService[],
  given: readonly StemService[],
): StemService[] {
  const models = given.map(({ model }) => model);
  return [...given, ...services.filter(({ model }) => !models.includes(model))];
}
