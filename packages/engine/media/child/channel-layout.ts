import { AV_CHANNEL_ORDER_NATIVE, AV_CHANNEL_ORDER_UNSPEC } from "node-av/constants";
import {
  avChannelLayoutDefault,
  avChannelLayoutDescribe,
  type ChannelLayout,
  CodecContext,
} from "node-av/lib";

const MAX_NAMED_CHANNELS = 8;

/** The layout with named speakers; for a file that names none, the default one for the channel count, if there is one. */
export function toNamedLayout(layout: ChannelLayout): ChannelLayout {
  if (layout.order === AV_CHANNEL_ORDER_NATIVE) return layout;
  if (layout.nbChannels <= MAX_NAMED_CHANNELS) return avChannelLayoutDefault(layout.nbChannels);
  return { nbChannels: layout.nbChannels, order: AV_CHANNEL_ORDER_UNSPEC, mask: 0n };
}

export function describeLayout(layout: ChannelLayout): string {
  return avChannelLayoutDescribe(layout) ?? `${layout.nbChannels} channels`;
}

/** FFmpeg's own parser is reachable only through an option of a codec context. */
export function parseLayout(description: string): ChannelLayout | undefined {
  using context = new CodecContext();
  context.allocContext3(null);
  return context.setOption("ch_layout", description) < 0 ? undefined : context.channelLayout;
}
