import "./charts.css";

export type Meter = { name: string; value: number; text: string };

/** Numbers to compare, as rows of name, bar and number. */
export function Meters({ meters }: { meters: readonly Meter[] }) {
  const most = Math.max(...meters.map(({ value }) => value), Number.MIN_VALUE);
  return (
    <ul class="plain-list stack-tight">
      {meters.map(({ name, value, text }) => (
        <li key={name} class="meter">
          <span class="truncate">{name}</span>
          <div class="meter-track" aria-hidden="true">
            <div class="meter-fill" style={{ width: `${(value / most) * 100}%` }} />
          </div>
          <span class="meter-text">{text}</span>
        </li>
      ))}
    </ul>
  );
}
