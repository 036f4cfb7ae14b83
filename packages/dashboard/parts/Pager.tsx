import { Button } from "./Button.tsx";

/** Previous and next page of a list of known size. */
export function Pager({
  skip,
  take,
  total,
  onChange,
}: {
  skip: number;
  take: number;
  total: number;
  onChange: (skip: number) => void;
}) {
  if (total <= take && skip === 0) return null;
  return (
    <nav class="row row-apart" aria-label="Pages">
      <span class="small muted">
        {Math.min(skip + 1, total)}–{Math.min(skip + take, total)} of {total}
      </span>
      <div class="row">
        <Button isSmall isDisabled={skip === 0} onClick={() => onChange(Math.max(0, skip - take))}>
          Newer
        </Button>
        <Button isSmall isDisabled={skip + take >= total} onClick={() => onChange(skip + take)}>
          Older
        </Button>
      </div>
    </nav>
  );
}
