/** "nobody" and "nogroup" on every Linux. */
const NOBODY_ID = 65534;

/** Root gives up its rights for good; a plain user has none to give up. */
export function dropPrivileges(): void {
  if (process.getuid?.() !== 0) return;
  try {
    process.setgroups?.([]);
    process.setgid?.(NOBODY_ID);
    process.setuid?.(NOBODY_ID);
  } catch {
    // A container may map only uid 0; describeSandbox then tells that the child is still root.
  }
}
