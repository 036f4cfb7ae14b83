-- What the last try of a delivery sent, and how the receiver answered: apart from the log, whose pages need neither.
create table delivery_bodies (
  delivery_id text primary key references deliveries on delete cascade,
  body        text not null,
  answer      text
);
