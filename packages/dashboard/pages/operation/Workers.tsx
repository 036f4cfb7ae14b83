import type { Worker } from "@stemwright/sdk";
import { Age } from "../../parts/Age.tsx";
import { Badge } from "../../parts/Badge.tsx";
import { EmptyState } from "../../parts/EmptyState.tsx";
import { formatBytes } from "../../parts/format.ts";
import { Table } from "../../parts/Table.tsx";

const HEADS = ["Worker", "State", "Works on", "Version", "Memory", "Speed", "Started"];

/** Seconds of audio per second of work. */
const formatSpeed = ({ audioSeconds, engineSeconds }: Worker) =>
  engineSeconds < 1 ? "–" : `${(audioSeconds / engineSeconds).toFixed(1)} × real time`;

/** What its networks run on. */
const formatNetworks = ({ networks }: Worker) =>
  networks
    .map(({ name, runsOn, timesRealTime }) => {
      const speed = timesRealTime === null ? "" : ` (${timesRealTime.toFixed(0)} × real time)`;
      return `${name}: ${runsOn}${speed}`;
    })
    .join(", ");

function WorkerState({ worker }: { worker: Worker }) {
  if (!worker.isAlive)
    return (
      <Badge tone="bad">
        Gone since <Age at={worker.seenAt} />
      </Badge>
    );
  return (
    <>
      <Badge tone={worker.taskId ? "busy" : worker.fault ? "bad" : "good"}>
        {worker.taskId ? "Working" : worker.fault ? "Takes no Task" : "Idle"}
      </Badge>
      {worker.fault && <div class="small">{worker.fault}</div>}
    </>
  );
}

export function Workers({ workers }: { workers: readonly Worker[] }) {
  return (
    <section class="stack" aria-label="Workers">
      <h2>Workers</h2>
      {workers.length === 0 ? (
        <EmptyState title="No workers">
          Tasks wait until one runs. <code>npm start</code> brings as many as WORKERS says;{" "}
          <code>npm run worker</code> starts one on another machine.
        </EmptyState>
      ) : (
        <Table label="Workers" heads={HEADS}>
          {workers.map((worker) => (
            <tr key={worker.id}>
              <td>
                {worker.host} <span class="muted">({worker.pid})</span>
              </td>
              <td>
                <WorkerState worker={worker} />
              </td>
              <td>
                {worker.taskId ? (
                  <>
                    <span class="mono">{worker.taskId}</span>{" "}
                    {worker.taskSince && <Age at={worker.taskSince} />}
                  </>
                ) : (
                  "–"
                )}
              </td>
              <td>{worker.version}</td>
              <td>{formatBytes(worker.memoryBytes)}</td>
              <td title={formatNetworks(worker)}>{formatSpeed(worker)}</td>
              <td>
                <Age at={worker.startedAt} />
              </td>
            </tr>
          ))}
        </Table>
      )}
    </section>
  );
}
