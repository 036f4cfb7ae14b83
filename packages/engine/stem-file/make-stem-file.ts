import { type FileHandle, open, rm } from "node:fs/promises";
import { join } from "node:path";
import { interleave } from "../dsp/interleave.ts";
import { release } from "../dsp/release.ts";
import type { FrameSource } from "../dsp/sources/frame-source.ts";
import { PcmFileSource } from "../files/pcm-file-source.ts";
import { decodeToPcm, MediaError, openEncoder } from "../media/index.ts";
import { type JoinedTrack, joinTracks } from "./join-tracks.ts";
import { BOX_HEADER_BYTES, LARGE_BOX_HEADER_BYTES, makeBox, readBoxHeader } from "./mp4-box.ts";
import { makeStemMetadata, STEM_COUNT } from "./stem-metadata.ts";
import { addSources, makeRest, skipFrames, toStereo } from "./stem-sources.ts";

/** `leadSeconds` of silence precede what is in the recording. */
type StemTrack = { name: string; path: string; leadSeconds?: number };

export type StemFileRequest = {
  /** The whole recording; without it, the mix is the sum of the stems. */
  mixPath?: string;
  /** One to four. If there are fewer, the next track is the rest of the mix, and the others are silent. */
  stems: readonly StemTrack[];
  /** An empty folder; takes about a gigabyte per half hour of each track. */
  workDir: string;
  maxDurationSeconds: number;
  /** Runs what keeps a core busy; sending the file is not part of it. */
  inTurn?: <Result>(work: () => Promise<Result>) => Promise<Result>;
};

const REST_NAME = "Rest";
const SILENCE_NAME = "Silence";
const BLOCK_FRAMES = 1 << 15;
const COPY_BYTES = 1 << 20;
const MAX_CHANNELS = 2;
const FILE_TYPE = makeBox("ftyp", Buffer.from("M4A \0\0\x02\0M4A mp42isom"));

type Track = { name: string; source: FrameSource };

/**
 * A file for DJ software (`.stem.mp4`): the mix, then four stems that add up to it, as AAC, with a `stem` box that names them. Yields track by track as
 * they are encoded, so that the download can start before the last one; `moov`, the index, comes at the end.
 */
export async function* makeStemFile(request: StemFileRequest): AsyncGenerator<Uint8Array> {
  const opened: PcmFileSource[] = [];
  const { inTurn = (work) => work() } = request;
  try {
    const { mix, stems, tags } = await inTurn(() => openSources(request, opened));
    const tracks = [{ name: "Mix", source: mix }, ...fillTracks(mix, stems)];
    yield FILE_TYPE;
    const joined: JoinedTrack[] = [];
    let writtenBytes = FILE_TYPE.length;
    for (const [index, { source }] of tracks.entries()) {
      const path = join(request.workDir, `${index}.m4a`);
      await inTurn(() => encode(source, path, index === 0 ? tags : {}));
      const file = await open(path);
      try {
        const { mdat, moov } = await readParts(file);
        joined.push({ moov, shiftBytes: writtenBytes - mdat.startByte });
        for await (const bytes of readBytes(file, mdat)) yield bytes;
        writtenBytes += mdat.sizeBytes;
      } finally {
        await file.close();
        await rm(path, { force: true });
      }
    }
    yield joinTracks(joined, makeStemMetadata(tracks.slice(1).map(({ name }) => name)));
  } finally {
    for (const source of opened) source[Symbol.dispose]();
  }
}

