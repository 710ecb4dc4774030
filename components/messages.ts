import { common } from './messages/common';
import { deliveries } from './messages/deliveries';
import { delivery } from './messages/delivery';
import { shell } from './messages/shell';
import { status } from './messages/status';
import { timeline } from './messages/timeline';

/** Every word that the console says. A text with parameters is a function, so a missing one does not type-check. */
export const t = { common, deliveries, delivery, shell, status, timeline } as const;
