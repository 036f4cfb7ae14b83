import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { toSampleRate } from "../packages/engine/dsp/resampling/resampled-source.ts";
import { PcmFileSource } from "../packages/engine/files/pcm-file-source.ts";
import { decodeToPcm } from "../packages/engine/media/index.ts";

/** Left and right at 44.1 kHz. */
export type Sound = [Float32Array, Float32Array];

/** A mix and its sources, each as files to be summed, relative to the evaluation folder; `#2` is the third audio stream of a file with several. */
type Piece = { name: string; title: string; mix: string[]; stems: Record<string, string[]> };

/** `doubtful` instruments may be in a track with several: neither their presence nor their absence can be scored. */
type InstrumentPiece = Piece & { doubtful?: string[] };

export const SAMPLE_RATE_HZ = 44_100;

const stream = (index: number) => `musdb_falcon69/falcon69.stem.mp4#${index}`;
const band = (name: string) => `wfplaylist/${name}30.mp3`;
const duo = (name: string) => `earlab/${name}.mp3`;
const funk = (name: string) => `mdn/${name}.mp3`;

/** Recordings with references; docs/benchmarks.md says where they come from. */
export const PIECES: Piece[] = [
  {
    name: "musdb30",
    title: "30 s of a MUSDB18 test track",
    mix: ["musdb30/mix.mp3"],
    stems: { vocals: ["musdb30/vocals_true.mp3"], instrumental: ["musdb30/accompaniment_true.mp3"] },
  },
  {
    name: "falcon69",
    title: "6 s of a MUSDB18 track (Falcon 69)",
    mix: [stream(0)],
    stems: {
      vocals: [stream(4)],
      instrumental: [stream(1), stream(2), stream(3)],
      drums: [stream(1)],
      bass: [stream(2)],
      other: [stream(3)],
    },
  },
  {
    name: "wfplaylist",
    title: "30 s of a band, mixed from its tracks",
    mix: ["BassDrums", "Guitar", "PianoSynth", "Vocals"].map(band),
    stems: {
      vocals: [band("Vocals")],
      instrumental: ["BassDrums", "Guitar", "PianoSynth"].map(band),
      other: ["Guitar", "PianoSynth"].map(band),
    },
  },
  {
    name: "earlab",
    title: "22 s of a duo with guitar, mixed from its tracks",
    mix: ["vocal", "bg-vocals", "bass", "acoustic-guitar"].map(duo),
    stems: {
      vocals: ["vocal", "bg-vocals"].map(duo),
      instrumental: ["bass", "acoustic-guitar"].map(duo),
      bass: [duo("bass")],
      other: [duo("acoustic-guitar")],
    },
  },
  {
    name: "mdn",
    title: "83 s of a funk band, mixed from its tracks",
    mix: ["bassguitar", "clav", "drums", "horns", "leadguitar"].map(funk),
    stems: {
      drums: [funk("drums")],
      bass: [funk("bassguitar")],
      other: ["clav", "horns", "leadguitar"].map(funk),
    },
  },
];

const saxophone = (take: string, name: string) => `filosax/${take}/${name}.wav`;

