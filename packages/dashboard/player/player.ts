import { signal } from "@preact/signals";
import { ConnectionError } from "@stemwright/sdk";
import { ChunkStore, type DecodedPiece } from "./chunk-store.ts";
import { LevelMeter, type Levels } from "./level-meter.ts";
import { connectLimited } from "./limiter.ts";
import { extendMix, findGain, listNullSet, type Mix, makeMix, makeNullGains } from "./mix.ts";
import { countReadyFrames, type PlayablePreviews, type PreviewSource } from "./preview-source.ts";
import { type Level, ScheduledSpan } from "./scheduled-span.ts";

export type PlayerState = "stopped" | "waiting" | "playing";
export type Loop = { start: number; end: number };

/** How far ahead audio is scheduled; hidden tabs run timers once a second. */
const AHEAD_SECONDS = 4;
const TICK_MS = 100;
/** Time between scheduling and playback; starting all tracks must take less. */
const LEAD_SECONDS = 0.06;
/** Decoded and scheduled at a time: a seek waits for this much of each track, not for the three seconds of a chunk. */
const PIECE_FRAMES = 32_768;

/**
 * Plays all tracks in sync to the sample: one context at the recording's own rate, a node per piece and track, each started at an exact frame of the
 * context. A timer schedules ahead, since hidden tabs get no animation frames.
 */
export class Player {
  readonly state = signal<PlayerState>("stopped");
  readonly mix = signal<Mix>({});
  readonly loop = signal<Loop | null>(null);
  readonly isNulling = signal(false);
  readonly context: AudioContext;
  readonly #source: PreviewSource;
  readonly #onError: (error: unknown) => void;
  readonly #store: ChunkStore;
  /** The mix, before the limiter in front of the loudspeakers. */
  readonly output: GainNode;
  readonly #meter: LevelMeter;
  #previews: PlayablePreviews;
  #scheduled: ScheduledSpan[] = [];
  /** The next frame to schedule, in the recording and in the context. */
  #cursor = { frame: 0, contextFrame: 0 };
  #timer: ReturnType<typeof setInterval> | undefined;
  /** Number of the latest start; a load that belongs to an earlier one is ignored. */
  #run = 0;
  #fillingRun: number | undefined;

  constructor(source: PreviewSource, previews: PlayablePreviews, onError: (error: unknown) => void) {
    this.#onError = onError;
    this.#previews = previews;
    this.context = new AudioContext({ sampleRate: previews.sampleRate, latencyHint: "playback" });
    this.#source = source;
    this.#store = this.openStore();
    this.output = this.context.createGain();
    this.#meter = new LevelMeter(this.output);
    connectLimited(this.output, this.context.destination);
    this.mix.value = makeMix(previews);
  }

