-- Where in the store the last worker left what it had of the Task, for one on another machine.
alter table tasks add column checkpoint_key text;
