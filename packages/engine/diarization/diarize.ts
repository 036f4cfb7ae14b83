import type { FrameSource } from "../dsp/sources/frame-source.ts";
import type { SpeechRegion } from "../networks/silero-vad/speech-regions.ts";
import type { SpeakerNetworks } from "../networks/voice-networks.ts";
import { VoicePower } from "../networks/voices/voice-power.ts";
import { CEPSTRA_PER_SECOND, type Cepstra } from "../networks/x-vector/x-vector.ts";
import { assignSpeakers } from "./assign-speakers.ts";
import { clusterEmbeddings, type ExpectedVoices } from "./cluster-embeddings.ts";
import { labelClusters } from "./label-clusters.ts";
import { hasSpeech, markSpeech, maskNonSpeech } from "./mask-non-speech.ts";
import { linkSameSpeaker } from "./same-speaker-links.ts";
import { listSpeakerSegments, type SpeakerSegment, segmentSpeakers } from "./segment-speakers.ts";
import { MAX_VOICES, STEPS_PER_SECOND, type Turns } from "./turns.ts";

const ROWS_PER_STEP = CEPSTRA_PER_SECOND / STEPS_PER_SECOND;

/** Speaker diarization of a mono recording at 16 kHz. */
export async function diarize(
  recording: FrameSource,
  speech: readonly SpeechRegion[],
  options: {
    networks: SpeakerNetworks;
    expected: ExpectedVoices;
    onProgress: (fraction: number) => void;
  },
): Promise<Turns> {
  const { networks, expected, onProgress } = options;
  const windows = await segmentSpeakers(recording, speech, {
    turns: networks.turns,
    onProgress: (fraction) => onProgress(fraction / 2),
  });
  const stepCount = Math.ceil((recording.lengthFrames * STEPS_PER_SECOND) / recording.sampleRateHz);
  const isSpeech = markSpeech(speech, { stepCount, sampleRateHz: recording.sampleRateHz });
  // Music that the network for turns takes for a voice is nobody.
  const segments = windows
    .flatMap(listSpeakerSegments)
    .filter((segment) => hasSpeech(segment, isSpeech))
    .sort((a, b) => a.from - b.from);
  const links = linkSameSpeaker(windows, segments);
  const embed = makeEmbedder(recording, networks);
  const embedded = [];
  for (const [index, segment] of segments.entries()) {
    embedded.push({ ...segment, embedding: await embed(segment), links: links[index]! });
    onProgress((1 + index / segments.length) / 2);
  }
  const clusters = clusterEmbeddings(embedded, { expected, voicesMax: MAX_VOICES });
  const labels = labelClusters(embedded, clusters);
  const labelled = segments.map(({ from, to }, index) => ({ from, to, speaker: labels[index]! }));
  onProgress(1);
  return maskNonSpeech(assignSpeakers(windows, labelled, stepCount), isSpeech);
}

/** The speaker embedding of a segment: both networks' vectors, scaled so that its cosine is the mean of theirs. */
function makeEmbedder(recording: FrameSource, { speakers, xVector }: SpeakerNetworks) {
  const power = new VoicePower();
  const cepstra: Cepstra = xVector.analyse(recording);
  return async ({ from, to, isAlone }: SpeakerSegment): Promise<Float32Array> => {
    const [firstRow, rows] = [from * ROWS_PER_STEP, (to - from) * ROWS_PER_STEP];
    const isAloneAt = (row: number) => isAlone[Math.floor(row / ROWS_PER_STEP)] === 1;
    const weights = Float32Array.from({ length: rows }, (_, row) => Number(isAloneAt(row)));
    const both = [
      await speakers.embed(power.pick(power.read(recording, { firstRow, rows }), isAloneAt)),
      await xVector.embed(cepstra, firstRow, weights),
    ];
    return Float32Array.from(
      both.flatMap((embedding) => [...embedding]),
      (value) => value * Math.SQRT1_2,
    );
  };
}
