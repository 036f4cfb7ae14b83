import { expect, it } from "vitest";
import { listStemServices, overruleServices } from "./stem-services.ts";

const toText = (stems: string[], fileName = "network.ckpt") =>
  listStemServices(stems, fileName)
    .map(({ model, stem, without }) => `${model}=${stem ?? `-${without}`}`)
    .join(" ");

it.each([
  [["vocals"], "vocals=vocals instrumental=-vocals"],
  [["instrumental"], "instrumental=instrumental vocals=-instrumental"],
  [["vocals", "other"], "vocals=vocals instrumental=other"],
  [["vocals", "instrum"], "vocals=vocals instrumental=instrum"],
  [["drums", "bass", "other", "vocals"], "drums=drums bass=bass other=other vocals=vocals"],
  [["karaoke"], "vocals_lead=karaoke"],
  [["lead_vocals", "back_vocals"], "vocals_lead=lead_vocals vocals_backing=back_vocals"],
  [["kick", "snare", "hh"], "kick=kick snare=snare hh=hh"],
  [["speech", "music", "sfx"], "dialogue=speech music_fx=music effects=sfx"],
  [["noreverb"], "speech_dereverb=noreverb"],
  [["dry"], "speech_dereverb=dry"],
  [["No-Reverb"], "speech_dereverb=No-Reverb"],
])("%j serves %s", (stems, services) => {
  expect(toText(stems)).toBe(services);
});

it("the file's name tells what is dry", () => {
  expect(toText(["dry"], "denoise_mel_band_roformer.ckpt")).toBe("speech_denoise=dry");
});

it("what was given comes first and replaces what was found", () => {
  const given = [{ model: "vocals", stem: ["a"], variants: [] }];
  const found = listStemServices(["vocals", "drums"], "x.ckpt");
  expect(overruleServices(found, given).map(({ model, stem }) => [model, stem])).toEqual([
    ["vocals", ["a"]],
    ["drums", ["drums"]],
  ]);
});
