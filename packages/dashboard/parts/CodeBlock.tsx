import { Button } from "./Button.tsx";
import { copyText } from "./copy-text.ts";
import { announce } from "./toast.ts";

/** Text to paste elsewhere. */
export function CodeBlock({ code, label }: { code: string; label: string }) {
  async function copy() {
    await copyText(code);
    announce("Copied.");
  }
  return (
    <div class="code">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long lines are scrolled with the keyboard. */}
      <section tabIndex={0} aria-label={label}>
        <pre>{code}</pre>
      </section>
      <Button kind="plain" isSmall icon="copy" label={`Copy ${label}`} onClick={copy} />
    </div>
  );
}
