import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

let isFirstPage = true;

/** Page title (also the document title), with actions on the right. */
export function PageHead({
  title,
  lead,
  children,
}: {
  title: string;
  lead?: ComponentChildren;
  children?: ComponentChildren;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Stemwright`;
  }, [title]);
  useEffect(() => {
    // Focusing the heading announces a new page to screen readers; the first page is announced anyway.
    if (!isFirstPage) heading.current?.focus({ preventScroll: true });
    isFirstPage = false;
  }, []);
  return (
    <div class="page-head">
      <div>
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {lead && <p class="page-lead">{lead}</p>}
      </div>
      {children && <div class="row row-wrap">{children}</div>}
    </div>
  );
}
