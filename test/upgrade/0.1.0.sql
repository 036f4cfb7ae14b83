-- The schema of version 0.1.0 with an account, a finished Task and one that waits: pg_dump --no-owner --no-privileges --inserts.
-- PostgreSQL database dump

-- Dumped from database version 15.18 (Debian 15.18-0+deb12u1)
-- Dumped by pg_dump version 15.18 (Debian 15.18-0+deb12u1)

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

SET default_tablespace = '';

SET default_table_access_method = heap;

CREATE TABLE public.realignments (
    id text NOT NULL,
    client_id text NOT NULL,
    task_id text NOT NULL,
    target_id text NOT NULL,
    stretch text NOT NULL,
    status text DEFAULT 'processing'::text NOT NULL,
    lines text,
    error_code integer,
    error_message text,
    attempts smallint DEFAULT 0 NOT NULL,
    run_token text,
    claimed_at timestamp with time zone,
    claimed_until timestamp with time zone,
    created_at timestamp with time zone DEFAULT date_trunc('milliseconds'::text, now()) NOT NULL,
    CONSTRAINT realignments_status_check CHECK ((status = ANY (ARRAY['processing'::text, 'completed'::text, 'error'::text])))
);

CREATE FUNCTION public.claim_realignment(given_token text, given_seconds integer, given_attempts_max integer, given_lifetime interval) RETURNS SETOF public.realignments
    LANGUAGE plpgsql
    AS $$
begin
  -- See advisory-locks.ts.
  perform pg_advisory_xact_lock(7734214);
  return query
    update realignments set run_token = given_token, attempts = attempts + 1, claimed_at = now(),
      claimed_until = now() + given_seconds * interval '1 second'
    where id = (
      select id from realignments as next
      where status = 'processing' and coalesce(claimed_until <= now(), true) and attempts < given_attempts_max
        and created_at > now() - given_lifetime
        and not exists (
          select from realignments as other
          where other.client_id = next.client_id and other.status = 'processing' and other.claimed_until > now())
      order by (select max(claimed_at) from realignments as served where served.client_id = next.client_id) nulls first,
        created_at, id
      limit 1 for update skip locked)
    returning *;
end $$;

CREATE FUNCTION public.claim_task(given_worker_id text, given_token text, given_running_max integer) RETURNS text
    LANGUAGE plpgsql
    AS $$
declare
  passed_over text[] := '{}';
  chosen record;
begin
  perform from tasks where completed_at is null and run_token is null and due_at is null order by created_at limit 1;
  if not found then
    return null;
  end if;
  -- A claim that a crash of the database forgets is a Task that waits again; the run's first write makes it durable.
  perform set_config('synchronous_commit', 'off', true);
  -- One claim at a time: turns and limits are read and written in it. Any number that nobody else uses.
  perform pg_advisory_xact_lock(7734212);
  update turn_clock set client_running_max = given_running_max where client_running_max <> given_running_max;
  while cardinality(passed_over) < 100 loop
    select line.client_id, line.turn_start, line.turn_length, head.id into chosen
    from waiting_clients as line cross join lateral (
      (select id, -coalesce(priority, 5) as rank, created_at from tasks
        where client_id = line.client_id and not is_long and completed_at is null and run_token is null
          and due_at is null and id <> all (passed_over)
        order by -coalesce(priority, 5), created_at, id limit 1)
      union all
      (select id, -coalesce(priority, 5), created_at from tasks
        where client_id = line.client_id and is_long and completed_at is null and run_token is null
          and due_at is null and id <> all (passed_over) and not (select is_full from long_lane)
        order by -coalesce(priority, 5), created_at, id limit 1)
      order by rank, created_at, id limit 1
    ) as head
    where line.running_max = 0 or line.running < line.running_max
    order by line.turn_start, head.created_at, head.id limit 1;
    if not found then
      return null;
    end if;
    -- A client may be cancelling it, or a session that is about to end may still hold it: the next one, then.
    perform from tasks where id = chosen.id and completed_at is null and run_token is null for update skip locked;
    if found and pg_try_advisory_lock(hashtextextended(chosen.id, 0)) then
      update tasks set run_token = given_token, worker_id = given_worker_id, run_started_at = now(),
        attempts = attempts + 1, attempt_mark = task_mark(id)
      where id = chosen.id;
      update turn_clock set clock = chosen.turn_start where clock < chosen.turn_start;
      insert into client_turns values (chosen.client_id, chosen.turn_start + chosen.turn_length)
      on conflict (client_id) do update set next_turn = excluded.next_turn;
      return chosen.id;
    end if;
    passed_over := passed_over || chosen.id;
  end loop;
  return null;
end $$;

CREATE FUNCTION public.count_added_rows() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  insert into row_counts
  select client_id, tg_table_name, pg_backend_pid() % 64, count(*) from changed group by client_id order by client_id
  on conflict (client_id, noun, slot) do update set total = row_counts.total + excluded.total;
  return null;
end $$;

CREATE FUNCTION public.count_preview_bytes() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  insert into storage_totals values (coalesce(new.client_id, old.client_id), 'outputs', pg_backend_pid() % 64,
    coalesce(new.size_bytes, 0) - coalesce(old.size_bytes, 0))
  on conflict (client_id, noun, slot) do update set total_bytes = storage_totals.total_bytes + excluded.total_bytes;
  delete from storage_holds where id = coalesce(new.task_id, old.task_id) || '-previews';
  return null;
end $$;

CREATE FUNCTION public.count_removed_rows() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  insert into row_counts
  select client_id, tg_table_name, pg_backend_pid() % 64, -count(*) from changed group by client_id order by client_id
  on conflict (client_id, noun, slot) do update set total = row_counts.total + excluded.total;
  return null;
end $$;

CREATE FUNCTION public.count_stored_bytes() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  insert into storage_totals
  select client_id, tg_table_name, pg_backend_pid() % 64, (case tg_op when 'INSERT' then 1 else -1 end) * sum(size_bytes)
  from changed where client_id is not null group by client_id order by client_id
  on conflict (client_id, noun, slot) do update set total_bytes = storage_totals.total_bytes + excluded.total_bytes;
  if tg_op = 'DELETE' then
    return null;
  elsif tg_table_name = 'assets' then
    delete from storage_holds using changed where storage_holds.id = changed.id;
  else
    delete from storage_holds using changed where storage_holds.id = changed.target_id;
  end if;
  return null;
end $$;

CREATE FUNCTION public.refuse_ledger_change() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  raise exception 'the ledger is append-only';
end $$;

CREATE FUNCTION public.release_reservation() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  update credit_accounts set reserved = reserved - old.amount where client_id = old.client_id;
  return null;
end $$;

CREATE FUNCTION public.set_output_client() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  select tasks.client_id into new.client_id from targets join tasks on tasks.id = targets.task_id
  where targets.id = new.target_id and tasks.write_destination is null;
  return new;
end $$;

CREATE FUNCTION public.set_task_length(given_task_id text, given_token text, given_seconds double precision, given_is_long boolean) RETURNS boolean
    LANGUAGE plpgsql
    AS $$
declare
  has_room boolean := true;
begin
  perform from tasks where id = given_task_id and run_token = given_token and completed_at is null for no key update;
  if not found then
    return null;
  end if;
  if given_is_long then
    -- The lock of claim_task; see advisory-locks.ts.
    perform pg_advisory_xact_lock(7734212);
    select not is_full into has_room from long_lane;
  end if;
  update tasks set expected_audio_seconds = given_seconds, is_long = given_is_long where id = given_task_id;
  return has_room;
