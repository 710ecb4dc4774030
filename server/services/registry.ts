// Every verb of the product, so that a test can walk them all; a verb that is not here does not exist.
import { createApiKey, createApp, createPlatformKey } from './admin';
import { getApp, listApps, listEventTypes } from './apps';
import { getBreaker, listBreakers, resetBreaker, supportBreakers } from './breakers';
import {
  getDelivery,
  getDeliveryDetail,
  listAttempts,
  listDeliveries,
  newerDeliveries,
  typesInUse,
} from './deliveries';
import { createEndpoint, removeEndpoint, updateEndpoint } from './endpoint-changes';
import { endpointPending, getEndpoint, listEndpoints } from './endpoints';
import { getEvent, listEventAttempts, listEvents } from './events';
import { watch } from './live';
import { getMe, navCounts } from './me';
import { publishBatch, publishEvent } from './publish';
import { resend } from './resend';
import { sendTest } from './test-sends';

export const VERBS = [
  getMe,
  navCounts,
  listApps,
  getApp,
  listEventTypes,
  publishEvent,
  publishBatch,
  listEvents,
  getEvent,
  listEventAttempts,
  listDeliveries,
  newerDeliveries,
  typesInUse,
  getDelivery,
  getDeliveryDetail,
  listAttempts,
  resend,
  listEndpoints,
  getEndpoint,
  endpointPending,
  createEndpoint,
  updateEndpoint,
  removeEndpoint,
  sendTest,
  listBreakers,
  getBreaker,
  resetBreaker,
  supportBreakers,
  createApp,
  createApiKey,
  createPlatformKey,
  watch,
] as const;
