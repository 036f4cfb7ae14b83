import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fromGroupOutput, planChannelGroups, toGroupInput } from "./channel-groups.ts";

describe("planChannelGroups", () => {
  it.each([
    ["mono", 1, [[0]]],
    ["stereo", 2, [[0, 1]]],
    ["downmix", 2, [[0, 1]]],
    ["2.1", 3, [[0, 1], [2]]],
    [
      "quad",
      4,
      [
        [0, 1],
        [2, 3],
      ],
    ],
    ["5.1", 6, [[0, 1], [2], [3], [4, 5]]],
    ["5.1(side)", 6, [[0, 1], [2], [3], [4, 5]]],
    ["6.1", 7, [[0, 1], [2], [3], [4], [5, 6]]],
    ["7.1", 8, [[0, 1], [2], [3], [4, 5], [6, 7]]],
    ["7.1(wide)", 8, [[0, 1], [2], [3], [4, 5], [6, 7]]],
    ["6 channels (FL+FR)", 6, [[0, 1], [2], [3], [4, 5]]],
    ["9 channels", 9, [[0], [1], [2], [3], [4], [5], [6], [7], [8]]],
    ["7.1.4", 12, [[0, 1], [2], [3], [4, 5], [6, 7], [8, 9], [10, 11]]],
    [
      "22.2",
      24,
      [
        [0, 1],
        [2],
        [3],
        [4, 5],
        [6, 7],
        [8],
        [9, 10],
        [11],
        [12, 14],
        [13],
        [15, 17],
        [16],
        [18],
        [19, 20],
        [21],
        [22, 23],
      ],
    ],
    ["9 channels (FL+FR+FC+LFE+BL+BR+TFL+TFR+TC)", 9, [[0, 1], [2], [3], [4, 5], [6, 7], [8]]],
  ])("pairs left and right of %s", (channelLayout, channels, groups) => {
    expect(planChannelGroups({ channelLayout, channels })).toEqual(groups);
  });

  it("uses every channel exactly once, whatever the layout is called", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 16 }), fc.string(), (channels, channelLayout) => {
        const taken = planChannelGroups({ channels, channelLayout })
          .flat()
          .sort((a, b) => a - b);
        expect(taken).toEqual(Array.from({ length: channels }, (_, channel) => channel));
      }),
    );
  });
});

describe("a mono group", () => {
  it("is fed to both sides and averaged", () => {
    const centre = Float32Array.of(1, 2);
    expect(toGroupInput([2], [new Float32Array(2), new Float32Array(2), centre])).toEqual([centre, centre]);
    expect(fromGroupOutput([2], [Float32Array.of(1, 3), Float32Array.of(3, 3)])).toEqual([
      Float32Array.of(2, 3),
    ]);
  });
});
