import { AV_NOPTS_VALUE, AV_PKT_FLAG_DISCARD } from "node-av/constants";
import type { Packet, Stream } from "node-av/lib";

/** Enough to see where the video starts and how deep its encoder reorders frames. */
export const LOOK_AHEAD_PACKETS = 64;

export const isShown = (packet: Packet) => !packet.hasFlags(AV_PKT_FLAG_DISCARD);

/**
 * When the first picture is shown. The container's start time may ignore the video stream, whose decoder is not available to find its start. avi and mpg
 * store no such time for many packets: then the first time of decoding counts, which is earlier by the few frames that are reordered.
 */
export class FirstPicture {
  readonly #stream: Stream;
  #packets = 0;
  #shown = Number.POSITIVE_INFINITY;
  #decoded = Number.POSITIVE_INFINITY;

  constructor(stream: Stream) {
    this.#stream = stream;
  }

  /** Call with the packets of the stream in their order; only the first ones count. */
  note(packet: Packet): void {
    if (this.#packets >= LOOK_AHEAD_PACKETS || !isShown(packet)) return;
    this.#packets++;
    if (packet.pts !== AV_NOPTS_VALUE) this.#shown = Math.min(this.#shown, Number(packet.pts));
    else if (packet.dts !== AV_NOPTS_VALUE) this.#decoded = Math.min(this.#decoded, Number(packet.dts));
  }

  /** Undefined if nothing has a time. */
  get startSeconds(): number | undefined {
    const ticks = Number.isFinite(this.#shown) ? this.#shown : this.#decoded;
    return Number.isFinite(ticks) ? ticks * this.#stream.timeBase.toDouble() : undefined;
  }
}
