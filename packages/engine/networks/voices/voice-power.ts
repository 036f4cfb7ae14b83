import type { FrameSource } from "../../dsp/sources/frame-source.ts";
import { PowerSpectrum } from "../../dsp/transforms/power-spectrum.ts";
import { VOICE_RATE_HZ, VOICE_TRANSFORM } from "./voice-separator.ts";

export const VOICE_ROWS_PER_SECOND = VOICE_RATE_HZ / VOICE_TRANSFORM.hopFrames;

/** Power spectra, one row every 10 ms. */
export type PowerRows = { rows: number; values: Float32Array };

/** The input features of the speaker networks, from a mono recording at 16 kHz. */
export class VoicePower {
  readonly #spectrum = new PowerSpectrum({
    fftSize: VOICE_TRANSFORM.fftSize,
    hopFrames: VOICE_TRANSFORM.hopFrames,
  });

  read(recording: FrameSource, { firstRow, rows }: { firstRow: number; rows: number }): PowerRows {
    return { rows, values: this.#spectrum.read(recording, { firstSlot: firstRow, slotCount: rows }) };
  }

  /** The selected rows, concatenated. */
  pick({ rows, values }: PowerRows, isPicked: (row: number) => boolean): PowerRows {
    const bins = this.#spectrum.binCount;
    const picked = Array.from({ length: rows }, (_, row) => row).filter(isPicked);
    const kept = new Float32Array(picked.length * bins);
    picked.forEach((row, n) => {
      kept.set(values.subarray(row * bins, (row + 1) * bins), n * bins);
    });
    return { rows: picked.length, values: kept };
  }
}
