import { readFileSync } from "node:fs";
import { networkInterfaces } from "node:os";
import { ACCEPTED_DEMUXERS } from "./accepted-media.ts";

/** Read from the kernel about this very process, so that the list is what holds and not what was wished. */
export function describeProtection(): string[] {
  const status = readFileSync("/proc/self/status", "utf8");
  const limits = readFileSync("/proc/self/limits", "utf8");
  const dataLimitBytes = limits.match(/^Max data size\s+(\d+)/m)?.[1];
  const hasNetwork = Object.keys(networkInterfaces()).length > 0;
  return [
    hasNetwork ? "network: reachable, as unshare is missing or not allowed" : "network: none",
    describeUser(),
    /^NoNewPrivs:\s+1/m.test(status)
      ? "privileges: none to gain"
      : "privileges: setuid programs may still raise them",
    /^CapEff:\s+0+$/m.test(status) ? "capabilities: none" : "capabilities: some",
    dataLimitBytes ? `memory: at most ${Number(dataLimitBytes) / 1024 ** 2} MiB` : "memory: no limit",
    "protocols: inherited file descriptors only",
    `containers: ${ACCEPTED_DEMUXERS.join(" ")}`,
  ];
}

function describeUser(): string {
  // In a user namespace without mappings every id shows as 65534, whoever it is.
  if (readFileSync("/proc/self/uid_map", "utf8").trim() === "") return "user: the one that started it";
  return `user: uid ${process.getuid?.()}, gid ${process.getgid?.()}`;
}
