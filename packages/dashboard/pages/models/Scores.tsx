import type { Model } from "@stemwright/sdk";
import { formatScore } from "../../data/format-score.ts";

/** Our measurements: score, data set and measure. */
export function Scores({ model: { scores = [], name } }: { model: Model }) {
  const [first] = scores;
  if (!first) return null;
  return (
    <details>
      <summary class="small">
        Measured: {formatScore(first)}
        {scores.length > 1 ? `, and ${scores.length - 1} more` : ""}
      </summary>
      <table class="table small">
        <caption class="visually-hidden">Measured quality of {name}</caption>
        <thead>
          <tr>
            <th scope="col">Measure</th>
            <th scope="col">On</th>
            <th scope="col" class="number">
              Value
            </th>
          </tr>
        </thead>
        <tbody>
          {scores.map(({ measure, dataset, value }) => (
            <tr key={`${measure} ${dataset}`}>
              <td>{measure}</td>
              <td class="muted">{dataset}</td>
              <td class="number">{value}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}
