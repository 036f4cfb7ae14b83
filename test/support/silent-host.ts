import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";

/** Passes connections on to a server's socket, in the place of a server in the namespace: sockets are reachable from any. */
const FORWARDER = `
  const { connect, createServer } = require("node:net");
  const server = createServer((near) => {
    const far = connect(process.argv[1]);
    near.pipe(far).pipe(near);
    for (const one of [near, far]) one.on("error", () => {}).on("close", () => { near.destroy(); far.destroy(); });
  });
  server.listen(5432, "0.0.0.0", () => console.log("listening"));`;

const run = (program: string, ...args: string[]) => {
  const { status, stderr } = spawnSync(program, args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`${program} ${args.join(" ")}: ${stderr}`);
};

/** Network namespaces need root, and iptables has to be installed. */
export const canMakeHosts = () =>
  process.getuid?.() === 0 &&
  spawnSync("iptables", ["--version"]).status === 0 &&
  spawnSync("unshare", ["--net", "true"]).status === 0;

export type SilentHost = AsyncDisposable & {
  address: string;
  /** Serves a database whose unix socket this is, at port 5432. */
  serve(socketPath: string): Promise<void>;
  /** From now on every packet is lost, in both directions; no connection is reported as ended. The server is gone. */
  fallSilent(): Promise<void>;
};

let made = 0;

/** A separate machine, as far as the network goes: a network namespace with another address. */
export function makeSilentHost(): SilentHost {
  made += 1;
  const name = `sw${process.pid % 100_000}x${made}`;
  const subnet = `10.${200 + (process.pid % 50)}.${made}`;
  const address = `${subnet}.2`;
  run("ip", "netns", "add", name);
  run("ip", "link", "add", `${name}a`, "type", "veth", "peer", "name", `${name}b`, "netns", name);
  run("ip", "addr", "add", `${subnet}.1/24`, "dev", `${name}a`);
  run("ip", "link", "set", `${name}a`, "up");
  run("ip", "-n", name, "addr", "add", `${address}/24`, "dev", `${name}b`);
  run("ip", "-n", name, "link", "set", `${name}b`, "up");
  let child: ReturnType<typeof spawn> | undefined;
  const stop = async () => {
    if (child?.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, "exit");
    child.kill("SIGKILL");
    await exited;
  };
  return {
    address,
    async serve(socketPath) {
      child = spawn("ip", ["netns", "exec", name, process.execPath, "-e", FORWARDER, socketPath], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      if (child.stdout) await once(child.stdout, "data");
    },
    async fallSilent() {
      for (const chain of ["INPUT", "OUTPUT"])
        run("ip", "netns", "exec", name, "iptables", "-A", chain, "-j", "DROP");
      await stop();
    },
    async [Symbol.asyncDispose]() {
      await stop();
      run("ip", "netns", "delete", name);
    },
  };
}