end $$;

CREATE FUNCTION public.task_mark(given_task_id text) RETURNS real
    LANGUAGE sql STABLE
    AS $$
  select coalesce(sum(case when status = 'processing' then progress else 1 end), 0)::real
  from targets where task_id = given_task_id
$$;

CREATE TABLE public.workers (
    id text NOT NULL,
    host text NOT NULL,
    pid integer NOT NULL,
    version text NOT NULL,
    started_at timestamp with time zone NOT NULL,
    seen_at timestamp with time zone DEFAULT now() NOT NULL,
    task_id text,
    task_since timestamp with time zone,
    memory_bytes bigint NOT NULL,
    engine_seconds double precision NOT NULL,
    audio_seconds double precision NOT NULL,
    networks jsonb DEFAULT '[]'::jsonb NOT NULL,
    machine text
);

CREATE VIEW public.alive_workers AS
 SELECT workers.id,
    workers.host,
    workers.pid,
    workers.version,
    workers.started_at,
    workers.seen_at,
    workers.task_id,
    workers.task_since,
    workers.memory_bytes,
    workers.engine_seconds,
    workers.audio_seconds
   FROM public.workers
  WHERE (workers.seen_at > (now() - '00:00:30'::interval));

CREATE TABLE public.api_keys (
    id text NOT NULL,
    client_id text NOT NULL,
    kind text NOT NULL,
    role text NOT NULL,
    name text NOT NULL,
    hash bytea NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    last_used_at timestamp with time zone,
    revoked_at timestamp with time zone,
    CONSTRAINT api_keys_kind_check CHECK ((kind = ANY (ARRAY['key'::text, 'legacy'::text]))),
    CONSTRAINT api_keys_role_check CHECK ((role = ANY (ARRAY['client'::text, 'admin'::text])))
);

CREATE TABLE public.assets (
    id text NOT NULL,
    client_id text NOT NULL,
    name text NOT NULL,
    format text NOT NULL,
    size_bytes bigint NOT NULL,
    blob_key text NOT NULL,
    media jsonb,
    created_at timestamp with time zone NOT NULL
);

CREATE TABLE public.client_turns (
    client_id text NOT NULL,
    next_turn bigint NOT NULL
)
WITH (fillfactor='50');

CREATE TABLE public.clients (
    id text NOT NULL,
    name text NOT NULL,
    is_metered boolean DEFAULT false NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    suspended_at timestamp with time zone,
    weight smallint DEFAULT 1 NOT NULL,
    running_max integer,
    waiting_max integer,
    storage_quota_bytes bigint,
    is_administrative boolean DEFAULT false NOT NULL,
    CONSTRAINT clients_running_max_check CHECK ((running_max >= 0)),
    CONSTRAINT clients_storage_quota_bytes_check CHECK ((storage_quota_bytes >= 0)),
    CONSTRAINT clients_waiting_max_check CHECK ((waiting_max >= 0)),
    CONSTRAINT clients_weight_check CHECK (((weight >= 1) AND (weight <= 100)))
);

CREATE TABLE public.credit_accounts (
    client_id text NOT NULL,
    balance numeric(20,6) DEFAULT 0 NOT NULL,
    reserved numeric(20,6) DEFAULT 0 NOT NULL,
    CONSTRAINT credit_accounts_check CHECK (((reserved >= (0)::numeric) AND (reserved <= balance)))
);

CREATE TABLE public.credit_entries (
    "position" bigint NOT NULL,
    id text NOT NULL,
    client_id text NOT NULL,
    kind text NOT NULL,
    amount numeric(20,6) NOT NULL,
    balance_after numeric(20,6) NOT NULL,
    note text,
    task_id text,
    target_id text,
    key_id text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT credit_entries_amount_check CHECK ((amount <> (0)::numeric)),
    CONSTRAINT credit_entries_kind_check CHECK ((kind = ANY (ARRAY['grant'::text, 'charge'::text, 'refund'::text])))
);

ALTER TABLE public.credit_entries ALTER COLUMN "position" ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.credit_entries_position_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.credit_reservations (
    target_id text NOT NULL,
    client_id text NOT NULL,
    amount numeric(20,6) NOT NULL,
    CONSTRAINT credit_reservations_amount_check CHECK ((amount >= (0)::numeric))
);

CREATE TABLE public.deliveries (
    id text NOT NULL,
    client_id text NOT NULL,
    webhook_id text,
    task_id text,
    target_id text,
    event text NOT NULL,
    job_status text,
    url text NOT NULL,
    receiver text GENERATED ALWAYS AS (((client_id || ' '::text) || COALESCE(lower("substring"(url, '^[^:]*://(?:[^/?#]*@)?([^/?#]*)'::text)), ''::text))) STORED NOT NULL,
    state text DEFAULT 'pending'::text NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    due_at timestamp with time zone DEFAULT now() NOT NULL,
    claimed_until timestamp with time zone,
    last_attempt_at timestamp with time zone,
    last_status_code integer,
    last_error text,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT deliveries_event_check CHECK ((event = ANY (ARRAY['target'::text, 'job'::text, 'test'::text]))),
    CONSTRAINT deliveries_job_status_check CHECK ((job_status = ANY (ARRAY['processing'::text, 'completed'::text, 'failed'::text]))),
    CONSTRAINT deliveries_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'delivered'::text, 'failed'::text])))
);

CREATE TABLE public.delivery_bodies (
    delivery_id text NOT NULL,
    body text NOT NULL,
    answer text
);

CREATE TABLE public.idempotency_receipts (
    client_id text NOT NULL,
    key text NOT NULL,
    fingerprint bytea NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    sealed_answer bytea
);

CREATE TABLE public.installation_secrets (
    name text NOT NULL,
    value bytea NOT NULL
);

CREATE TABLE public.invitations (
    id text NOT NULL,
    client_id text NOT NULL,
    hash bytea NOT NULL,
    role text NOT NULL,
    email text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    CONSTRAINT invitations_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'member'::text])))
);

CREATE TABLE public.legacy_jobs (
    task_id text NOT NULL,
    request_id text NOT NULL,
    callback_url text,
    metadata jsonb NOT NULL
);

CREATE TABLE public.tasks (
    id text NOT NULL,
    client_id text NOT NULL,
    asset_id text,
    url text,
    storage_integration_id text,
    write_destination text,
    webhook_url text,
    metadata text,
    created_at timestamp with time zone NOT NULL,
    completed_at timestamp with time zone,
    run_started_at timestamp with time zone,
    outputs_removed_at timestamp with time zone,
    started_at timestamp with time zone,
    priority smallint,
    expected_audio_seconds double precision,
    is_long boolean DEFAULT false NOT NULL,
    attempts smallint DEFAULT 0 NOT NULL,
    attempt_mark real DEFAULT 0 NOT NULL,
    due_at timestamp with time zone,
    run_token text,
    worker_id text,
    last_error_name text,
    is_temporary boolean DEFAULT false NOT NULL,
    checkpoint_key text,
    CONSTRAINT tasks_check CHECK (((asset_id IS NULL) <> (url IS NULL))),
    CONSTRAINT tasks_priority_check CHECK (((priority >= 0) AND (priority <= 9)))
);

