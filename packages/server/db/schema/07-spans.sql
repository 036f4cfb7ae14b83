-- Passes over a long input that are shared among workers, each cut into spans. The only record of that work: what no row says is not done.
create table span_parts (
  task_id   text not null references tasks on delete cascade,
  part      text not null,
  -- The order in which the Task's own worker comes to them.
  position  smallint not null,
  -- JSON as text: networks, stems, what decides their samples, where spans end.
  work      text not null,
  -- Where in the store the input is.
  input_key text not null,
  -- The kind of machine that makes its spans: see workers.
  machine   text not null default '',
  primary key (task_id, part)
);

create table spans (
  task_id       text not null,
  part          text not null,
  number        integer not null,
  -- The Task's own worker makes it, or has.
  is_own        boolean not null default false,
  -- The run of another worker, which renews its claim.
  run_token     text,
  worker_id     text,
  claimed_until timestamptz,
  -- Its progress.
  share         real not null default 0,
  -- Failed runs of other workers.
  faults        smallint not null default 0,
  -- Where in the store the stems are, and JSON as text: their files with sizes.
  stored_key    text,
  files         text,
  primary key (task_id, part, number),
  foreign key (task_id, part) references span_parts on delete cascade
);
create index spans_open on spans (task_id, part, number) where stored_key is null and not is_own;
