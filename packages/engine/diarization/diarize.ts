import type { FrameSource } from "../dsp/sources/frame-source.ts";
import type { SpeechRegion } from "../networks/silero-vad/speech-regions.ts";
import type { SpeakerEmbedding } from "../networks/voices/speaker-embedding.ts";
import type { SpeakerTurns } from "../networks/voices/speaker-segmentation.ts";
import { VoicePower } from "../networks/voices/voice-power.ts";
import { type Cepstra, ROWS_PER_SECOND, type XVector } from "../networks/x-vector/x-vector.ts";
import { layTurns } from "./assign-speakers.ts";
import { type ExpectedVoices, groupPeople } from "./cluster-embeddings.ts";
import { namePeople } from "./label-clusters.ts";
import { hasSpeech, keepSpeech, markSpeech } from "./mask-non-speech.ts";
import { linkStretches } from "./same-speaker-links.ts";
import { hearWindows, listStretches, type Stretch } from "./segment-speakers.ts";
import { STEPS_PER_SECOND, type Turns, VOICES_MAX } from "./turns.ts";

const ROWS_PER_STEP = ROWS_PER_SECOND / STEPS_PER_SECOND;

export type ListeningNetworks = { turns: SpeakerTurns; speakers: SpeakerEmbedding; xVector: XVector };

/** Speaker diarization of a mono recording at 16 kHz. */
export async function findVoices(
  recording: FrameSource,
  speech: readonly SpeechRegion[],
  options: {
    networks: ListeningNetworks;
    expected: ExpectedVoices;
    onProgress: (fraction: number) => void;
  },
): Promise<Turns> {
  const { networks, expected, onProgress } = options;
  const windows = await hearWindows(recording, speech, {
    turns: networks.turns,
    onProgress: (fraction) => onProgress(fraction / 2),
  });
  const stepCount = Math.ceil((recording.lengthFrames * STEPS_PER_SECOND) / recording.sampleRateHz);
  const isSpeech = markSpeech(speech, { stepCount, sampleRateHz: recording.sampleRateHz });
  // Music that the network for turns takes for a voice is nobody.
  const stretches = windows
    .flatMap(listStretches)
    .filter((stretch) => hasSpeech(stretch, isSpeech))
    .sort((a, b) => a.from - b.from);
  const links = linkStretches(windows, stretches);
  const know = listenTo(recording, networks);
  const heard = [];
  for (const [index, stretch] of stretches.entries()) {
    heard.push({ ...stretch, embedding: await know(stretch), links: links[index]! });
    onProgress((1 + index / stretches.length) / 2);
  }
  const people = groupPeople(heard, { expected, voicesMax: VOICES_MAX });
  const names = namePeople(heard, people);
  const named = stretches.map(({ from, to }, index) => ({ from, to, person: names[index]! }));
  onProgress(1);
  return keepSpeech(layTurns(windows, named, stepCount), isSpeech);
}

/** The speaker embedding of a stretch: both networks' vectors, scaled so that its cosine is the mean of theirs. */
function listenTo(recording: FrameSource, { speakers, xVector }: ListeningNetworks) {
  const power = new VoicePower();
  const cepstra: Cepstra = xVector.analyse(recording);
  return async ({ from, to, isAlone }: Stretch): Promise<Float32Array> => {
    const [firstRow, rows] = [from * ROWS_PER_STEP, (to - from) * ROWS_PER_STEP];
    const isHeard = (row: number) => isAlone[Math.floor(row / ROWS_PER_STEP)] === 1;
    const weights = Float32Array.from({ length: rows }, (_, row) => Number(isHeard(row)));
    const both = [
      await speakers.embed(power.pick(power.read(recording, { firstRow, rows }), isHeard)),
      await xVector.embed(cepstra, firstRow, weights),
    ];
    return Float32Array.from(
      both.flatMap((embedding) => [...embedding]),
      (value) => value * Math.SQRT1_2,
    );
  };
}
