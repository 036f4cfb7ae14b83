import { filterSystemCalls, PROCESSOR, renounceNewPrivileges } from "../../sandbox/kernel.ts";
import { findCallNumber } from "../../sandbox/system-calls.ts";

/** Preloaded with `--import`: makes the kernel refuse seccomp filters to this process and all its children, like a kernel without them. */

const [LOAD, JUMP_IF_EQUAL, RETURN] = [0x20, 0x15, 0x06];
const ALLOW = 0x7fff0000;
const FAIL_WITH_EINVAL = 0x00050016;
const filter = new Uint32Array(8);
const view = new DataView(filter.buffer);
[
  [LOAD, 0, 0],
  [JUMP_IF_EQUAL, 1, findCallNumber("seccomp", PROCESSOR) ?? 0],
  [RETURN, 0, FAIL_WITH_EINVAL],
  [RETURN, 0, ALLOW],
].forEach(([code = 0, skipIfFalse = 0, value = 0], index) => {
  view.setUint16(index * 8, code, true);
  view.setUint8(index * 8 + 3, skipIfFalse);
  view.setUint32(index * 8 + 4, value, true);
});
renounceNewPrivileges();
filterSystemCalls(Buffer.from(filter.buffer));
