import { expect, it } from "vitest";
import { makeSeededRandom } from "../seeded-random.ts";
import { PolyphaseConvolver } from "./polyphase-convolver.ts";

for (const [phases, step, taps] of [
  [160, 147, 200],
  [147, 160, 218],
  [1, 24, 6],
  [441, 80, 38],
] as const) {
  it(`adds up what ${taps} taps weigh, ${phases} phases and steps of ${step}, over several pieces`, () => {
    const random = makeSeededRandom(7);
    const draw = (length: number) => Float32Array.from({ length }, () => random() - 0.5);
    const convolver = new PolyphaseConvolver({ phases, step, taps });
    const rows = Array.from({ length: phases }, () => draw(taps));
    for (const [index, row] of rows.entries()) convolver.coefficients.set(row, index * convolver.rowLength);
    const frames = 9000;
    const phase = phases - 1;
    const samples = draw(Math.floor((phase + (frames - 1) * step) / phases) + taps);
    const plane = new Float32Array(frames);
    convolver.run({ samples, phase, plane });
    const worst = plane.reduce((most, value, frame) => {
      const position = phase + frame * step;
      const row = rows[position % phases]!;
      const at = Math.floor(position / phases);
      const wanted = row.reduce((sum, weight, tap) => sum + weight * samples[at + tap]!, 0);
      return Math.max(most, Math.abs(value - wanted));
    }, 0);
    expect(worst).toBeLessThan(3e-6);
  });
}
