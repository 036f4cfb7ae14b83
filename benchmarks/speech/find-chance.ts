/**
 * How likely a sum at least as far from 0 is if each difference could as well have had the other sign: a paired permutation test that counts all choices
 * of signs.
 */
export function findChance(differences: readonly number[]): number {
  let shares = new Map([[0, 1]]);
  for (const difference of differences) {
    const next = new Map<number, number>();
    for (const [sum, share] of shares)
      for (const value of [sum + difference, sum - difference])
        next.set(value, (next.get(value) ?? 0) + share / 2);
    shares = next;
  }
  const limit = Math.abs(differences.reduce((sum, value) => sum + value, 0));
  return [...shares].reduce((chance, [sum, share]) => (Math.abs(sum) >= limit ? chance + share : chance), 0);
}
