/** Copies a text; pages served over plain HTTP have no clipboard API and copy a selection instead. */
export async function copyText(text: string): Promise<void> {
  if (navigator.clipboard) return await navigator.clipboard.writeText(text);
  const area = document.createElement("textarea");
  area.value = text;
  area.className = "visually-hidden";
  const { activeElement } = document;
  // Nothing outside an open dialog can be selected.
  const place = activeElement?.closest("dialog") ?? document.body;
  place.append(area);
  area.select();
  const isCopied = document.activeElement === area && document.execCommand("copy");
  area.remove();
  if (activeElement instanceof HTMLElement) activeElement.focus();
  if (!isCopied) throw new Error("The browser did not allow copying; select the text and copy it yourself");
}
