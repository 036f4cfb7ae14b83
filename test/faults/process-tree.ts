import { readdir, readFile } from "node:fs/promises";

/** Roles of the service's processes, recognised by their command lines. */
export const ROLES = ["main", "api", "worker", "engine", "media", "postmaster", "backend"] as const;
export type Role = (typeof ROLES)[number];

export type ServiceProcess = { pid: number; parentPid: number; commandLine: string; role: Role | undefined };

const COMMAND_LINES: readonly [Role, RegExp][] = [
  ["main", /^\S*node .*main\.ts all$/],
  ["api", /^\S*node .*main\.ts api$/],
  ["worker", /^\S*node .*main\.ts worker$/],
  ["engine", /^\S*node .*engine-child\.ts/],
  ["media", /^\S*node .*media-child\.ts/],
  ["postmaster", /^\S*bin\/postgres -D/],
  // PostgreSQL sessions carry user and database in their titles; its other processes have neither.
  ["backend", /^postgres: stemwright stemwright /],
];

const findRole = (commandLine: string) => COMMAND_LINES.find(([, pattern]) => pattern.test(commandLine))?.[0];

const findChildRole = ({ role }: ServiceProcess) => (role === "backend" ? role : undefined);

/** The parent's pid comes after the name, which may contain spaces and parentheses. */
async function readProcess(name: string): Promise<ServiceProcess | undefined> {
  try {
    const stat = await readFile(`/proc/${name}/stat`, "utf8");
    const [state, parentPid] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (state === "Z") return undefined;
    const commandLine = (await readFile(`/proc/${name}/cmdline`, "utf8")).replaceAll("\0", " ").trim();
    return { pid: Number(name), parentPid: Number(parentPid), commandLine, role: findRole(commandLine) };
  } catch {
    // It exited meanwhile.
    return undefined;
  }
}

/** The given processes and all their descendants, parents before children. */
export async function listProcessTree(rootPids: readonly number[]): Promise<ServiceProcess[]> {
  const names = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const all = (await Promise.all(names.map(readProcess))).filter((found) => found !== undefined);
  const byParent = Map.groupBy(all, ({ parentPid }) => parentPid);
  const tree = all.filter(({ pid }) => rootPids.includes(pid));
  for (const parent of tree) {
    const children = byParent.get(parent.pid) ?? [];
    // A session has the postmaster's command line until it has set its own title.
    tree.push(
      ...children.map((child) =>
        parent.role === "postmaster" ? { ...child, role: findChildRole(child) } : child,
      ),
    );
  }
  return tree;
}
