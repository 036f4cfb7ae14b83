/** Prints a line for whoever started the process. */
export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
