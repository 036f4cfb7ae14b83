-- The newest migration that a process has to know to work with the schema, where a migration takes away what older releases use.
alter table schema_migrations add column needs text;
