import type { Packet } from "node-av/lib";
import type { AudioInput } from "./open-audio-input.ts";

/** Containers whose times are derived by counting packets, so that a packet lost to damage takes its time with it. */
const COUNTED_CONTAINERS: readonly string[] = ["mp3", "aac"];

/** Estimates the time lost to damage in a raw stream; exact if all packets have one size, as in most mp3 files. */
export class LostTime {
  readonly #isCounted: boolean;
  readonly #secondsPerTick: number;
  #goodBytes = 0;
  #goodPackets = 0;
  /** To be added to every later time stamp. */
  seconds = 0;

  constructor(input: AudioInput) {
    this.#isCounted = COUNTED_CONTAINERS.includes(input.container);
    this.#secondsPerTick = input.stream.timeBase.toDouble();
  }

  noteDecoded(packet: Packet): void {
    this.#goodBytes += packet.size;
    this.#goodPackets++;
  }

  /** Damage up to the next readable header arrives as one packet that counts as one block of audio. */
  noteDamaged(packet: Packet): void {
    if (!this.#isCounted || this.#goodPackets === 0) return;
    const swallowedPackets = Math.round((packet.size * this.#goodPackets) / this.#goodBytes) - 1;
    this.seconds += Math.max(0, swallowedPackets) * Number(packet.duration) * this.#secondsPerTick;
  }
}
