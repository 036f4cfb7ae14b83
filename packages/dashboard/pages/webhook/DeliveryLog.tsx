import type { DeliveryState, WebhookDelivery } from "@stemwright/sdk";
import { useState } from "preact/hooks";
import { apiClient } from "../../account/api-client.ts";
import { Age } from "../../parts/Age.tsx";
import { Badge } from "../../parts/Badge.tsx";
import { Button } from "../../parts/Button.tsx";
import { EmptyState } from "../../parts/EmptyState.tsx";
import { Loaded } from "../../parts/Loaded.tsx";
import { Pager } from "../../parts/Pager.tsx";
import { ActionsHead, Table } from "../../parts/Table.tsx";
import { announce } from "../../parts/toast.ts";
import { useInterval } from "../../parts/use-interval.ts";
import { useLoad } from "../../parts/use-load.ts";
import { DeliveryDialog } from "./DeliveryDialog.tsx";

const PAGE_SIZE = 15;
const PENDING_INTERVAL_MS = 2000;
const HEADS = ["State", "Event", "Sent to", "Tries", "Last try", <ActionsHead key="actions" />];
const STATES = [
  { value: undefined, text: "All" },
  { value: "pending", text: "Pending" },
  { value: "delivered", text: "Delivered" },
  { value: "failed", text: "Failed" },
] as const;
const TONES = { pending: "busy", delivered: "good", failed: "bad" } as const;
const NAMES = { pending: "Pending", delivered: "Delivered", failed: "Failed" };
const EVENTS = { target: "Target ended", job: "Job changed", test: "Test" };

function DeliveryRow({
  delivery,
  ...actions
}: {
  delivery: WebhookDelivery;
  onOpen: () => void;
  onReplay: () => Promise<void>;
}) {
  const { state, event, url, attempts, lastAttemptAt, lastStatusCode } = delivery;
  return (
    <tr>
      <td>
        <Badge tone={TONES[state]}>
          {NAMES[state]}
          {lastStatusCode === null ? "" : ` (${lastStatusCode})`}
        </Badge>
      </td>
      <td>{EVENTS[event]}</td>
      <td class="mono delivery-url">{url}</td>
      <td>{attempts}</td>
      <td>{lastAttemptAt ? <Age at={lastAttemptAt} /> : "Not yet"}</td>
      <td class="number">
        <div class="row">
          <Button isSmall onClick={actions.onOpen}>
            Details
          </Button>
          {state !== "pending" && (
            <Button isSmall icon="retry" onClick={actions.onReplay}>
              Replay
            </Button>
          )}
        </div>
      </td>
    </tr>
  );
}

function StateFilter({
  state,
  onChange,
}: {
  state: DeliveryState | undefined;
  onChange: (state: DeliveryState | undefined) => void;
}) {
  return (
    <fieldset class="row row-wrap">
      <legend class="visually-hidden">State</legend>
      {STATES.map(({ value, text }) => (
        <button
          key={text}
          type="button"
          class="choice"
          aria-pressed={state === value}
          onClick={() => onChange(value)}
        >
          {text}
        </button>
      ))}
    </fieldset>
  );
}

/** Deliveries and their results. `sent` changes when there is a new one. */
export function DeliveryLog({ isExpected, sent }: { isExpected: boolean; sent: number }) {
  const [state, setState] = useState<DeliveryState>();
  const [skip, setSkip] = useState(0);
  const [opened, setOpened] = useState<WebhookDelivery>();
  const page = useLoad(
    (signal) =>
      apiClient.webhooks.deliveries
        .list({ skip, take: PAGE_SIZE, ...(state && { state }) }, { signal })
        .page(),
    [skip, state, sent],
  );
  const isPending = page.value?.items.some((delivery) => delivery.state === "pending");
  useInterval(page.reload, isPending ? PENDING_INTERVAL_MS : undefined);

  async function replay({ id }: WebhookDelivery) {
    await apiClient.webhooks.deliveries.replay(id);
    announce("The delivery is sent again, with the same webhook-id.");
    page.reload();
  }

  return (
    <section class="stack" aria-label="Delivery log">
      <div class="row row-apart row-wrap">
        <h2>Delivery log</h2>
        <StateFilter
          state={state}
          onChange={(value) => {
            setState(value);
            setSkip(0);
          }}
        />
      </div>
      <Loaded loaded={page}>
        {({ items, total }) =>
          items.length === 0 ? (
            <EmptyState title={state ? "Nothing of that state" : "Nothing was sent yet"}>
              {isExpected
                ? "Send a test event, or run a Task: each call is listed here with its response."
                : "Set a URL above. Each call to it is listed here with its response."}
            </EmptyState>
          ) : (
            <>
              <Table label="Deliveries" heads={HEADS}>
                {items.map((delivery) => (
                  <DeliveryRow
                    key={delivery.id}
                    delivery={delivery}
                    onOpen={() => setOpened(delivery)}
                    onReplay={() => replay(delivery)}
                  />
                ))}
              </Table>
              <Pager skip={skip} take={PAGE_SIZE} total={total} onChange={setSkip} />
            </>
          )
        }
      </Loaded>
      {opened && <DeliveryDialog delivery={opened} onClose={() => setOpened(undefined)} />}
    </section>
  );
}
