/**
 * Seconds as they are shown: up to the next millisecond, so that one sample is not 0, and 60.0001 s, which cost two minutes,
 * don't look like one. What is less than a nanosecond above is the rounding of the number itself.
 */
export const toShownDuration = (durationSeconds: number) => Math.ceil(durationSeconds * 1000 - 1e-6) / 1000;
