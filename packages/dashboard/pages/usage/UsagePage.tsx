import type { DistributionRow, UsageRow } from "@stemwright/sdk";
import { useState } from "preact/hooks";
import { apiClient } from "../../account/api-client.ts";
import { BarChart } from "../../charts/BarChart.tsx";
import { Meters } from "../../charts/Meters.tsx";
import { loadModels, nameModel } from "../../data/model-names.ts";
import { Button } from "../../parts/Button.tsx";
import { downloadText } from "../../parts/download-text.ts";
import { EmptyState } from "../../parts/EmptyState.tsx";
import { formatCredits } from "../../parts/format.ts";
import { Loaded } from "../../parts/Loaded.tsx";
import { PageHead } from "../../parts/PageHead.tsx";
import { SelectField } from "../../parts/SelectField.tsx";
import { Table } from "../../parts/Table.tsx";
import { useLoad } from "../../parts/use-load.ts";
import { Ledger } from "./Ledger.tsx";
import { makeDistributionCsv, makeUsageCsv } from "./usage-csv.ts";

const PERIODS = [
  { value: "3", text: "The last 3 months" },
  { value: "12", text: "The last 12 months" },
  { value: "all", text: "All months" },
] as const;
type Period = (typeof PERIODS)[number]["value"];
const CSV_TYPE = "text/csv;charset=utf-8";

const nameMonth = (month: string) =>
  new Date(`${month}-15T00:00:00Z`).toLocaleDateString(undefined, {
    month: "short",
    year: "numeric",
    timeZone: "UTC",
  });
const formatMinutes = (minutes: string) =>
  Number(minutes).toLocaleString(undefined, { maximumFractionDigits: 1 });

function ByMonth({ rows }: { rows: readonly UsageRow[] }) {
  const bars = rows.toReversed().map(({ month, totalMinutes }) => ({
    label: nameMonth(month),
    value: Number(totalMinutes),
    text: formatMinutes(totalMinutes),
  }));
  return (
    <section class="card stack" aria-label="Minutes by month">
      <div class="row row-apart row-wrap">
        <h2>Minutes by month</h2>
        <Button
          isSmall
          icon="download"
          onClick={() => downloadText("usage.csv", makeUsageCsv(rows), CSV_TYPE)}
        >
          CSV
        </Button>
      </div>
      <BarChart
        bars={bars}
        label={`Minutes by month: ${bars.map(({ label, text }) => `${label} ${text}`).join(", ")}`}
      />
    </section>
  );
}

function ByModel({ rows }: { rows: readonly DistributionRow[] }) {
  return (
    <section class="card stack" aria-label="By model">
      <div class="row row-apart row-wrap">
        <h2>By model</h2>
        <Button
          isSmall
          icon="download"
          onClick={() => downloadText("models.csv", makeDistributionCsv(rows), CSV_TYPE)}
        >
          CSV
        </Button>
      </div>
      <Meters
        meters={rows.map(({ model, totalMinutes, totalCredits }) => ({
          name: nameModel(model),
          value: Number(totalMinutes),
          text: `${formatMinutes(totalMinutes)} min · ${formatCredits(totalCredits)}`,
        }))}
      />
    </section>
  );
}

function Credits() {
  const credits = useLoad((signal) => apiClient.account.credits.get({ signal }), []);
  return (
    <Loaded loaded={credits}>
      {({ balance, reserved, available, metered }) => {
        // An unmetered client has no balance or reservations.
        if (!metered && balance === 0 && reserved === 0) return null;
        return (
          <section class="card" aria-label="Credits">
            <dl class="figures">
              <div>
                <dt>Credits left</dt>
                <dd>{formatCredits(available)}</dd>
              </div>
              <div>
                <dt>Balance</dt>
                <dd>{formatCredits(balance)}</dd>
              </div>
              <div>
                <dt>Reserved for unfinished Tasks</dt>
                <dd>{formatCredits(reserved)}</dd>
              </div>
            </dl>
          </section>
        );
      }}
    </Loaded>
  );
}

export default function UsagePage() {
  const [period, setPeriod] = useState<Period>("12");
  const query = period === "all" ? {} : { months: Number(period) };
  const usage = useLoad(
    (signal) =>
      Promise.all([
        apiClient.statistics.usage(query, { signal }),
        apiClient.statistics.distribution(query, { signal }),
        loadModels(signal),
      ]),
    [period],
  );
  return (
    <>
      <PageHead title="Usage" lead="Minutes and credits of completed targets.">
        <SelectField label="Period" value={period} options={PERIODS} onChange={setPeriod} />
      </PageHead>
      <div class="stack">
        <Loaded loaded={usage}>
          {([months, models]) =>
            months.length === 0 ? (
              <EmptyState title="No usage yet">
                Each target that completes counts here. <a href="app/playground">Run one in the playground</a>
                .
              </EmptyState>
            ) : (
              <>
                <div class="columns">
                  <ByMonth rows={months} />
                  <ByModel rows={models} />
                </div>
                <Table label="Usage by month" heads={["Month", "Targets", "Minutes"]}>
                  {months.map(({ month, totalTargets, totalMinutes }) => (
                    <tr key={month}>
                      <td>{nameMonth(month)}</td>
                      <td>{totalTargets}</td>
                      <td>{totalMinutes}</td>
                    </tr>
                  ))}
                </Table>
              </>
            )
          }
        </Loaded>
        <Credits />
        <Ledger load={(page, options) => apiClient.account.credits.ledger(page, options).page()} />
      </div>
    </>
  );
}