/** Recordings whose tracks are single instruments of the `other` stem. */
export const INSTRUMENT_PIECES: InstrumentPiece[] = [
  {
    name: "mdn",
    title: "funk band",
    mix: ["bassguitar", "clav", "drums", "horns", "leadguitar"].map(funk),
    stems: {
      guitar: [funk("leadguitar")],
      guitar_electric: [funk("leadguitar")],
      keys: [funk("clav")],
      wind: [funk("horns")],
    },
  },
  {
    name: "wfplaylist",
    title: "pop song",
    mix: ["BassDrums", "Guitar", "PianoSynth", "Vocals"].map(band),
    stems: { guitar: [band("Guitar")], guitar_electric: [band("Guitar")], piano: [band("PianoSynth")] },
    doubtful: ["keys"],
  },
  {
    name: "earlab",
    title: "singer with acoustic guitar",
    mix: ["vocal", "bg-vocals", "bass", "acoustic-guitar"].map(duo),
    stems: { guitar: [duo("acoustic-guitar")], guitar_acoustic: [duo("acoustic-guitar")] },
  },
  {
    name: "fof-feelings",
    title: "metal song",
    mix: ["fof-feelings/guitar.ogg", "fof-feelings/song.ogg"],
    stems: { guitar: ["fof-feelings/guitar.ogg"], guitar_electric: ["fof-feelings/guitar.ogg"] },
    // The song is one track, and its spectrogram shows something like strings.
    doubtful: ["guitar_acoustic", "piano", "keys", "strings", "wind"],
  },
  ...["Participant1_01", "Participant1_02", "Participant2_01", "Participant2_02"].flatMap((take, n) =>
    ["Piano_Drums", "Bass_Drums"].map((backing) => ({
      name: `${take}-${backing}`,
      title: `saxophone ${n + 1} over ${backing.replace("_", " and ").toLowerCase()}`,
      mix: [saxophone(take, "Sax"), saxophone(take, backing)],
      stems: { wind: [saxophone(take, "Sax")] },
      doubtful: backing === "Piano_Drums" ? ["piano"] : [],
    })),
  ),
  {
    name: "ensemble",
    title: "two violins",
    mix: ["ensemble/VIOLINS_MIX.mp3"],
    stems: { strings: ["ensemble/VIOLINS_MIX.mp3"] },
  },
];

/** Peak of a mix in the 16-bit file given to the programs. */
const HEADROOM = 0.98;

/** A piece's mix and references. A sum of stems may far exceed full scale, so all of them are scaled down together. */
export async function loadPiece(
  folder: string,
  piece: Piece,
): Promise<{ mix: Sound; references: Map<string, Sound> }> {
  const mix = await loadSum(folder, piece.mix);
  const peak = Math.max(...mix.map((plane) => plane.reduce((a, b) => Math.max(a, Math.abs(b)), 0)));
  const gain = Math.min(1, HEADROOM / peak);
  const references = new Map<string, Sound>();
  for (const [stem, files] of Object.entries(piece.stems)) {
    references.set(stem, scale(await loadSum(folder, files), gain));
  }
  return { mix: scale(mix, gain), references };
}

function scale([left, right]: Sound, gain: number): Sound {
  return [left.map((value) => value * gain), right.map((value) => value * gain)];
}

async function loadSum(folder: string, files: readonly string[]): Promise<Sound> {
  const sounds: Sound[] = [];
  for (const file of files) sounds.push(await loadSound(join(folder, file)));
  const length = Math.max(...sounds.map((sound) => sound[0].length));
  const sum: Sound = [new Float32Array(length), new Float32Array(length)];
  for (const sound of sounds) {
    sound.forEach((plane, channel) => {
      plane.forEach((value, n) => {
        const target = sum[channel === 0 ? 0 : 1];
        target[n] = (target[n] ?? 0) + value;
      });
    });
  }
  return sum;
}

export async function loadSound(path: string): Promise<Sound> {
  const folder = mkdtempSync(join(tmpdir(), "stemwright-bench-"));
  try {
    const pcmPath = join(folder, "sound.f32");
    const info = await decodeToPcm({ inputPath: isolateStream(path, folder), pcmPath });
    using file = new PcmFileSource(pcmPath, info);
    const source = toSampleRate(file, { sampleRateHz: SAMPLE_RATE_HZ });
    const [left = new Float32Array(0), right = left] = source.read(0, source.lengthFrames);
    return [left, right];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Our decoder takes the best stream of a file; the others are extracted with the machine's ffmpeg. */
function isolateStream(path: string, folder: string): string {
  const [, file, index] = /^(.*)#(\d+)$/.exec(path) ?? [];
  if (file === undefined) return path;
  const isolated = join(folder, "stream.wav");
  execFileSync("ffmpeg", ["-v", "error", "-i", file, "-map", `0:a:${index}`, "-c:a", "pcm_f32le", isolated]);
  return isolated;
}
