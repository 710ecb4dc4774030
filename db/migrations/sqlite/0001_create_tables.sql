CREATE TABLE `account` (
	`id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`provider_id` text NOT NULL,
	`user_id` text NOT NULL,
	`access_token` text,
	`refresh_token` text,
	`id_token` text,
	`access_token_expires_at` integer,
	`refresh_token_expires_at` integer,
	`scope` text,
	`password` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `user`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `account_user` ON `account` (`user_id`);--> statement-breakpoint
CREATE TABLE `api_keys` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`public_id` text NOT NULL,
	`organization_id` text,
	`app_id` integer,
	`environment` text,
	`name` text NOT NULL,
	`scopes` text NOT NULL,
	`prefix` text NOT NULL,
	`last4` text NOT NULL,
	`hash` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer,
	`revoked_at` integer,
	`last_used_at` integer,
	FOREIGN KEY (`app_id`) REFERENCES `apps`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `api_keys_public_id` ON `api_keys` (`public_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `api_keys_hash` ON `api_keys` (`hash`);--> statement-breakpoint
CREATE INDEX `api_keys_organization` ON `api_keys` (`organization_id`,`id`);--> statement-breakpoint
CREATE TABLE `app_environments` (
	`app_id` integer NOT NULL,
	`environment` text NOT NULL,
	`policy_id` integer NOT NULL,
	`envelope` text NOT NULL,
	`catalogue_mode` text NOT NULL,
	`next_endpoint_number` integer NOT NULL,
	PRIMARY KEY(`app_id`, `environment`),
	FOREIGN KEY (`app_id`) REFERENCES `apps`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`app_id`,`environment`,`policy_id`) REFERENCES `policies`(`app_id`,`environment`,`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `apps` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`public_id` text NOT NULL,
	`organization_id` text NOT NULL,
	`name` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `apps_public_id` ON `apps` (`public_id`);--> statement-breakpoint
CREATE INDEX `apps_organization` ON `apps` (`organization_id`,`id`);--> statement-breakpoint
CREATE TABLE `attempts` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`delivery_id` integer NOT NULL,
	`app_id` integer NOT NULL,
	`environment` text NOT NULL,
	`endpoint_id` integer NOT NULL,
	`number` integer NOT NULL,
	`cycle` integer NOT NULL,
	`trigger` text NOT NULL,
	`actor` text,
	`started_at` integer NOT NULL,
	`ended_at` integer NOT NULL,
	`duration_ms` integer NOT NULL,
	`dns_ms` integer,
	`connect_ms` integer,
	`tls_ms` integer,
	`first_byte_ms` integer,
	`outcome` text NOT NULL,
	`status_code` integer,
	`error_class` text,
	`message` text,
	`url` text NOT NULL,
	`address` text,
	`ladder` text,
	`step` integer,
	`probe` integer NOT NULL,
	`counted` text,
	`epoch` integer,
	`breaker_id` integer,
	`retried_stale` integer NOT NULL,
	FOREIGN KEY (`app_id`,`environment`,`delivery_id`) REFERENCES `deliveries`(`app_id`,`environment`,`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`app_id`,`environment`,`endpoint_id`) REFERENCES `endpoints`(`app_id`,`environment`,`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`app_id`,`environment`,`breaker_id`) REFERENCES `breakers`(`app_id`,`environment`,`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `attempts_number` ON `attempts` (`delivery_id`,`number`);--> statement-breakpoint
CREATE INDEX `attempts_endpoint` ON `attempts` (`endpoint_id`,`id`);--> statement-breakpoint
CREATE INDEX `attempts_window` ON `attempts` (`breaker_id`,`epoch`,`ended_at`) WHERE breaker_id IS NOT NULL;--> statement-breakpoint
CREATE INDEX `attempts_trigger` ON `attempts` (`app_id`,`environment`,`trigger`,`delivery_id`) WHERE "trigger" <> 'first';--> statement-breakpoint
CREATE TABLE `audit_log` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`organization_id` text,
	`app_id` integer,
	`environment` text,
	`at` integer NOT NULL,
	`actor_kind` text NOT NULL,
	`actor_id` text NOT NULL,
	`action` text NOT NULL,
	`object_id` text,
	`result` text NOT NULL,
	`request_id` text NOT NULL,
	`detail` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `audit_log_organization` ON `audit_log` (`organization_id`,`id`);--> statement-breakpoint
CREATE INDEX `audit_log_action` ON `audit_log` (`app_id`,`action`,`at`);--> statement-breakpoint
CREATE TABLE `breaker_events` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`breaker_id` integer NOT NULL,
	`app_id` integer NOT NULL,
	`environment` text NOT NULL,
	`at` integer NOT NULL,
	`kind` text NOT NULL,
	`epoch` integer NOT NULL,
	`pause_ms` integer,
	`probe_at` integer,
	`actor` text,
	`reason` text,
	FOREIGN KEY (`app_id`,`environment`,`breaker_id`) REFERENCES `breakers`(`app_id`,`environment`,`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `breaker_events_breaker` ON `breaker_events` (`breaker_id`,`id`);--> statement-breakpoint
CREATE TABLE `breakers` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`public_id` text NOT NULL,
	`app_id` integer NOT NULL,
	`environment` text NOT NULL,
	`endpoint_id` integer,
	`created_at` integer NOT NULL,
	`state` text NOT NULL,
	`epoch` integer NOT NULL,
	`opened_at` integer,
	`pause_ms` integer,
	`probe_at` integer,
	`probe_delivery_id` integer,
	`probe_token` text,
	`closed_at` integer,
	`drain_cursor` integer,
	`opened_by` text NOT NULL,
	FOREIGN KEY (`app_id`,`environment`) REFERENCES `app_environments`(`app_id`,`environment`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`app_id`,`environment`,`endpoint_id`) REFERENCES `endpoints`(`app_id`,`environment`,`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `breakers_public_id` ON `breakers` (`public_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `breakers_endpoint` ON `breakers` (`endpoint_id`) WHERE endpoint_id IS NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX `breakers_app` ON `breakers` (`app_id`,`environment`) WHERE endpoint_id IS NULL;--> statement-breakpoint
CREATE INDEX `breakers_not_closed` ON `breakers` (`id`) WHERE state <> 'closed';--> statement-breakpoint
CREATE INDEX `breakers_draining` ON `breakers` (`id`) WHERE drain_cursor IS NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX `breakers_scope_id` ON `breakers` (`app_id`,`environment`,`id`);--> statement-breakpoint
CREATE TABLE `deliveries` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`event_id` integer NOT NULL,
	`app_id` integer NOT NULL,
	`environment` text NOT NULL,
	`endpoint_id` integer,
	`status` text NOT NULL,
	`reason` text,
	`due_at` integer,
	`lease_until` integer,
	`unknowns` integer NOT NULL,
	`attempts` integer NOT NULL,
	`is_test` integer NOT NULL,
	`deadline_at` integer NOT NULL,
	`type` text NOT NULL,
	`policy_id` integer NOT NULL,
	`created_at` integer NOT NULL,
	`event_created_at` integer NOT NULL,
	`money` integer NOT NULL,
	`cycle` integer NOT NULL,
	`cycle_started_at` integer NOT NULL,
	`cycle_by_person` integer NOT NULL,
	`fast` integer NOT NULL,
	`slow` integer NOT NULL,
	`slow_started_at` integer,
	`wait_cause` text,
	`ladder_wait_ms` integer,
	`retry_after_ms` integer,
	`next_trigger` text NOT NULL,
	`last_outcome` text,
	`last_status_code` integer,
	`last_error_class` text,
	`last_ended_at` integer,
	`last_duration_ms` integer,
	`first_delivered_at` integer,
	`ended_at` integer,
	`actor` text,
	`lease_token` text,
	`lease_number` integer,
	`lease_cycle` integer,
	`lease_trigger` text,
	`lease_actor` text,
	`lease_epoch` integer,
	`lease_probe` integer,
	`lease_started_at` integer,
	FOREIGN KEY (`app_id`,`environment`,`event_id`) REFERENCES `events`(`app_id`,`environment`,`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`app_id`,`environment`,`endpoint_id`) REFERENCES `endpoints`(`app_id`,`environment`,`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`app_id`,`environment`,`policy_id`) REFERENCES `policies`(`app_id`,`environment`,`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `deliveries_event_endpoint` ON `deliveries` (`event_id`,`endpoint_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `deliveries_unmatched` ON `deliveries` (`event_id`) WHERE endpoint_id IS NULL;--> statement-breakpoint
CREATE INDEX `deliveries_endpoint` ON `deliveries` (`endpoint_id`,`id`);--> statement-breakpoint
CREATE INDEX `deliveries_type` ON `deliveries` (`app_id`,`environment`,`type`,`id`);--> statement-breakpoint
CREATE INDEX `deliveries_status` ON `deliveries` (`app_id`,`environment`,`status`,`id`) WHERE status <> 'delivered';--> statement-breakpoint
CREATE INDEX `deliveries_event_status` ON `deliveries` (`app_id`,`environment`,`status`,`event_id`) WHERE status <> 'delivered';--> statement-breakpoint
CREATE INDEX `deliveries_endpoint_status` ON `deliveries` (`endpoint_id`,`status`,`id`) WHERE status <> 'delivered';--> statement-breakpoint
CREATE INDEX `deliveries_reason` ON `deliveries` (`app_id`,`environment`,`reason`,`id`) WHERE reason IS NOT NULL AND reason <> 'waiting';--> statement-breakpoint
CREATE INDEX `deliveries_error_class` ON `deliveries` (`app_id`,`environment`,`last_error_class`,`id`) WHERE last_error_class IS NOT NULL;--> statement-breakpoint
CREATE INDEX `deliveries_status_code` ON `deliveries` (`app_id`,`environment`,`last_status_code`,`id`) WHERE last_status_code IS NOT NULL;--> statement-breakpoint
CREATE INDEX `deliveries_money` ON `deliveries` (`app_id`,`environment`,`money`,`id`) WHERE money;--> statement-breakpoint
CREATE INDEX `deliveries_created` ON `deliveries` (`created_at`);--> statement-breakpoint
CREATE INDEX `deliveries_due` ON `deliveries` (`app_id`,`endpoint_id`,`due_at`) WHERE status = 'pending' AND lease_until IS NULL AND unknowns < 3 AND endpoint_id IS NOT NULL;--> statement-breakpoint
CREATE INDEX `deliveries_suspect` ON `deliveries` (`app_id`,`endpoint_id`,`due_at`) WHERE status = 'pending' AND lease_until IS NULL AND unknowns >= 3 AND endpoint_id IS NOT NULL;--> statement-breakpoint
CREATE INDEX `deliveries_test` ON `deliveries` (`due_at`) WHERE next_trigger = 'test' AND status = 'pending' AND lease_until IS NULL;--> statement-breakpoint
CREATE INDEX `deliveries_deadline` ON `deliveries` (`deadline_at`) WHERE status = 'pending';--> statement-breakpoint
CREATE INDEX `deliveries_leased` ON `deliveries` (`lease_until`) WHERE lease_until IS NOT NULL;--> statement-breakpoint
CREATE INDEX `deliveries_leased_endpoint` ON `deliveries` (`endpoint_id`) WHERE lease_until IS NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX `deliveries_scope_id` ON `deliveries` (`app_id`,`environment`,`id`);--> statement-breakpoint
CREATE TABLE `endpoint_secrets` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`endpoint_id` integer NOT NULL,
	`app_id` integer NOT NULL,
	`environment` text NOT NULL,
	`version` integer NOT NULL,
	`key_id` text NOT NULL,
	`ciphertext` blob NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer,
	FOREIGN KEY (`app_id`,`environment`,`endpoint_id`) REFERENCES `endpoints`(`app_id`,`environment`,`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `endpoint_secrets_version` ON `endpoint_secrets` (`endpoint_id`,`version`);--> statement-breakpoint
CREATE TABLE `endpoints` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`public_id` text NOT NULL,
	`app_id` integer NOT NULL,
	`environment` text NOT NULL,
	`number` integer NOT NULL,
	`url` text NOT NULL,
	`description` text NOT NULL,
	`types` text NOT NULL,
	`header_names` text NOT NULL,
	`sealed_headers` blob,
	`sealed_headers_key` text,
	`policy_id` integer,
	`concurrency` integer,
	`status` text NOT NULL,
	`disabled_reason` text,
	`paused_until` integer,
	`failing_since` integer,
	`last_failed_at` integer,
	`consecutive_failures` integer NOT NULL,
	`last_end_reachable` integer NOT NULL,
	`unsigned_since` integer,
	`unsigned_retry_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`app_id`,`environment`) REFERENCES `app_environments`(`app_id`,`environment`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`app_id`,`environment`,`policy_id`) REFERENCES `policies`(`app_id`,`environment`,`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `endpoints_public_id` ON `endpoints` (`public_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `endpoints_number` ON `endpoints` (`app_id`,`environment`,`number`);--> statement-breakpoint
CREATE INDEX `endpoints_not_active` ON `endpoints` (`id`) WHERE status <> 'active';--> statement-breakpoint
CREATE UNIQUE INDEX `endpoints_scope_id` ON `endpoints` (`app_id`,`environment`,`id`);--> statement-breakpoint
CREATE TABLE `event_types` (
	`app_id` integer NOT NULL,
	`type` text NOT NULL,
	`description` text NOT NULL,
	`money` text,
	`example` text,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`app_id`, `type`),
	FOREIGN KEY (`app_id`) REFERENCES `apps`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `events` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`public_id` text NOT NULL,
	`app_id` integer NOT NULL,
	`environment` text NOT NULL,
	`type` text NOT NULL,
	`content_type` text NOT NULL,
	`body_sha256` text NOT NULL,
	`created_at` integer NOT NULL,
	`occurred_at` integer,
	`money` integer NOT NULL,
	`amount` text,
	`currency` text,
	`exponent` integer,
	`resource` text,
	`matched_at_publish` integer NOT NULL,
	`body` blob NOT NULL,
	FOREIGN KEY (`app_id`,`environment`) REFERENCES `app_environments`(`app_id`,`environment`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `events_public_id` ON `events` (`public_id`);--> statement-breakpoint
CREATE INDEX `events_type` ON `events` (`app_id`,`environment`,`type`,`id`);--> statement-breakpoint
CREATE INDEX `events_resource` ON `events` (`app_id`,`environment`,`resource`,`id`) WHERE resource IS NOT NULL;--> statement-breakpoint
CREATE INDEX `events_unmatched` ON `events` (`app_id`,`environment`,`matched_at_publish`,`id`) WHERE matched_at_publish = 0;--> statement-breakpoint
CREATE INDEX `events_created` ON `events` (`created_at`);--> statement-breakpoint
CREATE UNIQUE INDEX `events_scope_id` ON `events` (`app_id`,`environment`,`id`);--> statement-breakpoint
CREATE TABLE `gate_intervals` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`app_id` integer NOT NULL,
	`environment` text NOT NULL,
	`endpoint_id` integer,
	`kind` text NOT NULL,
	`from_at` integer NOT NULL,
	`to_at` integer,
	FOREIGN KEY (`app_id`,`environment`) REFERENCES `app_environments`(`app_id`,`environment`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`app_id`,`environment`,`endpoint_id`) REFERENCES `endpoints`(`app_id`,`environment`,`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `gate_intervals_scope` ON `gate_intervals` (`app_id`,`environment`,`endpoint_id`,`from_at`);--> statement-breakpoint
CREATE INDEX `gate_intervals_endpoint` ON `gate_intervals` (`endpoint_id`);--> statement-breakpoint
CREATE TABLE `idempotency_keys` (
	`app_id` integer NOT NULL,
	`environment` text NOT NULL,
	`key` text NOT NULL,
	`content_hash` text NOT NULL,
	`status` integer NOT NULL,
	`body` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`app_id`, `environment`, `key`),
	FOREIGN KEY (`app_id`) REFERENCES `apps`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `invitation` (
	`id` text PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL,
	`email` text NOT NULL,
	`role` text,
	`status` text DEFAULT 'pending' NOT NULL,
	`expires_at` integer NOT NULL,
	`created_at` integer NOT NULL,
	`inviter_id` text NOT NULL,
	FOREIGN KEY (`organization_id`) REFERENCES `organization`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`inviter_id`) REFERENCES `user`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `invitation_organization` ON `invitation` (`organization_id`);--> statement-breakpoint
CREATE INDEX `invitation_email` ON `invitation` (`email`);--> statement-breakpoint
CREATE INDEX `invitation_inviter` ON `invitation` (`inviter_id`);--> statement-breakpoint
CREATE TABLE `member` (
	`id` text PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL,
	`user_id` text NOT NULL,
	`role` text DEFAULT 'member' NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`organization_id`) REFERENCES `organization`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`user_id`) REFERENCES `user`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `member_organization` ON `member` (`organization_id`);--> statement-breakpoint
CREATE INDEX `member_user` ON `member` (`user_id`);--> statement-breakpoint
CREATE TABLE `meta` (
	`key` text PRIMARY KEY NOT NULL,
	`value` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `organization` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`slug` text NOT NULL,
	`logo` text,
	`created_at` integer NOT NULL,
	`metadata` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `organization_slug` ON `organization` (`slug`);--> statement-breakpoint
CREATE TABLE `policies` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`app_id` integer NOT NULL,
	`environment` text NOT NULL,
	`version` integer NOT NULL,
	`policy` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`app_id`) REFERENCES `apps`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `policies_version` ON `policies` (`app_id`,`environment`,`version`);--> statement-breakpoint
CREATE UNIQUE INDEX `policies_scope_id` ON `policies` (`app_id`,`environment`,`id`);--> statement-breakpoint
CREATE TABLE `receivers` (
	`token` text PRIMARY KEY NOT NULL,
	`app_id` integer NOT NULL,
	`environment` text NOT NULL,
	`behaviour` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`app_id`,`environment`) REFERENCES `app_environments`(`app_id`,`environment`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `session` (
	`id` text PRIMARY KEY NOT NULL,
	`expires_at` integer NOT NULL,
	`token` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`ip_address` text,
	`user_agent` text,
	`user_id` text NOT NULL,
	`active_organization_id` text,
	FOREIGN KEY (`user_id`) REFERENCES `user`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `session_token` ON `session` (`token`);--> statement-breakpoint
CREATE INDEX `session_user` ON `session` (`user_id`);--> statement-breakpoint
CREATE TABLE `user` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`email` text NOT NULL,
	`email_verified` integer DEFAULT false NOT NULL,
	`image` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`platform_role` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `user_email` ON `user` (`email`);--> statement-breakpoint
CREATE TABLE `verification` (
	`id` text PRIMARY KEY NOT NULL,
	`identifier` text NOT NULL,
	`value` text NOT NULL,
	`expires_at` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `verification_identifier` ON `verification` (`identifier`);