CREATE VIEW public.long_lane AS
 SELECT ((alive.total > 1) AND (running.total >= (alive.total - 1))) AS is_full
   FROM ( SELECT count(*) AS total
           FROM public.alive_workers) alive,
    ( SELECT count(*) AS total
           FROM public.tasks
          WHERE ((tasks.completed_at IS NULL) AND (tasks.run_token IS NOT NULL) AND tasks.is_long)) running;

CREATE TABLE public.model_grants (
    client_id text NOT NULL,
    model text NOT NULL,
    access text,
    credits_per_minute numeric(20,6),
    CONSTRAINT model_grants_access_check CHECK ((access = ANY (ARRAY['enabled'::text, 'requestAccess'::text])))
);

CREATE TABLE public.outputs (
    target_id text NOT NULL,
    "position" smallint NOT NULL,
    name text NOT NULL,
    format text NOT NULL,
    blob_key text NOT NULL,
    size_bytes bigint NOT NULL,
    media jsonb,
    clipped_samples bigint,
    client_id text
);

CREATE TABLE public.people (
    id text NOT NULL,
    client_id text NOT NULL,
    role text NOT NULL,
    email text,
    name text NOT NULL,
    password_hash text,
    identity text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT people_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'member'::text])))
);

CREATE TABLE public.person_sessions (
    id text NOT NULL,
    person_id text NOT NULL,
    hash bytea NOT NULL,
    method text NOT NULL,
    address text NOT NULL,
    agent text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    last_used_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT person_sessions_method_check CHECK ((method = ANY (ARRAY['password'::text, 'link'::text, 'invitation'::text, 'oidc'::text])))
);

CREATE UNLOGGED TABLE public.rate_counts (
    subject text NOT NULL,
    started_at timestamp with time zone NOT NULL,
    total integer NOT NULL
)
WITH (fillfactor='50');

CREATE TABLE public.row_counts (
    client_id text NOT NULL,
    noun text NOT NULL,
    slot smallint NOT NULL,
    total bigint NOT NULL
)
WITH (fillfactor='50');

CREATE TABLE public.schema_migrations (
    name text NOT NULL,
    applied_at timestamp with time zone DEFAULT now() NOT NULL,
    needs text
);

CREATE TABLE public.service_totals (
    name text NOT NULL,
    slot smallint NOT NULL,
    total bigint NOT NULL
)
WITH (fillfactor='50');

CREATE TABLE public.sign_in_attempts (
    subject bytea NOT NULL,
    attempts integer NOT NULL,
    resets_at timestamp with time zone NOT NULL
);

CREATE TABLE public.sign_in_links (
    hash bytea NOT NULL,
    person_id text NOT NULL,
    expires_at timestamp with time zone NOT NULL
);

CREATE TABLE public.span_parts (
    task_id text NOT NULL,
    part text NOT NULL,
    place smallint NOT NULL,
    work text NOT NULL,
    input_key text NOT NULL,
    machine text DEFAULT ''::text NOT NULL
);

CREATE TABLE public.spans (
    task_id text NOT NULL,
    part text NOT NULL,
    number integer NOT NULL,
    is_own boolean DEFAULT false NOT NULL,
    run_token text,
    worker_id text,
    claimed_until timestamp with time zone,
    share real DEFAULT 0 NOT NULL,
    faults smallint DEFAULT 0 NOT NULL,
    stored_key text,
    files text
);

CREATE TABLE public.storage_holds (
    id text NOT NULL,
    client_id text NOT NULL,
    size_bytes bigint NOT NULL,
    seen_at timestamp with time zone DEFAULT now() NOT NULL
)
WITH (fillfactor='50');

CREATE TABLE public.storage_integrations (
    id text NOT NULL,
    client_id text NOT NULL,
    type text NOT NULL,
    storage_name text NOT NULL,
    auth_config jsonb NOT NULL,
    sealed_secrets bytea NOT NULL,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    CONSTRAINT storage_integrations_type_check CHECK ((type = ANY (ARRAY['aws'::text, 's3'::text, 'gcp'::text, 'azure'::text])))
);

CREATE TABLE public.storage_totals (
    client_id text NOT NULL,
    noun text NOT NULL,
    slot smallint NOT NULL,
    total_bytes bigint NOT NULL
)
WITH (fillfactor='50');

CREATE TABLE public.targets (
    id text NOT NULL,
    task_id text NOT NULL,
    "position" smallint NOT NULL,
    model text NOT NULL,
    formats text[] NOT NULL,
    wishes jsonb NOT NULL,
    credits_per_minute numeric(20,6) NOT NULL,
    status text DEFAULT 'processing'::text NOT NULL,
    progress real DEFAULT 0 NOT NULL,
    cost numeric(20,6),
    duration_seconds double precision,
    error_code integer,
    error_message text,
    finished_at timestamp with time zone,
    expected_at timestamp with time zone,
    CONSTRAINT targets_status_check CHECK ((status = ANY (ARRAY['processing'::text, 'completed'::text, 'error'::text])))
);

CREATE TABLE public.task_previews (
    task_id text NOT NULL,
    client_id text NOT NULL,
    version text NOT NULL,
    shape jsonb NOT NULL,
    chunks jsonb NOT NULL,
    size_bytes bigint NOT NULL
);

CREATE TABLE public.task_shares (
    id text NOT NULL,
    task_id text NOT NULL,
    token_hash bytea NOT NULL,
    created_at timestamp with time zone DEFAULT date_trunc('milliseconds'::text, now()) NOT NULL,
    expires_at timestamp with time zone NOT NULL
);

CREATE TABLE public.task_sources (
    task_id text NOT NULL,
    target_id text,
    blob_key text,
    stored_id text GENERATED ALWAYS AS (split_part(blob_key, '/'::text, 2)) STORED,
    sealed_login bytea
);

CREATE TABLE public.turn_clock (
    is_only boolean DEFAULT true NOT NULL,
    clock bigint DEFAULT 0 NOT NULL,
    client_running_max integer DEFAULT 0 NOT NULL,
    CONSTRAINT turn_clock_is_only_check CHECK (is_only)
)
WITH (fillfactor='50');

CREATE TABLE public.unclaimed_files (
    key_prefix text NOT NULL,
    due_at timestamp with time zone NOT NULL,
    is_being_removed boolean DEFAULT false NOT NULL,
    written_until timestamp with time zone,
    client_id text,
    asset jsonb
);

CREATE TABLE public.usage_by_month (
    client_id text NOT NULL,
    month date NOT NULL,
    model text NOT NULL,
    total_targets bigint NOT NULL,
    total_seconds numeric(20,6) NOT NULL,
    total_credits numeric(20,6) NOT NULL,
    job_targets bigint DEFAULT 0 NOT NULL,
    job_seconds numeric(20,6) DEFAULT 0 NOT NULL
);

