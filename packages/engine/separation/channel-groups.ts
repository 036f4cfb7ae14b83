/**
 * The channels that go through a stereo network together: a left-right pair, or one channel, which is fed to both sides and whose two outputs are
 * averaged. Numbers are the input's channels, from zero.
 */
export type ChannelGroup = readonly [number] | readonly [number, number];

/** FFmpeg's layouts with more than two channels, in the order of its decoders. */
const CHANNELS_OF_LAYOUT = new Map([
  ["2.1", "FL FR LFE"],
  ["3.0", "FL FR FC"],
  ["3.0(back)", "FL FR BC"],
  ["3.1", "FL FR FC LFE"],
  ["4.0", "FL FR FC BC"],
  ["quad", "FL FR BL BR"],
  ["quad(side)", "FL FR SL SR"],
  ["4.1", "FL FR FC LFE BC"],
  ["5.0", "FL FR FC BL BR"],
  ["5.0(side)", "FL FR FC SL SR"],
  ["5.1", "FL FR FC LFE BL BR"],
  ["5.1(side)", "FL FR FC LFE SL SR"],
  ["6.0", "FL FR FC BC SL SR"],
  ["6.0(front)", "FL FR FLC FRC SL SR"],
  ["hexagonal", "FL FR FC BL BR BC"],
  ["6.1", "FL FR FC LFE BC SL SR"],
  ["6.1(back)", "FL FR FC LFE BL BR BC"],
  ["6.1(front)", "FL FR LFE FLC FRC SL SR"],
  ["7.0", "FL FR FC BL BR SL SR"],
  ["7.0(front)", "FL FR FC FLC FRC SL SR"],
  ["7.1", "FL FR FC LFE BL BR SL SR"],
  ["7.1(wide)", "FL FR FC LFE BL BR FLC FRC"],
  ["7.1(wide-side)", "FL FR FC LFE FLC FRC SL SR"],
  ["5.1.2", "FL FR FC LFE BL BR TFL TFR"],
  ["octagonal", "FL FR FC BL BR BC SL SR"],
  ["cube", "FL FR BL BR TFL TFR TBL TBR"],
  ["5.1.4", "FL FR FC LFE SL SR TFL TFR TBL TBR"],
  ["7.1.2", "FL FR FC LFE BL BR SL SR TFL TFR"],
  ["7.1.4", "FL FR FC LFE BL BR SL SR TFL TFR TBL TBR"],
  ["7.2.3", "FL FR FC LFE BL BR SL SR TFL TFR TBC LFE2"],
  ["9.1.4", "FL FR FC LFE BL BR FLC FRC SL SR TFL TFR TBL TBR"],
  ["9.1.6", "FL FR FC LFE BL BR FLC FRC SL SR TFL TFR TBL TBR TSL TSR"],
  ["hexadecagonal", "FL FR FC BL BR BC SL SR TFL TFC TFR TBL TBC TBR WL WR"],
  ["22.2", "FL FR FC LFE BL BR FLC FRC BC SL SR TC TFL TFC TFR TBL TBC TBR LFE2 TSL TSR BFC BFL BFR"],
]);

const USUAL_LAYOUT = [undefined, "mono", "stereo", "2.1", "quad", "5.0", "5.1", "6.1", "7.1"] as const;

export function planChannelGroups(input: { channels: number; channelLayout: string }): ChannelGroup[] {
  if (input.channels === 1) return [[0]];
  if (input.channels === 2) return [[0, 1]];
  const names = findChannelNames(input);
  // In an unknown layout, no channels are known to be a pair.
  if (names === undefined)
    return Array.from({ length: input.channels }, (_, channel): ChannelGroup => [channel]);
  const groups: ChannelGroup[] = [];
  names.forEach((name, channel) => {
    const partner = findPartner(names, name);
    if (partner === undefined) groups.push([channel]);
    else if (partner > channel) groups.push([channel, partner]);
  });
  return groups;
}

function findChannelNames(input: { channels: number; channelLayout: string }): string[] | undefined {
  // A layout without a name is described by its channels.
  const listed = /^\d+ channels \(([A-Z0-9]+(?:\+[A-Z0-9]+)*)\)$/.exec(input.channelLayout)?.[1]?.split("+");
  if (listed?.length === input.channels) return listed;
  for (const layout of [input.channelLayout, USUAL_LAYOUT[input.channels]]) {
    const names = layout === undefined ? undefined : CHANNELS_OF_LAYOUT.get(layout)?.split(" ");
    if (names?.length === input.channels) return names;
  }
  return undefined;
}

/** FL–FR, BL–BR, SL–SR, TFL–TFR, FLC–FRC: the same name with the side changed. */
function findPartner(names: readonly string[], name: string): number | undefined {
  const side = /^(.*?)([LR])(C?)$/.exec(name);
  if (side === null) return undefined;
  const partner = names.indexOf(`${side[1]}${side[2] === "L" ? "R" : "L"}${side[3]}`);
  return partner < 0 ? undefined : partner;
}

/** The two inputs of a stereo network for a channel group. */
export function toGroupInput(
  group: ChannelGroup,
  planes: readonly Float32Array[],
): [Float32Array, Float32Array] {
  const [left, right = left] = group;
  return [getPlane(planes, left), getPlane(planes, right)];
}

/** The network's output for a channel group, one plane per channel. */
export function fromGroupOutput(group: ChannelGroup, sides: readonly Float32Array[]): Float32Array[] {
  const left = getPlane(sides, 0);
  const right = getPlane(sides, 1);
  if (group.length === 2) return [left, right];
  return [left.map((value, n) => (value + (right[n] ?? 0)) / 2)];
}

function getPlane(planes: readonly Float32Array[], channel: number): Float32Array {
  const plane = planes[channel];
  if (plane === undefined) throw new RangeError(`no channel ${channel}`);
  return plane;
}
