/** Starts a browser download, like a click on the link; the server names the file. */
export function followLink(href: string): void {
  const link = document.createElement("a");
  link.href = href;
  link.download = "";
  link.click();
}