CREATE VIEW public.waiting_clients AS
 WITH RECURSIVE found AS (
        ( SELECT tasks.client_id
           FROM public.tasks
          WHERE ((tasks.completed_at IS NULL) AND (tasks.run_token IS NULL))
          ORDER BY tasks.client_id, tasks.is_long, (- COALESCE((tasks.priority)::integer, 5)), tasks.created_at, tasks.id
         LIMIT 1)
        UNION ALL
         SELECT ( SELECT tasks.client_id
                   FROM public.tasks
                  WHERE ((tasks.completed_at IS NULL) AND (tasks.run_token IS NULL) AND (tasks.client_id > found_1.client_id))
                  ORDER BY tasks.client_id, tasks.is_long, (- COALESCE((tasks.priority)::integer, 5)), tasks.created_at, tasks.id
                 LIMIT 1) AS client_id
           FROM found found_1
          WHERE (found_1.client_id IS NOT NULL)
        )
 SELECT clients.id AS client_id,
    clients.weight,
    limits.running_max,
    GREATEST(COALESCE(client_turns.next_turn, (0)::bigint), turn_clock.clock) AS turn_start,
    (1000000 / clients.weight) AS turn_length,
        CASE
            WHEN (limits.running_max > 0) THEN ( SELECT count(*) AS count
               FROM public.tasks
              WHERE ((tasks.client_id = clients.id) AND (tasks.completed_at IS NULL) AND (tasks.run_token IS NOT NULL)))
            ELSE (0)::bigint
        END AS running
   FROM ((((found
     JOIN public.clients ON ((clients.id = found.client_id)))
     CROSS JOIN public.turn_clock)
     CROSS JOIN LATERAL ( SELECT COALESCE(clients.running_max, turn_clock.client_running_max) AS running_max) limits)
     LEFT JOIN public.client_turns ON ((client_turns.client_id = clients.id)));

CREATE TABLE public.webhook_secrets (
    client_id text NOT NULL,
    secret bytea NOT NULL,
    previous bytea,
    previous_until timestamp with time zone,
    is_sealed boolean DEFAULT false NOT NULL
);

