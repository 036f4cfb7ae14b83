import type { CreditEntry, ListQuery, Page, RequestOptions } from "@stemwright/sdk";
import { useState } from "preact/hooks";
import { Age } from "../../parts/Age.tsx";
import { Loaded } from "../../parts/Loaded.tsx";
import { Pager } from "../../parts/Pager.tsx";
import { Table } from "../../parts/Table.tsx";
import { useLoad } from "../../parts/use-load.ts";

const PAGE_SIZE = 15;
const HEADS = ["When", "What", "Amount", "Balance after", "Note"];
const KINDS = { grant: "Grant", charge: "Charge", refund: "Refund" };

/** Every change of a balance. `count` changes with new entries. */
export function Ledger({
  load,
  count = 0,
}: {
  load: (page: ListQuery, options: RequestOptions) => Promise<Page<CreditEntry>>;
  count?: number;
}) {
  const [skip, setSkip] = useState(0);
  const entries = useLoad((signal) => load({ skip, take: PAGE_SIZE }, { signal }), [skip, count]);
  return (
    <Loaded loaded={entries}>
      {({ items, total }) =>
        items.length > 0 && (
          <section class="stack" aria-label="Ledger">
            <h2>Ledger</h2>
            <Table label="Changes of the balance" heads={HEADS}>
              {items.map(({ id, createdAt, kind, amount, balanceAfter, note, taskId }) => (
                <tr key={id}>
                  <td>
                    <Age at={createdAt} />
                  </td>
                  <td>{KINDS[kind]}</td>
                  <td>{amount}</td>
                  <td>{balanceAfter}</td>
                  <td>{taskId === undefined ? note : <a href={`app/tasks/${taskId}`}>Task</a>}</td>
                </tr>
              ))}
            </Table>
            <Pager skip={skip} take={PAGE_SIZE} total={total} onChange={setSkip} />
          </section>
        )
      }
    </Loaded>
  );
}
