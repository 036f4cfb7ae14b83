import type { QueueState, ServiceHealth } from "@stemwright/sdk";
import { apiClient } from "../../account/api-client.ts";
import { Badge } from "../../parts/Badge.tsx";
import { formatAge, formatBytes } from "../../parts/format.ts";
import { Loaded } from "../../parts/Loaded.tsx";
import { PageHead } from "../../parts/PageHead.tsx";
import { useInterval } from "../../parts/use-interval.ts";
import { useLoad } from "../../parts/use-load.ts";
import { Workers } from "./Workers.tsx";

const INTERVAL_MS = 5000;

const State = ({ isOk, text }: { isOk: boolean; text: string }) => (
  <Badge tone={isOk ? "good" : "bad"}>{text}</Badge>
);

function Health({ health }: { health: ServiceHealth }) {
  const { database, disk, workers, mediaSandbox } = health;
  const usedPercent = Math.round((1 - disk.freeBytes / Math.max(1, disk.totalBytes)) * 100);
  return (
    <section class="card" aria-label="Health">
      <dl class="figures">
        <div>
          <dt>Service</dt>
          <dd>
            <State isOk={health.status === "ok"} text={health.status === "ok" ? "Healthy" : "Degraded"} />
          </dd>
        </div>
        <div>
          <dt>Database</dt>
          <dd>
            <State
              isOk={database.isOk}
              text={database.isOk ? `Answers in ${Math.round(database.latencyMs)} ms` : "Does not answer"}
            />
          </dd>
        </div>
        <div>
          <dt>Disk</dt>
          <dd>
            <State isOk={disk.isOk} text={`${formatBytes(disk.freeBytes)} free`} />
            <div class="small muted">
              {usedPercent} % of {formatBytes(disk.totalBytes)} used
            </div>
          </dd>
        </div>
        <div>
          <dt>Workers</dt>
          <dd>
            <State isOk={workers.isOk} text={`${workers.alive} alive`} />
            {workers.faults.length > 0 && <div class="small">{workers.faults.join(", ")}</div>}
          </dd>
        </div>
        <div>
          <dt>Media sandbox</dt>
          <dd>
            <State isOk={mediaSandbox.isOk} text={mediaSandbox.isOk ? "Required" : "Relaxed"} />
            {mediaSandbox.gaps.length > 0 && <div class="small">{mediaSandbox.gaps.join(", ")}</div>}
          </dd>
        </div>
      </dl>
    </section>
  );
}

function Queue({ queue }: { queue: QueueState }) {
  const { waiting, active, retrying, completed, failed, oldestWaitingAt } = queue;
  return (
    <section class="card stack" aria-label="Queue">
      <h2>Queue</h2>
      <dl class="figures">
        {[
          {
            name: "Waiting",
            value: waiting,
            note: oldestWaitingAt && `oldest: ${formatAge(oldestWaitingAt)}`,
          },
          { name: "Running", value: active },
          { name: "Retrying", value: retrying },
          { name: "Ended", value: completed },
          { name: "Failed for good", value: failed },
        ].map(({ name, value, note }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              {value}
              {note && <div class="small muted">{note}</div>}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

export default function OperationPage() {
  const state = useLoad(
    (signal) =>
      Promise.all([
        apiClient.admin.health({ signal }),
        apiClient.admin.queues({ signal }),
        apiClient.admin.workers({ signal }),
      ]),
    [],
  );
  useInterval(state.reload, INTERVAL_MS);
  return (
    <>
      <PageHead title="Operation" lead="The queue, the workers and the machine. Updates by itself." />
      <Loaded loaded={state}>
        {([health, queues, workers]) => (
          <div class="stack">
            <Health health={health} />
            {queues.map((queue) => (
              <Queue key={queue.name} queue={queue} />
            ))}
            <Workers workers={workers} />
          </div>
        )}
      </Loaded>
    </>
  );
}
