-- What ended since the service was set up, added to in the transaction that ends it: counting ten million rows takes seconds.
-- Slots keep transactions that end together from waiting for each other.
create table service_totals (
  name  text not null,
  slot  smallint not null,
  total bigint not null,
  primary key (name, slot)
) with (fillfactor = 50);

insert into service_totals
select 'targets ' || status, 0, count(*) from targets where status <> 'processing' group by status
union all
select 'tasks ' || status, 0, count(distinct task_id) from targets where status <> 'processing' group by status
union all
select 'runs completed', 0, count(*) from tasks where completed_at is not null
union all
select 'runs failed', 0, count(distinct task_id) from targets where error_code = 9002;
