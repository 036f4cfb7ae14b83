import { describe, expect, it } from "vitest";
import { followView, placeView, zoomView } from "./view.ts";

const RECORDING = { frames: 10_000, sampleRate: 100 };

describe("[PV11] the view of the timeline", () => {
  it("keeps the anchor in place when zooming, and stays within the recording", () => {
    expect(zoomView({ start: 0, end: 10_000 }, 0.5, { ...RECORDING, anchor: 2000 })).toEqual({
      start: 1000,
      end: 6000,
    });
    expect(zoomView({ start: 1000, end: 6000 }, 4, { ...RECORDING, anchor: 2000 })).toEqual({
      start: 0,
      end: 10_000,
    });
  });

  it("shows at least a second, and moves to an anchor out of view", () => {
    expect(zoomView({ start: 0, end: 120 }, 0.1, { ...RECORDING, anchor: 60 })).toEqual({
      start: 10,
      end: 110,
    });
    expect(zoomView({ start: 0, end: 1000 }, 1, { ...RECORDING, anchor: 5000 })).toEqual({
      start: 4500,
      end: 5500,
    });
  });

  it("turns the page when the playhead leaves it", () => {
    const view = { start: 1000, end: 2000 };
    expect(followView(view, 1999, 10_000)).toBe(view);
    expect(followView(view, 2000, 10_000)).toEqual({ start: 1950, end: 2950 });
    expect(followView(view, 9990, 10_000)).toEqual({ start: 9000, end: 10_000 });
    expect(placeView(-5, 100, 10_000)).toEqual({ start: 0, end: 100 });
  });
});
