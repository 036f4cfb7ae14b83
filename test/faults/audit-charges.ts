import type pg from "pg";
import { type Finding, toFindings } from "./finding.ts";

/** Every completed target must be charged its cost exactly once, and nothing else. Deleted Tasks leave only their entries. */
const WRONG_CHARGES = `
  select targets.id || ' ' || targets.status || ', cost ' || coalesce(targets.cost, 0) || ', charged ' || count(credit_entries.id) || ' times '
    || coalesce(-sum(credit_entries.amount), 0) as detail
  from targets
  left join credit_entries on credit_entries.target_id = targets.id and credit_entries.kind = 'charge'
  group by targets.id
  having count(credit_entries.id) <> (case targets.status when 'completed' then 1 else 0 end)
    or coalesce(-sum(credit_entries.amount), 0) <> coalesce(targets.cost, 0)`;

const WRONG_BALANCES = `
  select client_id || ': balance ' || balance || ', entries ' || entries as detail
  from credit_accounts
  join (select client_id, sum(amount) as entries from credit_entries group by 1) as ledger using (client_id)
  where balance <> entries`;

const RESERVATIONS = `
  select client_id || ': ' || reserved || ' reserved' as detail from credit_accounts where reserved <> 0
  union all
  select 'reservation of target ' || target_id from credit_reservations`;

/** Statistics are updated in the transaction that completes a target, so a second completion would show there. */
const COUNTED_TWICE = `
  select client_id || ': ' || counted || ' targets counted, ' || charged || ' charged' as detail
  from (select client_id, sum(total_targets) as counted from usage_by_month group by 1) as usage
  full join (select client_id, count(*) as charged from credit_entries where kind = 'charge' group by 1) as ledger using (client_id)
  where counted is distinct from charged`;

export async function auditCharges(db: pg.Client): Promise<Finding[]> {
  const list = async (query: string) =>
    (await db.query<{ detail: string }>(query)).rows.map(({ detail }) => detail);
  return [
    ...toFindings("chargesWrong", await list(WRONG_CHARGES)),
    ...toFindings("chargesWrong", await list(WRONG_BALANCES)),
    ...toFindings("reservationsLeft", await list(RESERVATIONS)),
    ...toFindings("targetsTwice", await list(COUNTED_TWICE)),
  ];
}