CREATE TABLE public.webhooks (
    id text NOT NULL,
    client_id text NOT NULL,
    url text NOT NULL,
    enabled boolean DEFAULT true NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE public.word_edits (
    target_id text NOT NULL,
    revision integer NOT NULL,
    document text,
    updated_at timestamp with time zone DEFAULT date_trunc('milliseconds'::text, now()) NOT NULL,
    CONSTRAINT word_edits_revision_check CHECK ((revision > 0))
);

INSERT INTO public.api_keys VALUES ('3j45j63s5t2whwy3qsvgyyt85g', 'jztw82vmg0d22hd9k4ryjr7xb4', 'key', 'admin', 'First key', '\x8880cf9fb352c991bd78022e216f669068532d53f32bc72f3ea8859c6e1afcc7', '2026-11-17 14:12:04.440354+00', '2026-11-17 14:12:09.215705+00', NULL);

INSERT INTO public.assets VALUES ('h8gxj9rngvhrswdkwbt5r2qqpr', 'jztw82vmg0d22hd9k4ryjr7xb4', 'song.wav', 'wav', 3244, 'assets/h8gxj9rngvhrswdkwbt5r2qqpr/song.wav', '{"channels": 1, "hasVideo": false, "isReadable": true, "sampleRateHz": 8000, "durationSeconds": 0.1}', '2026-11-17 14:12:09.274+00');

INSERT INTO public.client_turns VALUES ('jztw82vmg0d22hd9k4ryjr7xb4', 1000000);

INSERT INTO public.clients VALUES ('jztw82vmg0d22hd9k4ryjr7xb4', 'First account', false, '2026-11-17 14:12:04.426677+00', NULL, 1, NULL, NULL, NULL, false);

INSERT INTO public.credit_accounts VALUES ('jztw82vmg0d22hd9k4ryjr7xb4', 100.000000, 0.000000);

INSERT INTO public.credit_entries OVERRIDING SYSTEM VALUE VALUES (1, '9rf65wm072fn419t64q9wry9j8', 'jztw82vmg0d22hd9k4ryjr7xb4', 'grant', 100.000000, 100.000000, 'welcome', NULL, NULL, '3j45j63s5t2whwy3qsvgyyt85g', '2026-11-17 14:12:15.181014+00');

INSERT INTO public.idempotency_receipts VALUES ('jztw82vmg0d22hd9k4ryjr7xb4', 'cb55b13cb9dcc0512c20cbc7fa7ec289', '\xbf6a60edf84f9ce9a5c57544044984ad2bade8d2ff99bba42770fbcc69ecaee0', '2026-11-17 14:12:09.277877+00', '\xd5a08a86ea8cf1cb38b3525fdd937682bbdeb79e7ac51d3d05f6d834a3fc57662001f255c21fa90d035a4b72518df368997192a3b6ed6ea8b885da19f21235deaecab2e40852a2bab29349ab52826885ab8ce8309306b6fb2fcd8af1549def1aa2f5f180b074f679027d44be1f7294b8c1ca6cb8268513371cdeac8957a39529710119e68abc03dd321d933fcddd2d84468d8dc1accefc44bb8116aa7b32ee14d050296d17176710fc0061c5417ebba24dcde4b26b505fa769b506c9ae1c2485ec98bba1449ae4f3a1b4e235b80eb4f6898b0aa21f61335e4253a1ecc24ee81d54b177394d282f1065273b83d726c4ab79a937c3700ceba71752b017346d2e9bb97dfaabdaa96254b8b9cb80116cb17e6e26abed60e245bdece64e61d2c944391715d9ad4a7ca3d2605a4c6938d5644e38a0780068575d291dddada0eec95b095a71a8bf683b9f418ba0');
INSERT INTO public.idempotency_receipts VALUES ('jztw82vmg0d22hd9k4ryjr7xb4', 'fa03779d01fcca9131836dcea6f971a0', '\x141ee4359fc204fd787b9bd31bd1197a1412c52d4b202b8609cf4a4fc47b0b74', '2026-11-17 14:12:09.632484+00', '\xd5a08a86ea8cf1cb7f71adf3c39ee75fcd06838562fbe5471d524d807d292fb62b882d340b8b9f1315d4f6a569b3b223f77944c5b36d14f9be4d088453c4722ffc2b4a78af902e2a4ff7f0f8a294c39596d62887c805cc896106fed8691ec317e73e26e16a1fbffba971999af2e0673d3a7d6604105679b1b78e1bf74a346933ca243989dceac3efc3044db81d54a051fa6981681de14f4a5c8a55d7c0a06d267bd92c9f23b734225ce6fd28eae5c6ac964d7ccebb985f94090e62ced8af501a8bff18b013c8f133afd84871d925d142df7808bc0e7884d7d447e7a1a1e987e4bcda9201875605d8cb16bc981678b98f9f0866bacbc4d60b4355443f8876db69134341c3d38a687931a46245828e69b65f188b85148c2115e45c1063ea2551064b241e15296963c4b4cbcfa331fa77abc69290d05062a06ab2604aefc47a53b6c45a3be87895189e24ed19046b07be14de21c903bd650bab0f48a3fa78780454ce6c246f3cd907b4a73174bc491a40829b95cecb248f124b2190c51c');
INSERT INTO public.idempotency_receipts VALUES ('jztw82vmg0d22hd9k4ryjr7xb4', 'c295eed2b1f17cf1f754e78b156b2e60', '\xd1fc3c2040dca76199d69ed40c57ac452580788e0add4bc60d9e37bbce262ceb', '2026-11-17 14:12:15.118424+00', '\xd5a08a86ea8cf1cbcd9ebe21a76cab08d71881ec12a236e085da3f5f1985b89f2b6eb3d65c5083c499568915bc4d3687c1993aa09d49d7ea9e2e10e5b0346ad1a7b9ce087f2cebf051161b4a3bbe1520bf627480890bac04fbf7b2b48218ddcaf11203b06554347e42c852c07e28c1cfb305c50bc4bbdf1dfd5c13d4b7d50f4ada9c0202e945cbfeba41625ea18ff07c4f9d6c668a1ef98c1256a42b2c0f3b5b201db516caa0327d3222fd911949343bd3472b63a7921d9be8ca802c581620ae340b0ab87669948a34e69548069860f0ed541fd4c4e44d15569bd5d3662d4e99b250e2e874b2cab2f19a2d7067e445136005b38de2c6f95910d26217b8fac7aeee226d8cd45328b21cf0c5995039785eb85f43e18cb9ee95d4edab569480ccf60aced2b60472db8ce04ab8f57d3285570f75622989705bf1a17b291f229c7c1bc8d0d33372e5bad2ea6ebb0d9838e16c4ebc3b90ade725b734e4d3f463dbb52bccd499a3');
INSERT INTO public.idempotency_receipts VALUES ('jztw82vmg0d22hd9k4ryjr7xb4', '0d0a216df20f20e12d4d8fa6cde0c953', '\x3c355ed87e2d42a06d232690a9488db7c3d4e0e9b29cc0cfa4897881b27920f3', '2026-11-17 14:12:15.181014+00', '\xd5a08a86ea8cf1cbe80e37e3f8e896a6f27237200c2959fc70e586d9941e8a56159f47054e5a85db2b2724aeb107aec02efea94ce4639a5660f3b43236fd4c57214871b13bdb00632bbe984927996364fb55ed533d2e59e4fe2ce3e8d546d3eb9986d63497fc86048dfe69f96aed2df3faf43a98f844db9b558c62cdb635ded31ec9e7ec3b1f5f85901aec328e3e46b3da6e7bdbeb9b8133d5c66a5b4dfbb45b5f602472845a8697222372394132feb465f79073e1a4568cd97bd19bbac93b6336362f9418c3010c573f5d72bd118bb0d6a21f');

INSERT INTO public.installation_secrets VALUES ('links', '\xa572db00ca4905f3230c8a8d6c77c79433403935f7f0af44c74269a4e915999a');
INSERT INTO public.installation_secrets VALUES ('vault canary', '\x07e952d71c1aed31c7cc5ad2b7e0e08b25100b748a3a3932600f258e390ed5581b1461b0466e59355b031d82a5361d11');

INSERT INTO public.outputs VALUES ('kv49g0abxzv8c5080pps480791', 0, 'vocals', 'wav', 'outputs/e4jbspbvq6gej2ftthhbx3eecb/kv49g0abxzv8c5080pps480791/vocals.wav', 4, NULL, NULL, 'jztw82vmg0d22hd9k4ryjr7xb4');

INSERT INTO public.realignments VALUES ('3j45j63s5t2whwy3qsvgyyt85h', 'jztw82vmg0d22hd9k4ryjr7xb4', 'e4jbspbvq6gej2ftthhbx3eecb', 'kv49g0abxzv8c5080pps480791', '{"startSeconds":1}', 'processing', NULL, NULL, NULL, 0, NULL, NULL, NULL, '2026-11-17 14:12:20+00');

INSERT INTO public.row_counts VALUES ('jztw82vmg0d22hd9k4ryjr7xb4', 'assets', 32, 1);
INSERT INTO public.row_counts VALUES ('jztw82vmg0d22hd9k4ryjr7xb4', 'tasks', 32, 1);
INSERT INTO public.row_counts VALUES ('jztw82vmg0d22hd9k4ryjr7xb4', 'tasks', 33, 1);

INSERT INTO public.schema_migrations VALUES ('0001_house.sql', '2026-11-17 14:12:04+00', NULL);
INSERT INTO public.schema_migrations VALUES ('0010_usage.sql', '2026-11-17 14:12:04+00', NULL);
INSERT INTO public.schema_migrations VALUES ('0011_runs.sql', '2026-11-17 14:12:04+00', NULL);
INSERT INTO public.schema_migrations VALUES ('0012_row_counts.sql', '2026-11-17 14:12:04+00', NULL);
INSERT INTO public.schema_migrations VALUES ('0013_idempotency.sql', '2026-11-17 14:12:04+00', NULL);
INSERT INTO public.schema_migrations VALUES ('0014_retention.sql', '2026-11-17 14:12:04+00', NULL);
INSERT INTO public.schema_migrations VALUES ('0020_accounts.sql', '2026-11-17 14:12:04+00', NULL);
INSERT INTO public.schema_migrations VALUES ('0030_webhooks.sql', '2026-11-17 14:12:04+00', NULL);
INSERT INTO public.schema_migrations VALUES ('0031_legacy_jobs.sql', '2026-11-17 14:12:04+00', NULL);
INSERT INTO public.schema_migrations VALUES ('0040_storage_integrations.sql', '2026-11-17 14:12:04+00', NULL);
INSERT INTO public.schema_migrations VALUES ('0050_sealed_receipts.sql', '2026-11-17 14:12:04+00', NULL);
INSERT INTO public.schema_migrations VALUES ('0051_sealed_webhook_secrets.sql', '2026-11-17 14:12:04+00', NULL);
INSERT INTO public.schema_migrations VALUES ('0052_delivery_log.sql', '2026-11-17 14:12:04+00', NULL);
INSERT INTO public.schema_migrations VALUES ('0053_usage_of_jobs.sql', '2026-11-17 14:12:04+00', NULL);
INSERT INTO public.schema_migrations VALUES ('0054_progress_time.sql', '2026-11-17 14:12:04+00', NULL);
INSERT INTO public.schema_migrations VALUES ('0055_expected_time.sql', '2026-11-17 14:12:04+00', NULL);
INSERT INTO public.schema_migrations VALUES ('0060_unclaimed_files.sql', '2026-11-17 14:12:04+00', NULL);
INSERT INTO public.schema_migrations VALUES ('0065_a_task_is_its_own_job.sql', '2026-11-17 14:12:04+00', NULL);
INSERT INTO public.schema_migrations VALUES ('0066_turns.sql', '2026-11-17 14:12:04+00', NULL);
INSERT INTO public.schema_migrations VALUES ('0067_totals.sql', '2026-11-17 14:12:04+00', NULL);
INSERT INTO public.schema_migrations VALUES ('0068_claims_by_index.sql', '2026-11-17 14:12:04+00', NULL);
INSERT INTO public.schema_migrations VALUES ('0075_task_sources.sql', '2026-11-17 14:12:04+00', NULL);
INSERT INTO public.schema_migrations VALUES ('0076_clipped_samples.sql', '2026-11-17 14:12:04+00', NULL);
INSERT INTO public.schema_migrations VALUES ('0077_storage_quotas.sql', '2026-11-17 14:12:04+00', NULL);
INSERT INTO public.schema_migrations VALUES ('0080_people.sql', '2026-11-17 14:12:04+00', NULL);
INSERT INTO public.schema_migrations VALUES ('0090_words.sql', '2026-11-17 14:12:04+00', NULL);
INSERT INTO public.schema_migrations VALUES ('0091_shares.sql', '2026-11-17 14:12:04+00', NULL);
INSERT INTO public.schema_migrations VALUES ('0100_temporary_tasks.sql', '2026-11-17 14:12:04+00', NULL);
INSERT INTO public.schema_migrations VALUES ('0085_previews.sql', '2026-11-17 14:12:04+00', NULL);
INSERT INTO public.schema_migrations VALUES ('0095_needed_release.sql', '2026-11-17 14:12:04+00', NULL);
INSERT INTO public.schema_migrations VALUES ('0096_checkpoints.sql', '2026-11-17 14:12:04+00', NULL);
INSERT INTO public.schema_migrations VALUES ('0110_delivery_bodies.sql', '2026-11-17 14:12:04+00', NULL);
INSERT INTO public.schema_migrations VALUES ('0113_old_tasks.sql', '2026-11-17 14:12:04+00', NULL);
INSERT INTO public.schema_migrations VALUES ('0114_rate_counts.sql', '2026-11-17 14:12:04+00', NULL);
INSERT INTO public.schema_migrations VALUES ('0120_spans.sql', '2026-11-17 14:12:04+00', NULL);
INSERT INTO public.schema_migrations VALUES ('0121_worker_networks.sql', '2026-11-17 14:12:04+00', NULL);
INSERT INTO public.schema_migrations VALUES ('0122_limits_under_a_lock.sql', '2026-11-17 14:12:04+00', NULL);
INSERT INTO public.schema_migrations VALUES ('0123_machines_of_spans.sql', '2026-11-17 14:12:04+00', NULL);

INSERT INTO public.service_totals VALUES ('runs completed', 0, 0);
INSERT INTO public.service_totals VALUES ('runs failed', 0, 0);
INSERT INTO public.service_totals VALUES ('runs completed', 14, 1);
INSERT INTO public.service_totals VALUES ('targets completed', 14, 1);
INSERT INTO public.service_totals VALUES ('tasks completed', 14, 1);

INSERT INTO public.sign_in_attempts VALUES ('\x00', 3, '2026-11-17 15:00:00+00');

INSERT INTO public.span_parts VALUES ('apfc0w8e1s9jagxx835075yj08', 'htdemucs', 1, '{}', 'inputs/x', '');

INSERT INTO public.storage_holds VALUES ('some-upload', 'jztw82vmg0d22hd9k4ryjr7xb4', 9007199254740993, '2026-11-19 20:16:41.414259+00');

INSERT INTO public.storage_totals VALUES ('jztw82vmg0d22hd9k4ryjr7xb4', 'assets', 32, 3244);
INSERT INTO public.storage_totals VALUES ('jztw82vmg0d22hd9k4ryjr7xb4', 'outputs', 14, 4);

INSERT INTO public.targets VALUES ('bvrp715wz37yrb0dckgevnb96p', 'apfc0w8e1s9jagxx835075yj08', 0, 'drums', '{flac}', '{}', 1.000000, 'processing', 0, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.targets VALUES ('kv49g0abxzv8c5080pps480791', 'e4jbspbvq6gej2ftthhbx3eecb', 0, 'vocals', '{wav}', '{"residual": true}', 1.000000, 'completed', 1, 2.000000, 61, NULL, NULL, '2026-11-17 14:12:15.013729+00', NULL);

INSERT INTO public.tasks VALUES ('e4jbspbvq6gej2ftthhbx3eecb', 'jztw82vmg0d22hd9k4ryjr7xb4', 'h8gxj9rngvhrswdkwbt5r2qqpr', NULL, NULL, NULL, NULL, '"from 0.1.0"', '2026-11-17 14:12:09.631+00', '2026-11-17 14:12:15.013+00', '2026-11-17 14:12:09.765192+00', NULL, '2026-11-17 14:12:14.917+00', NULL, 0.1, false, 1, 0, NULL, 'w5h7gcmzq1gpwbgtsmx7vnj0sa', '7gny0z7xhsh56nkhpkbe6cqzem', NULL, false, NULL);
INSERT INTO public.tasks VALUES ('apfc0w8e1s9jagxx835075yj08', 'jztw82vmg0d22hd9k4ryjr7xb4', 'h8gxj9rngvhrswdkwbt5r2qqpr', NULL, NULL, NULL, NULL, NULL, '2026-11-17 14:12:15.118+00', NULL, NULL, NULL, NULL, NULL, 0.1, false, 1, 0.25, NULL, NULL, NULL, NULL, false, NULL);

INSERT INTO public.turn_clock VALUES (true, 500000, 0);

INSERT INTO public.usage_by_month VALUES ('jztw82vmg0d22hd9k4ryjr7xb4', '2026-11-01', 'vocals', 1, 61.000000, 2.000000, 0, 0.000000);

INSERT INTO public.webhook_secrets VALUES ('jztw82vmg0d22hd9k4ryjr7xb4', '\x07e952d71c1aed3107fb2c1ff4314980f81d59a3c1ad06d167993230455d317cd075796d66a3f82a52184382fce8b65c0003881cfc02dc554809757e0a55c5b5c8ed14d10e3dc192bd6f1a05c1151167', NULL, NULL, true);

SELECT pg_catalog.setval('public.credit_entries_position_seq', 1, true);

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_hash_key UNIQUE (hash);

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.assets
    ADD CONSTRAINT assets_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.client_turns
    ADD CONSTRAINT client_turns_pkey PRIMARY KEY (client_id);

ALTER TABLE ONLY public.clients
    ADD CONSTRAINT clients_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.credit_accounts
    ADD CONSTRAINT credit_accounts_pkey PRIMARY KEY (client_id);

ALTER TABLE ONLY public.credit_entries
    ADD CONSTRAINT credit_entries_id_key UNIQUE (id);

ALTER TABLE ONLY public.credit_entries
    ADD CONSTRAINT credit_entries_pkey PRIMARY KEY ("position");

ALTER TABLE ONLY public.credit_reservations
    ADD CONSTRAINT credit_reservations_pkey PRIMARY KEY (target_id);

ALTER TABLE ONLY public.deliveries
    ADD CONSTRAINT deliveries_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.delivery_bodies
    ADD CONSTRAINT delivery_bodies_pkey PRIMARY KEY (delivery_id);

ALTER TABLE ONLY public.idempotency_receipts
    ADD CONSTRAINT idempotency_receipts_pkey PRIMARY KEY (client_id, key);

ALTER TABLE ONLY public.installation_secrets
    ADD CONSTRAINT installation_secrets_pkey PRIMARY KEY (name);

ALTER TABLE ONLY public.invitations
    ADD CONSTRAINT invitations_hash_key UNIQUE (hash);

ALTER TABLE ONLY public.invitations
    ADD CONSTRAINT invitations_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.legacy_jobs
    ADD CONSTRAINT legacy_jobs_pkey PRIMARY KEY (task_id);

ALTER TABLE ONLY public.model_grants
    ADD CONSTRAINT model_grants_pkey PRIMARY KEY (client_id, model);

ALTER TABLE ONLY public.outputs
    ADD CONSTRAINT outputs_pkey PRIMARY KEY (target_id, "position");

ALTER TABLE ONLY public.people
    ADD CONSTRAINT people_email_key UNIQUE (email);

ALTER TABLE ONLY public.people
    ADD CONSTRAINT people_identity_key UNIQUE (identity);

ALTER TABLE ONLY public.people
    ADD CONSTRAINT people_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.person_sessions
    ADD CONSTRAINT person_sessions_hash_key UNIQUE (hash);

ALTER TABLE ONLY public.person_sessions
    ADD CONSTRAINT person_sessions_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.rate_counts
    ADD CONSTRAINT rate_counts_pkey PRIMARY KEY (subject);

ALTER TABLE ONLY public.realignments
    ADD CONSTRAINT realignments_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.row_counts
    ADD CONSTRAINT row_counts_pkey PRIMARY KEY (client_id, noun, slot);

ALTER TABLE ONLY public.schema_migrations
    ADD CONSTRAINT schema_migrations_pkey PRIMARY KEY (name);

ALTER TABLE ONLY public.service_totals
    ADD CONSTRAINT service_totals_pkey PRIMARY KEY (name, slot);

ALTER TABLE ONLY public.sign_in_attempts
    ADD CONSTRAINT sign_in_attempts_pkey PRIMARY KEY (subject);

ALTER TABLE ONLY public.sign_in_links
    ADD CONSTRAINT sign_in_links_pkey PRIMARY KEY (hash);

ALTER TABLE ONLY public.span_parts
    ADD CONSTRAINT span_parts_pkey PRIMARY KEY (task_id, part);

ALTER TABLE ONLY public.spans
    ADD CONSTRAINT spans_pkey PRIMARY KEY (task_id, part, number);

ALTER TABLE ONLY public.storage_holds
    ADD CONSTRAINT storage_holds_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.storage_integrations
    ADD CONSTRAINT storage_integrations_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.storage_totals
    ADD CONSTRAINT storage_totals_pkey PRIMARY KEY (client_id, noun, slot);

ALTER TABLE ONLY public.targets
    ADD CONSTRAINT targets_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.targets
    ADD CONSTRAINT targets_task_id_position_key UNIQUE (task_id, "position");

ALTER TABLE ONLY public.task_previews
    ADD CONSTRAINT task_previews_pkey PRIMARY KEY (task_id);

ALTER TABLE ONLY public.task_shares
    ADD CONSTRAINT task_shares_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.task_shares
    ADD CONSTRAINT task_shares_token_hash_key UNIQUE (token_hash);

ALTER TABLE ONLY public.task_sources
    ADD CONSTRAINT task_sources_task_id_target_id_key UNIQUE NULLS NOT DISTINCT (task_id, target_id);

ALTER TABLE ONLY public.tasks
    ADD CONSTRAINT tasks_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.turn_clock
    ADD CONSTRAINT turn_clock_pkey PRIMARY KEY (is_only);

ALTER TABLE ONLY public.unclaimed_files
    ADD CONSTRAINT unclaimed_files_pkey PRIMARY KEY (key_prefix);

ALTER TABLE ONLY public.usage_by_month
    ADD CONSTRAINT usage_by_month_pkey PRIMARY KEY (client_id, month, model);

ALTER TABLE ONLY public.webhook_secrets
    ADD CONSTRAINT webhook_secrets_pkey PRIMARY KEY (client_id);

ALTER TABLE ONLY public.webhooks
    ADD CONSTRAINT webhooks_client_id_key UNIQUE (client_id);

ALTER TABLE ONLY public.webhooks
    ADD CONSTRAINT webhooks_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.word_edits
    ADD CONSTRAINT word_edits_pkey PRIMARY KEY (target_id);

ALTER TABLE ONLY public.workers
    ADD CONSTRAINT workers_pkey PRIMARY KEY (id);

CREATE INDEX assets_newest ON public.assets USING btree (client_id, created_at DESC, id DESC);

CREATE INDEX assets_oldest ON public.assets USING btree (created_at);

CREATE INDEX credit_entries_newest ON public.credit_entries USING btree (client_id, "position" DESC);

CREATE UNIQUE INDEX credit_entries_one_charge ON public.credit_entries USING btree (target_id) WHERE (kind = 'charge'::text);

CREATE INDEX deliveries_claimed ON public.deliveries USING btree (claimed_until) WHERE ((state = 'pending'::text) AND (claimed_until IS NOT NULL));

CREATE INDEX deliveries_due ON public.deliveries USING btree (receiver, due_at, id) WHERE (state = 'pending'::text);

CREATE INDEX deliveries_newest ON public.deliveries USING btree (client_id, created_at DESC, id DESC);

CREATE INDEX deliveries_of_task ON public.deliveries USING btree (task_id);

CREATE INDEX deliveries_oldest ON public.deliveries USING btree (created_at) WHERE (state <> 'pending'::text);

CREATE INDEX idempotency_receipts_oldest ON public.idempotency_receipts USING btree (created_at);

CREATE INDEX invitations_of_client ON public.invitations USING btree (client_id, created_at, id);

CREATE INDEX people_of_client ON public.people USING btree (client_id, created_at, id);

CREATE INDEX person_sessions_of_person ON public.person_sessions USING btree (person_id);

CREATE INDEX realignments_created ON public.realignments USING btree (created_at);

CREATE INDEX realignments_processing ON public.realignments USING btree (client_id, created_at) WHERE (status = 'processing'::text);

CREATE INDEX realignments_target ON public.realignments USING btree (target_id);

CREATE INDEX realignments_task ON public.realignments USING btree (task_id);

CREATE INDEX spans_open ON public.spans USING btree (task_id, part, number) WHERE ((stored_key IS NULL) AND (NOT is_own));

CREATE INDEX storage_holds_client ON public.storage_holds USING btree (client_id);

CREATE INDEX storage_integrations_newest ON public.storage_integrations USING btree (client_id, created_at DESC, id DESC);

CREATE INDEX targets_processing ON public.targets USING btree (task_id) WHERE (status = 'processing'::text);

CREATE INDEX targets_unfinished_transcripts ON public.targets USING btree (((wishes ->> 'transcriptAssetId'::text))) WHERE ((status = 'processing'::text) AND (wishes ? 'transcriptAssetId'::text));

CREATE INDEX task_shares_expires ON public.task_shares USING btree (expires_at);

CREATE INDEX task_shares_task ON public.task_shares USING btree (task_id, created_at);

CREATE INDEX task_sources_stored ON public.task_sources USING btree (stored_id) WHERE (stored_id IS NOT NULL);

CREATE INDEX task_sources_target ON public.task_sources USING btree (target_id) WHERE (target_id IS NOT NULL);

CREATE INDEX tasks_delayed ON public.tasks USING btree (due_at) WHERE ((completed_at IS NULL) AND (run_token IS NULL) AND (due_at IS NOT NULL));

CREATE INDEX tasks_ended ON public.tasks USING btree (completed_at) WHERE (completed_at IS NOT NULL);

CREATE INDEX tasks_newest ON public.tasks USING btree (client_id, created_at DESC, id DESC);

CREATE INDEX tasks_running ON public.tasks USING btree (client_id) INCLUDE (is_long) WHERE ((completed_at IS NULL) AND (run_token IS NOT NULL));

CREATE INDEX tasks_temporary ON public.tasks USING btree (created_at) WHERE is_temporary;

CREATE INDEX tasks_unfinished_assets ON public.tasks USING btree (asset_id) WHERE ((completed_at IS NULL) AND (asset_id IS NOT NULL));

CREATE INDEX tasks_unfinished_by_integration ON public.tasks USING btree (storage_integration_id) WHERE ((completed_at IS NULL) AND (storage_integration_id IS NOT NULL));

CREATE INDEX tasks_waiting ON public.tasks USING btree (client_id, is_long, ((- COALESCE((priority)::integer, 5))), created_at, id) WHERE ((completed_at IS NULL) AND (run_token IS NULL));

CREATE INDEX tasks_waiting_oldest ON public.tasks USING btree (created_at) WHERE ((completed_at IS NULL) AND (run_token IS NULL));

CREATE INDEX tasks_with_outputs ON public.tasks USING btree (completed_at) WHERE ((completed_at IS NOT NULL) AND (outputs_removed_at IS NULL) AND (write_destination IS NULL));

CREATE INDEX unclaimed_files_due ON public.unclaimed_files USING btree (due_at);

CREATE TRIGGER assets_added AFTER INSERT ON public.assets REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION public.count_added_rows();

CREATE TRIGGER assets_bytes_added AFTER INSERT ON public.assets REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION public.count_stored_bytes();

CREATE TRIGGER assets_bytes_removed AFTER DELETE ON public.assets REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION public.count_stored_bytes();

CREATE TRIGGER assets_removed AFTER DELETE ON public.assets REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION public.count_removed_rows();

CREATE TRIGGER credit_entries_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.credit_entries FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_ledger_change();

CREATE TRIGGER credit_reservations_release AFTER DELETE ON public.credit_reservations FOR EACH ROW EXECUTE FUNCTION public.release_reservation();

CREATE TRIGGER outputs_bytes_added AFTER INSERT ON public.outputs REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION public.count_stored_bytes();

CREATE TRIGGER outputs_bytes_removed AFTER DELETE ON public.outputs REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION public.count_stored_bytes();

CREATE TRIGGER outputs_client BEFORE INSERT ON public.outputs FOR EACH ROW EXECUTE FUNCTION public.set_output_client();

CREATE TRIGGER task_previews_bytes AFTER INSERT OR DELETE OR UPDATE ON public.task_previews FOR EACH ROW EXECUTE FUNCTION public.count_preview_bytes();

CREATE TRIGGER tasks_added AFTER INSERT ON public.tasks REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION public.count_added_rows();

CREATE TRIGGER tasks_removed AFTER DELETE ON public.tasks REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION public.count_removed_rows();

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_client_id_fkey FOREIGN KEY (client_id) REFERENCES public.clients(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.assets
    ADD CONSTRAINT assets_client_id_fkey FOREIGN KEY (client_id) REFERENCES public.clients(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.client_turns
    ADD CONSTRAINT client_turns_client_id_fkey FOREIGN KEY (client_id) REFERENCES public.clients(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.credit_accounts
    ADD CONSTRAINT credit_accounts_client_id_fkey FOREIGN KEY (client_id) REFERENCES public.clients(id);

ALTER TABLE ONLY public.credit_entries
    ADD CONSTRAINT credit_entries_client_id_fkey FOREIGN KEY (client_id) REFERENCES public.clients(id);

ALTER TABLE ONLY public.credit_reservations
    ADD CONSTRAINT credit_reservations_client_id_fkey FOREIGN KEY (client_id) REFERENCES public.clients(id);

ALTER TABLE ONLY public.credit_reservations
    ADD CONSTRAINT credit_reservations_target_id_fkey FOREIGN KEY (target_id) REFERENCES public.targets(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.deliveries
    ADD CONSTRAINT deliveries_client_id_fkey FOREIGN KEY (client_id) REFERENCES public.clients(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.deliveries
    ADD CONSTRAINT deliveries_task_id_fkey FOREIGN KEY (task_id) REFERENCES public.tasks(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.delivery_bodies
    ADD CONSTRAINT delivery_bodies_delivery_id_fkey FOREIGN KEY (delivery_id) REFERENCES public.deliveries(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.idempotency_receipts
    ADD CONSTRAINT idempotency_receipts_client_id_fkey FOREIGN KEY (client_id) REFERENCES public.clients(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.invitations
    ADD CONSTRAINT invitations_client_id_fkey FOREIGN KEY (client_id) REFERENCES public.clients(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.legacy_jobs
    ADD CONSTRAINT legacy_jobs_task_id_fkey FOREIGN KEY (task_id) REFERENCES public.tasks(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.model_grants
    ADD CONSTRAINT model_grants_client_id_fkey FOREIGN KEY (client_id) REFERENCES public.clients(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.outputs
    ADD CONSTRAINT outputs_target_id_fkey FOREIGN KEY (target_id) REFERENCES public.targets(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.people
    ADD CONSTRAINT people_client_id_fkey FOREIGN KEY (client_id) REFERENCES public.clients(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.person_sessions
    ADD CONSTRAINT person_sessions_person_id_fkey FOREIGN KEY (person_id) REFERENCES public.people(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.realignments
    ADD CONSTRAINT realignments_client_id_fkey FOREIGN KEY (client_id) REFERENCES public.clients(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.realignments
    ADD CONSTRAINT realignments_target_id_fkey FOREIGN KEY (target_id) REFERENCES public.targets(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.realignments
    ADD CONSTRAINT realignments_task_id_fkey FOREIGN KEY (task_id) REFERENCES public.tasks(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.sign_in_links
    ADD CONSTRAINT sign_in_links_person_id_fkey FOREIGN KEY (person_id) REFERENCES public.people(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.span_parts
    ADD CONSTRAINT span_parts_task_id_fkey FOREIGN KEY (task_id) REFERENCES public.tasks(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.spans
    ADD CONSTRAINT spans_task_id_part_fkey FOREIGN KEY (task_id, part) REFERENCES public.span_parts(task_id, part) ON DELETE CASCADE;

ALTER TABLE ONLY public.storage_holds
    ADD CONSTRAINT storage_holds_client_id_fkey FOREIGN KEY (client_id) REFERENCES public.clients(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.storage_integrations
    ADD CONSTRAINT storage_integrations_client_id_fkey FOREIGN KEY (client_id) REFERENCES public.clients(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.targets
    ADD CONSTRAINT targets_task_id_fkey FOREIGN KEY (task_id) REFERENCES public.tasks(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.task_previews
    ADD CONSTRAINT task_previews_task_id_fkey FOREIGN KEY (task_id) REFERENCES public.tasks(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.task_shares
    ADD CONSTRAINT task_shares_task_id_fkey FOREIGN KEY (task_id) REFERENCES public.tasks(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.task_sources
    ADD CONSTRAINT task_sources_target_id_fkey FOREIGN KEY (target_id) REFERENCES public.targets(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.task_sources
    ADD CONSTRAINT task_sources_task_id_fkey FOREIGN KEY (task_id) REFERENCES public.tasks(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.tasks
    ADD CONSTRAINT tasks_client_id_fkey FOREIGN KEY (client_id) REFERENCES public.clients(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.usage_by_month
    ADD CONSTRAINT usage_by_month_client_id_fkey FOREIGN KEY (client_id) REFERENCES public.clients(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.webhook_secrets
    ADD CONSTRAINT webhook_secrets_client_id_fkey FOREIGN KEY (client_id) REFERENCES public.clients(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.webhooks
    ADD CONSTRAINT webhooks_client_id_fkey FOREIGN KEY (client_id) REFERENCES public.clients(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.word_edits
    ADD CONSTRAINT word_edits_target_id_fkey FOREIGN KEY (target_id) REFERENCES public.targets(id) ON DELETE CASCADE;

-- PostgreSQL database dump complete

