-- Who signs in to the dashboard. Email and password come after the first sign-in by link.
create table people (
  id            text primary key,
  client_id     text not null references clients on delete cascade,
  role          text not null check (role in ('owner', 'member')),
  -- Lower case.
  email         text unique,
  name          text not null,
  -- argon2id with its parameters, as a PHC string.
  password_hash text,
  -- Issuer and subject at the identity provider, from the first sign-in there on.
  identity      text unique,
  created_at    timestamptz not null default now()
);
create index people_of_client on people (client_id, created_at, id);

-- Tokens have 256 random bits, so their SHA-256 needs no salt.
create table person_sessions (
  id           text primary key,
  person_id    text not null references people on delete cascade,
  hash         bytea not null unique,
  method       text not null check (method in ('password', 'link', 'invitation', 'oidc')),
  address      text not null,
  agent        text not null,
  created_at   timestamptz not null default now(),
  last_used_at timestamptz not null default now()
);
create index person_sessions_of_person on person_sessions (person_id);

-- Using a link deletes its row: of two concurrent uses, one succeeds.
create table sign_in_links (
  hash       bytea primary key,
  person_id  text not null references people on delete cascade,
  expires_at timestamptz not null
);

create table invitations (
  id         text primary key,
  client_id  text not null references clients on delete cascade,
  hash       bytea not null unique,
  role       text not null check (role in ('owner', 'member')),
  -- Lower case; if set, nobody else can accept it.
  email      text,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);
create index invitations_of_client on invitations (client_id, created_at, id);

-- Rate limits of wrong passwords, as leaky buckets: the level is known at any time, without a window that starts again.
create table sign_in_allowances (
  subject    bytea primary key,
  -- Attempts that had not leaked away at counted_at.
  level      double precision not null,
  counted_at timestamptz not null,
  -- When the bucket is empty.
  expires_at timestamptz not null
);
create index sign_in_allowances_by_expiry on sign_in_allowances (expires_at);
