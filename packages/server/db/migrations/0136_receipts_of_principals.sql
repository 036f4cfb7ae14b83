-- The key or person whose request it was, and who alone gets the answer again. Null in receipts of an earlier release, for a day.
alter table idempotency_receipts add column principal text;
