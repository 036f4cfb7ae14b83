export type Line = { name: string; points: { x: number; y: number }[] };

const WIDTH = 720;
const HEIGHT = 300;
const MARGIN = { left: 56, right: 12, top: 30, bottom: 40 };
const COLOURS = ["#4c78a8", "#f58518", "#54a24b", "#e45756", "#72b7b2"];
const MAX_POINTS = 400;

/** Lines over a common x axis as an SVG picture; y starts at zero. */
export function drawLines(chart: { title: string; xLabel: string; yLabel: string; lines: Line[] }): string {
  const points = chart.lines.flatMap((line) => line.points);
  const xMax = Math.max(...points.map(({ x }) => x));
  const step = niceStep(Math.max(...points.map(({ y }) => y)) / 5);
  const yMax = step * Math.ceil(Math.max(...points.map(({ y }) => y)) / step);
  const toX = (x: number) => MARGIN.left + (x / xMax) * (WIDTH - MARGIN.left - MARGIN.right);
  const toY = (y: number) => HEIGHT - MARGIN.bottom - (y / yMax) * (HEIGHT - MARGIN.top - MARGIN.bottom);
  const ticks = Array.from({ length: Math.round(yMax / step) + 1 }, (_, n) => n * step);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12">`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#fff"/>`,
    `<text x="${MARGIN.left}" y="18" font-weight="bold">${chart.title}</text>`,
    ...ticks.map(
      (y) =>
        `<path d="M${MARGIN.left} ${toY(y)}H${WIDTH - MARGIN.right}" stroke="#ddd"/><text x="${MARGIN.left - 6}" y="${toY(y) + 4}" text-anchor="end">${y}</text>`,
    ),
    `<text x="${WIDTH / 2}" y="${HEIGHT - 22}" text-anchor="middle">${chart.xLabel}</text>`,
    `<text x="14" y="${HEIGHT / 2}" text-anchor="middle" transform="rotate(-90 14 ${HEIGHT / 2})">${chart.yLabel}</text>`,
    ...chart.lines.flatMap(({ name, points: all }, index) => {
      const colour = COLOURS[index % COLOURS.length];
      const path = thin(all).map(({ x, y }) => `${toX(x).toFixed(1)} ${toY(y).toFixed(1)}`);
      const left = MARGIN.left + (index * (WIDTH - MARGIN.left)) / chart.lines.length;
      return [
        `<path d="M${path.join("L")}" fill="none" stroke="${colour}" stroke-width="1.5"/>`,
        `<text x="${left}" y="${HEIGHT - 6}" fill="${colour}">${name}</text>`,
      ];
    }),
    "</svg>",
    "",
  ].join("\n");
}

/** 1, 2 or 5 times a power of ten. */
function niceStep(wanted: number): number {
  const power = 10 ** Math.floor(Math.log10(wanted));
  return power * (wanted / power > 5 ? 10 : wanted / power > 2 ? 5 : wanted / power > 1 ? 2 : 1);
}

/** As many points as the width can show, each the maximum of its range. */
function thin(points: Line["points"]): Line["points"] {
  const every = Math.max(1, Math.ceil(points.length / MAX_POINTS));
  return Array.from({ length: Math.ceil(points.length / every) }, (_, n) =>
    points.slice(n * every, (n + 1) * every).reduce((a, b) => (b.y > a.y ? b : a)),
  );
}
