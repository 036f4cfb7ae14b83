/** Outputs have no ids: as assets they have the target's id with their index. */
export const toOutputAssetId = (targetId: string, position: number) => `${targetId}-${position}`;

export function findOutputPlace(assetId: string): { targetId: string; position: number } | undefined {
  const match = /^([0-9a-z]{3,50})-(0|[1-9]\d{0,2})$/.exec(assetId);
  return match ? { targetId: match[1] ?? "", position: Number(match[2]) } : undefined;
}
