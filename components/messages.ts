import { breakers } from './messages/breakers';
import { common } from './messages/common';
import { deliveries } from './messages/deliveries';
import { delivery } from './messages/delivery';
import { endpoints } from './messages/endpoints';
import { shell } from './messages/shell';
import { status } from './messages/status';
import { support } from './messages/support';
import { timeline } from './messages/timeline';

/** Every word that the console says. A text with parameters is a function, so a missing one does not type-check. */
export const t = {
  breakers,
  common,
  deliveries,
  delivery,
  endpoints,
  shell,
  status,
  support,
  timeline,
} as const;
