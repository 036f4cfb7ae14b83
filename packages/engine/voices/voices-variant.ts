import type { VoicesTarget } from "../targets/engine-request.ts";

const TWO_SPEAKERS = "two_speaker";
export const N_SPEAKERS = "n_speaker";

export const getVariant = ({ variant = TWO_SPEAKERS }: VoicesTarget): string => variant;
