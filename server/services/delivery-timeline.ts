// The timeline of a delivery's page: what the core draws, as marks on one line (R-LAD-7, R-DEL-7).
import { gateOf } from '@/server/core/gates';
import { type PlannedAttempt, type Timeline, timeline } from '@/server/core/timeline';
import type { Queries } from '@/server/ports/queries';
import type { AttemptRow, DeliveryListRow, EndpointRow } from '@/server/ports/records';
import type { TimelineMark, TimelineView } from './contract';
import { attemptId } from './render/attempt';
import { isInFlight } from './render/delivery';
import { breakerOf, effectivePolicy, type View } from './render/view';

interface Drawn {
  view: View;
  /** By number. */
  attempts: readonly AttemptRow[];
  endpoint: EndpointRow | null;
}

export async function buildTimeline(
  queries: Queries,
  row: DeliveryListRow,
  drawn: Drawn,
): Promise<TimelineView> {
  const { view, attempts, endpoint } = drawn;
  const { now } = view;
  const scope = { appId: row.appId, environment: row.environment };
  const intervals =
    endpoint === null
      ? []
      : await queries.gateIntervals({ scope, endpointId: endpoint.id, from: row.createdAt, to: now });
  const inFlight = isInFlight(row, now);
  const picture = timeline({
    state: row,
    facts: { eventCreatedAt: row.eventCreatedAt, money: row.money, isTest: row.isTest },
    ladder: view.policies.get(row.policyId) ?? view.policy,
    gate: endpoint === null ? null : gateNow(endpoint, view),
    intervals,
    attempts,
    lease: inFlight ? row.lease : null,
    now,
  });
  return { now, marks: marksOf(row, { attempts, picture, inFlight }), silences: [...picture.silences] };
}

function gateNow(endpoint: EndpointRow, view: View) {
  return gateOf({
    health: endpoint,
    breaker: breakerOf(view, endpoint),
    scope: effectivePolicy(view, endpoint).breaker?.scope ?? null,
    now: view.now,
  });
}

function marksOf(
  row: DeliveryListRow,
  drawn: { attempts: readonly AttemptRow[]; picture: Timeline; inFlight: boolean },
): TimelineMark[] {
  const marks: TimelineMark[] = [{ kind: 'published', at: row.eventCreatedAt }];
  marks.push(...drawn.attempts.map(pastMark));
  const { lease } = row;
  if (drawn.inFlight && lease !== null) {
    const { number, cycle, trigger } = lease;
    marks.push({ kind: 'in_flight', at: lease.startedAt, number, cycle, trigger });
  }
  marks.push(...drawn.picture.planned.map(plannedMark));
  for (const deadline of drawn.picture.deadlines) {
    const wall = deadline.kind === 'age' ? 'max_age' : 'slow_window';
    marks.push({ kind: 'deadline', at: deadline.at, deadline: wall });
  }
  return marks;
}

function pastMark(attempt: AttemptRow): TimelineMark {
  return {
    kind: 'attempt',
    at: attempt.startedAt,
    attemptId: attemptId(attempt),
    number: attempt.number,
    cycle: attempt.cycle,
    outcome: attempt.outcome,
    statusCode: attempt.statusCode,
    errorClass: attempt.errorClass,
    ladder: attempt.ladder,
    step: attempt.step,
    trigger: attempt.trigger,
  };
}

function plannedMark(planned: PlannedAttempt): TimelineMark {
  const { number, at, atMax, ladder, step, notBefore } = planned;
  // A past mark carries the counter as its attempt left it; a planned one as it will leave it, ending as the last did.
  const reached = step === null ? null : step + 1;
  return { kind: 'planned', at, atMax, number, ladder, step: reached, notBefore };
}
