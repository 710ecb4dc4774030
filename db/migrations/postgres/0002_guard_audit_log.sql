CREATE FUNCTION audit_log_is_insert_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'audit_log is insert-only';
END
$$;
--> statement-breakpoint
CREATE TRIGGER audit_log_no_update BEFORE UPDATE ON audit_log FOR EACH ROW EXECUTE FUNCTION audit_log_is_insert_only();
--> statement-breakpoint
CREATE TRIGGER audit_log_no_delete BEFORE DELETE ON audit_log FOR EACH ROW EXECUTE FUNCTION audit_log_is_insert_only();
--> statement-breakpoint
CREATE TRIGGER audit_log_no_truncate BEFORE TRUNCATE ON audit_log EXECUTE FUNCTION audit_log_is_insert_only();
--> statement-breakpoint
ALTER TABLE audit_log ENABLE ALWAYS TRIGGER audit_log_no_update;
--> statement-breakpoint
ALTER TABLE audit_log ENABLE ALWAYS TRIGGER audit_log_no_delete;
--> statement-breakpoint
ALTER TABLE audit_log ENABLE ALWAYS TRIGGER audit_log_no_truncate;
--> statement-breakpoint
-- Where a list of events in the order of their ids may end, so that it never passes one that is not committed yet:
-- each transaction holds, until its end, a shared advisory lock on the number that was given last before its own first
-- one. The first part of the key is "HKLF", the second the number's low half (db/postgres/feed.ts reads them).
CREATE FUNCTION events_hold_feed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  given bigint;
BEGIN
  IF current_setting('hookladder.holds_feed', true) IS DISTINCT FROM pg_current_xact_id()::text THEN
    SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END INTO given FROM events_id_seq;
    PERFORM pg_advisory_xact_lock_shared((1212894278::bigint << 32) | (given & 4294967295));
    PERFORM set_config('hookladder.holds_feed', pg_current_xact_id()::text, true);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER events_hold_feed BEFORE INSERT ON events FOR EACH STATEMENT EXECUTE FUNCTION events_hold_feed();
--> statement-breakpoint
ALTER TABLE events ENABLE ALWAYS TRIGGER events_hold_feed;
--> statement-breakpoint
-- Status and reason say nearly the same: without this the planner takes a list by both for a list of hardly any rows.
CREATE STATISTICS deliveries_states (mcv) ON status, reason FROM deliveries;