  /** A separate store, e.g. for exports: a seek aborts the requests of the player's own. */
  openStore(): ChunkStore {
    return new ChunkStore(this.#source, (flac) => this.context.decodeAudioData(flac));
  }

  /** Newer state of the same previews. */
  setPreviews(previews: PlayablePreviews): void {
    const before = this.#previews;
    this.#previews = previews;
    if (previews.tracks.every(({ id }) => id in this.mix.peek())) return;
    this.setMix(extendMix(this.mix.peek(), { before, now: previews }));
    // Spans already scheduled lack the new tracks.
    this.seek(this.position);
  }

  setMix(mix: Mix): void {
    this.mix.value = mix;
    this.#applyLevels();
  }

  setNulling(isNulling: boolean): void {
    this.isNulling.value = isNulling && listNullSet(this.#previews).length > 0;
    this.#applyLevels();
  }

  setLoop(loop: Loop | null): void {
    this.loop.value = loop;
    const { position } = this;
    if (this.state.value !== "stopped") this.seek(loop && position >= loop.end ? loop.start : position);
    else if (loop) this.#cursor.frame = loop.start;
  }

  async play(): Promise<void> {
    if (this.state.value !== "stopped") return;
    await this.context.resume();
    this.#start(this.#cursor.frame >= this.#previews.frames ? 0 : this.#cursor.frame);
  }

  pause(): void {
    const frame = this.position;
    this.#halt();
    this.#cursor.frame = frame;
    this.state.value = "stopped";
  }

  seek(frame: number): void {
    const to = Math.max(0, Math.min(this.#previews.frames - 1, Math.round(frame)));
    if (this.state.value === "stopped") {
      this.#cursor.frame = to;
      return;
    }
    this.#start(to);
  }

  /** The frame being played. */
  get position(): number {
    const now = Math.round(this.context.currentTime * this.#previews.sampleRate);
    const heard = this.#scheduled.findLast(({ contextFrame }) => contextFrame <= now);
    if (heard) return Math.min(heard.frame + heard.length, heard.frame + now - heard.contextFrame);
    return this.#scheduled[0]?.frame ?? this.#cursor.frame;
  }

  /** Position minus the output latency. */
  get audibleSeconds(): number {
    const delay = this.state.peek() === "playing" ? this.context.outputLatency || 0 : 0;
    return Math.max(0, this.position / this.#previews.sampleRate - delay);
  }

  /** Of the mix that was rendered last, before the limiter. */
  measureLevels(): Levels {
    return this.#meter.measure();
  }

  async close(): Promise<void> {
    this.#halt();
    await this.context.close();
  }

  #applyLevels(): void {
    const findLevel = this.#makeLevels();
    for (const span of this.#scheduled) span.setLevels(findLevel);
  }

  #makeLevels(): (id: string) => Level {
    const mix = this.mix.peek();
    if (!this.isNulling.peek()) return (id) => ({ gain: findGain(mix, id), pan: mix[id]?.pan ?? 0 });
    const nullGains = makeNullGains(this.#previews);
    return (id) => ({ gain: nullGains[id] ?? 0, pan: 0 });
  }

  #halt(): void {
    this.#run += 1;
    clearInterval(this.#timer);
    this.#silence();
  }

  #silence(): void {
    for (const span of this.#scheduled) span.close();
    this.#scheduled = [];
  }

  #start(frame: number): void {
    this.#halt();
    this.#store.keepLoading(Math.floor(frame / this.#previews.chunkFrames));
    this.state.value = "waiting";
    this.#cursor = { frame, contextFrame: 0 };
    this.#timer = setInterval(() => void this.#fill(), TICK_MS);
    void this.#fill();
  }

  async #fill(): Promise<void> {
    const run = this.#run;
    if (this.#fillingRun === run) return;
    this.#fillingRun = run;
    try {
      while (run === this.#run && this.#needsMore()) {
        const place = { frame: this.#cursor.frame, lengthFrames: PIECE_FRAMES };
        const piece = await this.#store.load(this.#previews, place);
        if (run !== this.#run) break;
        if (!piece) {
          this.#waitIfDry();
          break;
        }
        this.#schedule(piece);
      }
      if (run === this.#run) this.#forgetHeard();
    } catch (error) {
      // Errors of an aborted load are expected.
      if (run === this.#run) this.#fail(error);
    } finally {
      if (this.#fillingRun === run) this.#fillingRun = undefined;
    }
  }

  get #nowFrame(): number {
    return Math.round(this.context.currentTime * this.#previews.sampleRate);
  }

  #needsMore(): boolean {
    if (this.#cursor.frame >= this.#previews.frames) return false;
    const aheadFrames = this.#cursor.contextFrame - this.#nowFrame;
    return this.#scheduled.length === 0 || aheadFrames < AHEAD_SECONDS * this.#previews.sampleRate;
  }

  /** Without a connection the next tick retries; after any other error there is nothing to wait for. */
  #fail(error: unknown): void {
    if (error instanceof ConnectionError) {
      this.#waitIfDry();
      return;
    }
    this.pause();
    this.#onError(error);
  }

  #waitIfDry(): void {
    if (this.#cursor.contextFrame > this.#nowFrame) return;
    this.#silence();
    this.state.value = "waiting";
  }

  /** The piece from the cursor on, or up to the loop's end. */
  #schedule(piece: DecodedPiece): void {
    const { frame } = this.#cursor;
    const loop = this.loop.value;
    const isInLoop = loop !== null && frame < loop.end;
    const end = isInLoop ? Math.min(piece.end, loop.end) : piece.end;
    const length = end - frame;
    const offset = frame - piece.start;
    const sounds = new Map([...piece.sounds].map(([id, sound]) => [id, this.#cut(sound, offset, length)]));
    const span = this.#startInTime(sounds, { frame, length });
    this.#scheduled.push(span);
    const next = isInLoop && end === loop.end ? loop.start : end;
    this.#cursor = { frame: next, contextFrame: span.endFrame };
    this.state.value = "playing";
  }

  /** Continues exactly where the last span ends or, if that has passed, as soon as all tracks can be started together. */
  #startInTime(
    sounds: ReadonlyMap<string, AudioBuffer>,
    place: { frame: number; length: number },
  ): ScheduledSpan {
    for (let leadSeconds = LEAD_SECONDS; ; leadSeconds *= 2) {
      const span = new ScheduledSpan(this.output, sounds, place);
      span.setLevels(this.#makeLevels());
      const now = this.#nowFrame;
      const earliest = now + Math.ceil(leadSeconds * this.#previews.sampleRate);
      if (span.start(this.#cursor.contextFrame > now ? this.#cursor.contextFrame : earliest)) return span;
      span.close();
    }
  }

  /** Copies, since offsets in seconds are not always whole frames. */
  #cut(sound: AudioBuffer, from: number, length: number): AudioBuffer {
    if (from === 0 && length === sound.length) return sound;
    const cut = this.context.createBuffer(sound.numberOfChannels, length, sound.sampleRate);
    for (let channel = 0; channel < sound.numberOfChannels; channel++)
      cut.copyToChannel(sound.getChannelData(channel).subarray(from, from + length), channel);
    return cut;
  }

  #forgetHeard(): void {
    const now = this.#nowFrame;
    const isHeard = ({ endFrame }: ScheduledSpan, n: number) =>
      endFrame <= now && n < this.#scheduled.length - 1;
    for (const span of this.#scheduled.filter(isHeard)) span.close();
    this.#scheduled = this.#scheduled.filter((span, n) => !isHeard(span, n));
    const isAtEnd = this.#cursor.frame >= this.#previews.frames && this.#cursor.contextFrame <= now;
    if (!isAtEnd || countReadyFrames(this.#previews) < this.#previews.frames) return;
    this.#halt();
    this.#cursor.frame = 0;
    this.state.value = "stopped";
  }
}
