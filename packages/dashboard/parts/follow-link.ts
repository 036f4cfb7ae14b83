/** Has the browser download what a link leads to, as if it were pressed; the server names the file. */
export function followLink(href: string): void {
  const link = document.createElement("a");
  link.href = href;
  link.download = "";
  link.click();
}
