import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as letOthers } from "node:timers/promises";
import { release } from "../dsp/release.ts";
import type { FrameSource } from "../dsp/sources/frame-source.ts";
import { isDiskFull } from "../is-disk-full.ts";
import { MediaError } from "../media/index.ts";
import { countChunks, type PreviewShape, toPreviewShape } from "./preview-shape.ts";
import { type PreviewStep, PreviewTrackWriter } from "./preview-track-writer.ts";

export type PreviewRequest = {
  /** How many chunks of each track are stored; later ones from an earlier run are made again. */
  storedChunks: Record<string, number>;
};

export type PreviewNews =
  | ({ kind: "step" } & PreviewStep)
  /** No more previews will come; the work itself continues. */
  | { kind: "failed"; message: string; isDiskFull: boolean };

export const INPUT_TRACK = "input";

/** Tracks whose frames come from one read: the planes of each, in order. */
export type PreviewReader = {
  tracks: string[];
  whenReadable(endFrame: number): Promise<void>;
  /** Opened once the first frames can be read. */
  open(): { read(startFrame: number, lengthFrames: number): Float32Array[][] } & Disposable;
};

/** False if there will never be that many frames: their pass has failed and reports that itself. */
const isReadable = (reader: PreviewReader, endFrame: number) =>
  reader.whenReadable(endFrame).then(
    () => true,
    () => false,
  );

/**
 * Writes previews alongside the passes, chunk by chunk as frames become final, and yields to the event loop between chunks. If that fails there are no
 * further previews, but nothing else is affected.
 */
export class PreviewWriter {
  readonly #folder: string;
  readonly #shape: PreviewShape;
  readonly #request: PreviewRequest;
  readonly #report: (news: PreviewNews) => void;
  readonly #writings = new Map<string, Promise<void>>();
  #isOver = false;

  constructor(options: {
    request: PreviewRequest;
    workDir: string;
    input: FrameSource;
    report: (news: PreviewNews) => void;
  }) {
    this.#folder = join(options.workDir, "previews");
    this.#shape = toPreviewShape(options.input);
    this.#request = options.request;
    this.#report = options.report;
    const out = join(this.#folder, "out");
    rmSync(out, { recursive: true, force: true });
    mkdirSync(out, { recursive: true, mode: 0o700 });
    this.follow(INPUT_TRACK, {
      tracks: [INPUT_TRACK],
      whenReadable: async () => {},
      open: () => ({
        read: (start, length) => [options.input.read(start, length)],
        [Symbol.dispose]: () => {},
      }),
    });
  }

  /** Starts writing the tracks of a target. */
  follow(key: string, reader: PreviewReader): void {
    const writing = this.#write(reader).catch((error: unknown) => {
      if (this.#isOver) return;
      this.#isOver = true;
      const message = error instanceof Error ? error.message : String(error);
      const isForDisk = isDiskFull(error) || (error instanceof MediaError && error.kind === "disk-full");
      this.#report({ kind: "failed", message, isDiskFull: isForDisk });
    });
    this.#writings.set(key, writing);
  }

  /** Resolves when the tracks of a target and of the input are written or have failed. */
  async whenWritten(key: string): Promise<void> {
    await Promise.all([this.#writings.get(INPUT_TRACK), this.#writings.get(key)]);
  }

  /** Stops: the sources are about to be closed. */
  stop(): void {
    this.#isOver = true;
  }

  async whenAllWritten(): Promise<void> {
    await Promise.all(this.#writings.values());
  }

  async #write(reader: PreviewReader): Promise<void> {
    const { chunkFrames, lengthFrames } = this.#shape;
    const tracks = reader.tracks.map((track) => this.#makeTrack(track));
    const chunkCount = countChunks(this.#shape);
    const nextChunk = () => Math.min(...tracks.map((track) => track.nextChunk));
    if (nextChunk() >= chunkCount) return;
    if (!(await isReadable(reader, 0))) return;
    using frames = reader.open();
    for (let chunk = nextChunk(); chunk < chunkCount; chunk++) {
      const start = chunk * chunkFrames;
      const length = Math.min(chunkFrames, lengthFrames - start);
      if (!(await isReadable(reader, start + length))) return;
      await letOthers();
      if (this.#isOver) return;
      const planes = frames.read(start, length);
      tracks.forEach((track, index) => {
        if (track.nextChunk === chunk) track.write(planes[index] ?? []);
      });
      release(planes.flat());
    }
  }

  #makeTrack(track: string): PreviewTrackWriter {
    return new PreviewTrackWriter({
      track,
      shape: this.#shape,
      folder: this.#folder,
      storedChunks: this.#request.storedChunks[track] ?? 0,
      report: (step) => this.#report({ kind: "step", ...step }),
    });
  }
}
