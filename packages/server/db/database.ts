import type {
  CreditEntryKind,
  DeliveryEvent,
  DeliveryState,
  KeyKind,
  KeyRole,
  LegacyJobMetadata,
  LegacyJobStatus,
  ModelAccess,
  PersonRole,
  SignInMethod,
  StorageType,
  TargetOptions,
  TargetStatus,
  Worker,
} from "@stemwright/contract";
import type { ColumnType, Generated, GeneratedAlways, Kysely, Transaction } from "kysely";
import type { MediaFacts } from "../domain/assets/asset-record.ts";

export type Tables = {
  clients: {
    id: string;
    name: string;
    is_metered: Generated<boolean>;
    created_at: Generated<Date>;
    suspended_at: Generated<Date | null>;
    weight: Generated<number>;
    running_max: Generated<number | null>;
    waiting_max: Generated<number | null>;
    storage_quota_bytes: Generated<number | null>;
    is_administrative: Generated<boolean>;
  };
  people: {
    id: string;
    client_id: string;
    role: PersonRole;
    email: string | null;
    name: string;
    password_hash: string | null;
    identity: string | null;
    created_at: Generated<Date>;
  };
  person_sessions: {
    id: string;
    person_id: string;
    hash: Buffer;
    method: SignInMethod;
    address: string;
    agent: string;
    created_at: Generated<Date>;
    last_used_at: Generated<Date>;
  };
  sign_in_links: { hash: Buffer; person_id: string; expires_at: Date };
  invitations: {
    id: string;
    client_id: string;
    hash: Buffer;
    role: PersonRole;
    email: string | null;
    created_at: Generated<Date>;
    expires_at: Date;
  };
  sign_in_allowances: { subject: Buffer; level: number; counted_at: Date; expires_at: Date };
  api_keys: {
    id: string;
    client_id: string;
    kind: KeyKind;
    role: KeyRole;
    name: string;
    hash: Buffer;
    created_at: Generated<Date>;
    last_used_at: Date | null;
    revoked_at: Date | null;
  };
  model_grants: {
    client_id: string;
    model: string;
    access: ModelAccess | null;
    credits_per_minute: number | null;
  };
  credit_accounts: { client_id: string; balance: Generated<number>; reserved: Generated<number> };
  credit_entries: {
    position: Generated<number>;
    id: string;
    client_id: string;
    kind: CreditEntryKind;
    amount: number;
    balance_after: number;
    note: string | null;
    task_id: string | null;
    target_id: string | null;
    key_id: string | null;
    created_at: Generated<Date>;
  };
  credit_reservations: { target_id: string; client_id: string; amount: number };
  workers: {
    id: string;
    host: string;
    pid: number;
    version: string;
    started_at: Date;
    seen_at: Generated<Date>;
    task_id: string | null;
    task_since: Date | null;
    memory_bytes: number;
    engine_seconds: number;
    audio_seconds: number;
    networks: ColumnType<Worker["networks"], string, string>;
    machine: Generated<string | null>;
    fault: Generated<string | null>;
    disk_free_bytes: Generated<number | null>;
  };
  assets: {
    id: string;
    client_id: string;
    name: string;
    format: string;
    size_bytes: number;
    blob_key: string;
    media: MediaFacts | null;
    created_at: Date;
  };
  uploads: {
    id: string;
    client_id: string;
    name: string;
    content_type: string | null;
    format: string | null;
    fingerprint: string | null;
    metadata: string | null;
    size_bytes: number;
    stored_bytes: Generated<number>;
    multipart_id: string | null;
    part_bytes: number;
    is_direct: Generated<boolean>;
    writer: string | null;
    writer_until: Date | null;
    next_writer: string | null;
    received_at: Date | null;
    created_at: Generated<Date>;
    expires_at: Date;
  };
  tasks: {
    id: string;
    client_id: string;
    asset_id: string | null;
    url: string | null;
    storage_integration_id: string | null;
    write_destination: string | null;
    webhook_url: string | null;
    /** A JSON string literal. */
    metadata: string | null;
    created_at: Date;
    completed_at: Date | null;
    started_at: Date | null;
    run_started_at: Generated<Date | null>;
    priority: number | null;
    expected_audio_seconds: number | null;
    is_long: boolean;
    attempts: Generated<number>;
    attempt_start_progress: Generated<number>;
    due_at: Generated<Date | null>;
    /** The current run. */
    run_token: Generated<string | null>;
    worker_id: Generated<string | null>;
    last_error_name: Generated<string | null>;
    checkpoint_key: Generated<string | null>;
    disk_full_returns: Generated<number>;
    needed_disk_bytes: Generated<number | null>;
    outputs_removed_at: Date | null;
    is_temporary: boolean;
  };
  targets: {
    id: string;
    task_id: string;
    position: number;
    model: string;
    formats: string[];
    options: TargetOptions;
    credits_per_minute: number;
    status: Generated<TargetStatus>;
    progress: Generated<number>;
    expected_at: Date | null;
    cost: number | null;
    duration_seconds: number | null;
    audio_offset_seconds: number | null;
    error_code: number | null;
    error_message: string | null;
    finished_at: Date | null;
  };
  outputs: {
    target_id: string;
    position: number;
    name: string;
    format: string;
    blob_key: string;
    size_bytes: number;
    media: MediaFacts | null;
    clipped_samples: number | null;
    /** Set by a trigger: the client whose storage it uses. */
    client_id: Generated<string | null>;
  };
  storage_totals: { client_id: string; noun: "assets" | "outputs"; slot: number; total_bytes: number };
  quota_holds: { id: string; client_id: string; size_bytes: number; seen_at: Generated<Date> };
  task_sources: {
    task_id: string;
    target_id: string | null;
    blob_key: string | null;
    stored_id: GeneratedAlways<string | null>;
    sealed_login: Buffer | null;
  };
  word_edits: { target_id: string; revision: number; document: string | null; updated_at: Date };
  task_shares: {
    id: string;
    task_id: string;
    token_hash: Buffer;
    created_at: Generated<Date>;
    expires_at: Date;
    shows_name: Generated<boolean>;
  };
  storage_integrations: {
    id: string;
    client_id: string;
    type: StorageType;
    storage_name: string;
    auth_config: Record<string, unknown>;
    sealed_secrets: Buffer;
    created_at: Date;
    updated_at: Date;
  };
  webhooks: {
    id: string;
    client_id: string;
    url: string;
    enabled: Generated<boolean>;
    created_at: Generated<Date>;
    updated_at: Generated<Date>;
  };
  webhook_secrets: {
    client_id: string;
    secret: Buffer;
    previous: Buffer | null;
    previous_until: Date | null;
  };
  deliveries: {
    id: string;
    client_id: string;
    webhook_id: string | null;
    task_id: string | null;
    target_id: string | null;
    event: DeliveryEvent;
    job_status: LegacyJobStatus | null;
    url: string;
    receiver: GeneratedAlways<string>;
    state: Generated<DeliveryState>;
    attempts: Generated<number>;
    due_at: Generated<Date>;
    claimed_until: Date | null;
    last_attempt_at: Date | null;
    last_status_code: number | null;
    last_error: string | null;
    created_at: Generated<Date>;
  };
  delivery_bodies: { delivery_id: string; body: string; answer: string | null };
  legacy_jobs: {
    task_id: string;
    request_id: string;
    callback_url: string | null;
    metadata: LegacyJobMetadata;
  };
  service_totals: { name: string; slot: number; total: number };
  row_counts: { client_id: string; noun: "tasks" | "assets"; slot: number; total: number };
  idempotency_receipts: {
    client_id: string;
    principal: string | null;
    key: string;
    fingerprint: Buffer;
    sealed_response: Buffer | null;
    created_at: Generated<Date>;
  };
  installation_secrets: { name: string; value: Buffer };
};

export type Database = Kysely<Tables>;
/** The database or a transaction. */
export type DatabaseHandle = Kysely<Tables> | Transaction<Tables>;
