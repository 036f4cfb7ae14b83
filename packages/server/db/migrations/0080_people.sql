-- The owners of these clients are administrators: they see and act for all clients, as keys of the role admin do. It is the
-- first account, and whoever had such a key before there were people.
alter table clients add column is_administrative boolean not null default false;
update clients set is_administrative = true
where id in (select client_id from api_keys where role = 'admin' and revoked_at is null);

-- Who signs in to the dashboard. Email and password come after the first sign-in by link.
create table people (
  id              text primary key,
  client_id       text not null references clients on delete cascade,
  role            text not null check (role in ('owner', 'member')),
  -- Lower case.
  email           text unique,
  name            text not null,
  -- argon2id with its parameters, as a PHC string.
  password_hash   text,
  -- Issuer and subject at the identity provider, from the first sign-in there on.
  identity        text unique,
  created_at      timestamptz not null default now()
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

-- Deleting the row is using the link: of two at once, one gets it.
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
  -- Lower case; where given, for nobody else.
  email      text,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);
create index invitations_of_client on invitations (client_id, created_at, id);

-- Attempts at passwords by address and by account, so that all processes count together.
create table sign_in_attempts (
  subject    bytea primary key,
  attempts   integer not null,
  resets_at  timestamptz not null
);
