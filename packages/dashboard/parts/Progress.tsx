/** A bar from 0 to 1; without a value it is only known to be under way. */
export function Progress({ value, label }: { value: number; label: string }) {
  const percent = Math.round(value * 100);
  return (
    <div
      class="progress"
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={percent}
    >
      <div class="progress-fill" style={{ transform: `scaleX(${value})` }} />
    </div>
  );
}
