import { SAMPLE_RATE_HZ, type Sound } from "./evaluation-pieces.ts";

export function subtract(mix: Sound, part: Sound | undefined): Sound {
  const [left, right] = mix.map((plane, channel) =>
    plane.map((value, n) => value - (part?.[channel === 0 ? 0 : 1][n] ?? 0)),
  );
  return [left ?? new Float32Array(0), right ?? new Float32Array(0)];
}

/** 16 bits: the other program reads nothing else. */
export function toWav([left, right]: Sound): Buffer {
  const wav = Buffer.alloc(44 + left.length * 4);
  wav.write("RIFF", 0, "latin1");
  wav.writeUInt32LE(wav.length - 8, 4);
  wav.write("WAVEfmt ", 8, "latin1");
  wav.writeUInt32LE(16, 16);
  wav.writeUInt16LE(1, 20);
  wav.writeUInt16LE(2, 22);
  wav.writeUInt32LE(SAMPLE_RATE_HZ, 24);
  wav.writeUInt32LE(SAMPLE_RATE_HZ * 4, 28);
  wav.writeUInt16LE(4, 32);
  wav.writeUInt16LE(16, 34);
  wav.write("data", 36, "latin1");
  wav.writeUInt32LE(left.length * 4, 40);
  [left, right].forEach((plane, channel) => {
    plane.forEach((value, n) => {
      const sample = Math.max(-32_768, Math.min(32_767, Math.round(value * 32_768)));
      wav.writeInt16LE(sample, 44 + 4 * n + 2 * channel);
    });
  });
  return wav;
}