async function openSources(
  { mixPath, stems, workDir, maxDurationSeconds }: StemFileRequest,
  opened: PcmFileSource[],
) {
  const decode = async (inputPath: string, name: string) => {
    const pcmPath = join(workDir, `${name}.pcm`);
    const info = await decodeToPcm({ inputPath, pcmPath, maxDurationSeconds });
    if (info.channels > MAX_CHANNELS)
      throw new MediaError(
        "encode-failed",
        `A stem file holds stereo sound; this has ${info.channels} channels.`,
      );
    const source = new PcmFileSource(pcmPath, info);
    opened.push(source);
    return { info, source };
  };
  const whole = mixPath === undefined ? undefined : await decode(mixPath, "mix");
  const parts = [];
  for (const [index, { path, leadSeconds = 0 }] of stems.entries()) {
    const { info, source } = await decode(path, `stem-${index}`);
    parts.push({ info, source: skipFrames(source, Math.round(leadSeconds * source.sampleRateHz)) });
  }
  const first = whole ?? parts[0];
  if (!first) throw new Error("a stem file needs at least one stem");
  const { sampleRateHz } = first.source;
  const lengthFrames =
    whole?.source.lengthFrames ?? Math.max(...parts.map(({ source }) => source.lengthFrames));
  const shape = { sampleRateHz, lengthFrames };
  const tracks = parts.map(({ source }, index) => ({
    name: stems[index]?.name ?? "",
    source: toStereo(source, shape),
  }));
  const mix = whole
    ? toStereo(whole.source, shape)
    : addSources(
        tracks.map(({ source }) => source),
        shape,
      );
  return { mix, stems: tracks, tags: first.info.tags ?? {} };
}

/** Adds tracks up to the number the format requires. */
function fillTracks(mix: FrameSource, stems: readonly Track[]): Track[] {
  if (stems.length >= STEM_COUNT) return stems.slice(0, STEM_COUNT);
  const rest = {
    name: REST_NAME,
    source: makeRest(
      mix,
      stems.map(({ source }) => source),
    ),
  };
  const silence = { name: SILENCE_NAME, source: addSources([], mix) };
  return [...stems, rest, silence, silence].slice(0, STEM_COUNT);
}

async function encode(source: FrameSource, path: string, tags: Record<string, string>): Promise<void> {
  const { sampleRateHz, channels, lengthFrames } = source;
  const files = [{ path, format: "m4a" as const }];
  const encoder = await openEncoder({ sampleRateHz, channels, channelLayout: "stereo", files, tags });
  try {
    for (let start = 0; start < lengthFrames; start += BLOCK_FRAMES) {
      const planes = source.read(start, Math.min(BLOCK_FRAMES, lengthFrames - start));
      const block = interleave(planes);
      await encoder.write(block);
      release([block, ...planes]);
    }
    await encoder.finish();
  } catch (error) {
    await encoder.abort();
    throw error;
  }
}

type Part = { startByte: number; sizeBytes: number };

/** The byte range of a file's audio, and the box that describes it. */
async function readParts(file: FileHandle): Promise<{ mdat: Part; moov: Buffer }> {
  const { size } = await file.stat();
  let mdat: Part | undefined;
  let moov: Buffer | undefined;
  for (let at = 0; at < size; ) {
    const header = Buffer.alloc(LARGE_BOX_HEADER_BYTES);
    await file.read(header, 0, Math.min(header.length, size - at), at);
    const { type, sizeBytes, headerBytes } = readBoxHeader(header);
    if (type === "mdat") mdat = { startByte: at, sizeBytes };
    if (type === "moov") {
      moov = Buffer.alloc(sizeBytes - headerBytes);
      await file.read(moov, 0, moov.length, at + headerBytes);
    }
    at += Math.max(BOX_HEADER_BYTES, sizeBytes);
  }
  if (!mdat || !moov) throw new Error("an encoded file has no audio");
  return { mdat, moov };
}

async function* readBytes(file: FileHandle, { startByte, sizeBytes }: Part): AsyncGenerator<Uint8Array> {
  for (let done = 0; done < sizeBytes; ) {
    const block = Buffer.alloc(Math.min(COPY_BYTES, sizeBytes - done));
    const { bytesRead } = await file.read(block, 0, block.length, startByte + done);
    if (bytesRead === 0) throw new Error("an encoded file is shorter than its headers say");
    yield block.subarray(0, bytesRead);
    done += bytesRead;
  }
}
