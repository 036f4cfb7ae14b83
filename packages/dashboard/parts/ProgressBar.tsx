/** A progress bar from 0 to 1; indeterminate without a value. */
export function ProgressBar({ value, label }: { value: number; label: string }) {
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
