/**
 * Seconds for display, rounded up to the millisecond, so that one sample is not 0, and 60.0001 s, which cost two minutes, don't look like one. Less than a
 * nanosecond above a millisecond is floating-point error.
 */
export const toShownDuration = (durationSeconds: number) => Math.ceil(durationSeconds * 1000 - 1e-6) / 1000;
