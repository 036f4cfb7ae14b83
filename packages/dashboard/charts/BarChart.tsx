import "./charts.css";

const HEIGHT = 160;
const LABEL_HEIGHT = 22;
const SLOT_WIDTH = 62;
const BAR_WIDTH = 32;

export type Bar = { label: string; value: number /** The value in words. */; text: string };

/** A bar chart of one series. Decorative: a table next to it has the same numbers. */
export function BarChart({ bars, label }: { bars: readonly Bar[]; label: string }) {
  const most = Math.max(...bars.map(({ value }) => value), Number.MIN_VALUE);
  const width = Math.max(1, bars.length) * SLOT_WIDTH;
  return (
    <div class="chart">
      <svg
        role="img"
        aria-label={label}
        viewBox={`0 0 ${width} ${HEIGHT + LABEL_HEIGHT}`}
        width={width}
        height={HEIGHT + LABEL_HEIGHT}
      >
        <line class="chart-line" x1="0" x2={width} y1={HEIGHT} y2={HEIGHT} />
        {bars.map(({ label: name, value, text }, index) => {
          const height = (value / most) * (HEIGHT - 18);
          const middle = index * SLOT_WIDTH + SLOT_WIDTH / 2;
          return (
            <g key={name}>
              <title>{`${name}: ${text}`}</title>
              <rect
                class="chart-bar"
                x={middle - BAR_WIDTH / 2}
                y={HEIGHT - height}
                width={BAR_WIDTH}
                height={height}
                rx="3"
              />
              <text class="chart-value" x={middle} y={HEIGHT - height - 5}>
                {text}
              </text>
              <text class="chart-label" x={middle} y={HEIGHT + 15}>
                {name}
              </text>
            </g>
          );
        })}
      </svg>
    </div>
  );
}
