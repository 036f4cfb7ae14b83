/** The matching of people to voices that shares most steps: a voice index per person, or −1. */
type Match = { sharedSteps: number; voiceOf: number[] };

export function matchVoices(
  people: readonly Uint8Array[],
  voices: readonly Uint8Array[],
  isCounted: (step: number) => boolean = () => true,
): Match {
  const shared = people.map((person) =>
    voices.map((voice) =>
      person.reduce((sum, speaks, step) => sum + Number(speaks && voice[step] && isCounted(step)), 0),
    ),
  );
  return findBest(shared, []);
}

/** At most eight people: tries every matching. */
function findBest(shared: readonly number[][], taken: readonly number[]): Match {
  const [first, ...others] = shared;
  if (first === undefined) return { sharedSteps: 0, voiceOf: [] };
  const without = findBest(others, taken);
  let best: Match = { ...without, voiceOf: [-1, ...without.voiceOf] };
  first.forEach((steps, voice) => {
    if (taken.includes(voice)) return;
    const rest = findBest(others, [...taken, voice]);
    if (steps + rest.sharedSteps > best.sharedSteps)
      best = { sharedSteps: steps + rest.sharedSteps, voiceOf: [voice, ...rest.voiceOf] };
  });
  return best;
}
