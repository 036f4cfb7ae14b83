import type { Page } from "playwright-core";

/** What a page's AudioContext has rendered: peak sample, number of frames, and number of sources started for them. */
export type Tap = { peak: number; frames: number; starts: number };

/** Records everything a context renders for the loudspeakers. Runs in the page, before its own scripts. */
export const TAP = `
  const tap = globalThis.tap = { peak: 0, frames: 0, starts: 0 };
  const { connect } = AudioNode.prototype;
  const tapped = new WeakSet();
  AudioNode.prototype.connect = function (to, ...rest) {
    if (to === this.context.destination && !tapped.has(this)) {
      const listener = this.context.createScriptProcessor(4096, 2, 1);
      tapped.add(this).add(listener);
      listener.onaudioprocess = ({ inputBuffer }) => {
        for (let channel = 0; channel < inputBuffer.numberOfChannels; channel++)
          for (const value of inputBuffer.getChannelData(channel)) tap.peak = Math.max(tap.peak, Math.abs(value));
        tap.frames += inputBuffer.length;
      };
      connect.call(this, listener);
      connect.call(listener, to);
    }
    return connect.call(this, to, ...rest);
  };
  const { start } = AudioBufferSourceNode.prototype;
  AudioBufferSourceNode.prototype.start = function (...args) {
    tap.starts += 1;
    return start.apply(this, args);
  };
`;

/** Blocks the page for a while at each of these calls, like a garbage collection, while the context keeps rendering. */
export const makeHoldUp = (holdMs: number) => `
  const holdUp = () => {
    const endMs = performance.now() + ${holdMs};
    while (performance.now() < endMs);
  };
  for (const [type, method] of [[AudioBufferSourceNode, "start"], [AudioScheduledSourceNode, "stop"], [AudioNode, "disconnect"]]) {
    const original = type.prototype[method];
    type.prototype[method] = function (...args) {
      holdUp();
      return original.apply(this, args);
    };
  }
`;

export const readTap = (page: Page) =>
  page.evaluate(() => ({ ...(globalThis as unknown as { tap: Tap }).tap }));
export const clearTap = (page: Page) =>
  page.evaluate(() => Object.assign((globalThis as unknown as { tap: Tap }).tap, { peak: 0, frames: 0 }));
