/**
 * Some copies of TIMIT were converted as text, "\r\n" to "\n": every such place shifts what follows by a byte, and 16-bit samples become loud noise until
 * the next one. This finds those places: of all ways to put bytes back before line feeds, it chooses the one with the smoothest signal.
 */
export function restoreCarriageReturns(bytes: Uint8Array): Uint8Array {
  const steps = smoothnessOf(bytes);
  const costs: [number, number] = [0, Number.POSITIVE_INFINITY];
  const switches: { at: number; isTaken: [boolean, boolean] }[] = [];
  for (let at = 0; at < bytes.length; at++) {
    if (bytes[at] === LINE_FEED) {
      const [even, odd] = costs;
      switches.push({ at, isTaken: [odd + COST < even, even + COST < odd] });
      costs[0] = Math.min(even, odd + COST);
      costs[1] = Math.min(odd, even + COST);
    }
    costs[at % 2 === 0 ? 0 : 1] += steps[at] ?? 0;
  }
  let parity: 0 | 1 = costs[1] < costs[0] ? 1 : 0;
  const places: number[] = [];
  for (const { at, isTaken } of switches.reverse()) {
    if (!isTaken[parity]) continue;
    places.unshift(at);
    parity = parity === 0 ? 1 : 0;
  }
  return putBack(bytes, places);
}

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
/** Cost of a restored byte, in steps of a 16-bit sample: 10 ms of noise cost more. */
const COST = 200_000;

/** The difference of a sample starting at each byte to the previous one. */
function smoothnessOf(bytes: Uint8Array): Float64Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const steps = new Float64Array(bytes.length);
  for (let at = 2; at + 1 < bytes.length; at++) {
    steps[at] = Math.abs(view.getInt16(at, true) - view.getInt16(at - 2, true));
  }
  return steps;
}

function putBack(bytes: Uint8Array, places: readonly number[]): Uint8Array {
  const parts = places.flatMap((place, index) => [
    bytes.subarray(places[index - 1] ?? 0, place),
    Uint8Array.of(CARRIAGE_RETURN),
  ]);
  return Buffer.concat([...parts, bytes.subarray(places.at(-1) ?? 0)]);
}
