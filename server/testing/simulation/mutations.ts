import type { DeliveryState } from '@/server/core/model';
import type { Decider, Decision, Settled, SettleEnd, Store } from '@/server/ports/store';
import type { Mutation } from './simulate';

/** What is broken on purpose, so that a simulation that finds nothing is known to look. */
export const MUTATIONS: Readonly<Record<string, () => Mutation>> = {
  'a decider that forgets the token’s fence': () => ({
    decider: (real) => ({
      ...real,
      decide: (end, context, random) => {
        const { delivery } = context;
        const lease = delivery?.lease ?? leaseOf(end);
        const owned = delivery === null ? null : { ...delivery, lease: { ...lease, token: end.token } };
        return real.decide(end, Object.assign(context, { delivery: owned }), random);
      },
    }),
  }),
  'a decider that spends no step of the ladder': () => ({
    decider: moving((delivery, before) => ({ ...delivery, fast: before.fast })),
  }),
  'a decider that retries a little too early': () => ({
    decider: moving((delivery) =>
      delivery.dueAt === null || delivery.waitCause !== 'fast'
        ? delivery
        : { ...delivery, dueAt: delivery.dueAt - 1 },
    ),
  }),
  'a decider that leaves a retry without its time': () => ({
    decider: moving((delivery) =>
      delivery.reason === 'retrying' && delivery.fast > 2 ? { ...delivery, dueAt: null } : delivery,
    ),
  }),
  'a decider that never closes a breaker': () => ({
    decider: deciding((decision) =>
      decision.breakerEvents.includes('closed')
        ? { ...decision, breaker: null, breakerEvents: [] }
        : decision,
    ),
  }),
  'a decider that takes a redirect for a success': () => ({
    decider: (real) => ({
      ...real,
      decide: (end, context, random) => {
        const redirected = end.end.kind === 'answered' && Math.floor(end.end.statusCode / 100) === 3;
        const taken = redirected ? { ...end, end: { ...end.end, statusCode: 200 } } : end;
        return real.decide(taken as SettleEnd, context, random);
      },
    }),
  }),
  'a store that loses every seventh settle': () => {
    let settles = 0;
    return {
      store: (real) => ({
        ...real,
        settle: async (ends, decider, random) => {
          settles += 1;
          return settles % 7 === 0 ? ends.map(unwritten) : real.settle(ends, decider, random);
        },
      }),
    };
  },
  'a store that never finds an expired lease': () => ({
    store: (real) => ({ ...real, expiredLeases: async () => [] }),
  }),
  'a store that collects leases before their time': () => ({
    store: (real) => ({
      ...real,
      expiredLeases: (query) => real.expiredLeases({ ...query, now: query.now + 40_000 }),
    }),
  }),
  'a store that claims what is not due yet': () => ({
    store: (real) => ({ ...real, claim: (request) => real.claim({ ...request, now: request.now + 500 }) }),
  }),
  'a store that gives every lease back at once': () => ({ store: giving }),
  'a store that sends other bytes': () => ({
    store: (real) => ({
      ...real,
      claim: async (request) => {
        const batch = await real.claim(request);
        const claims = batch.claims.map((claim) => ({
          ...claim,
          body: Buffer.from(JSON.stringify(JSON.parse(Buffer.from(claim.body).toString()))),
        }));
        return { ...batch, claims };
      },
    }),
  }),
  'a store that drains nothing when a breaker closes': () => ({
    store: (real) => ({ ...real, drain: async () => false }),
  }),
  'a store that sweeps nothing': () => ({
    store: (real) => ({ ...real, sweep: async () => ({ skipped: 0, failed: 0, more: false }) }),
  }),
};

function giving(real: Store): Store {
  return {
    ...real,
    claim: async (request) => {
      const batch = await real.claim(request);
      if (batch.claims.length > 0) await real.release(batch.claims, request.now);
      return batch;
    },
  };
}

function deciding(change: (decision: Decision) => Decision): (real: Decider) => Decider {
  return (real) => ({
    ...real,
    decide: (end, context, random) => change(real.decide(end, context, random)),
  });
}

function moving(change: (next: DeliveryState, before: DeliveryState) => DeliveryState) {
  return (real: Decider): Decider => ({
    ...real,
    decide: (end, context, random) => {
      const decision = real.decide(end, context, random);
      if (decision.delivery === null || context.delivery === null) return decision;
      return { ...decision, delivery: change(decision.delivery, context.delivery) };
    },
  });
}

function unwritten(end: SettleEnd): Settled {
  return {
    end,
    decision: {
      delivery: null,
      releaseLease: true,
      record: 'insert',
      outcome: 'delivered',
      statusCode: 200,
      errorClass: null,
      message: null,
      ladder: null,
      step: null,
      counted: null,
      health: null,
      breaker: null,
      breakerEvents: [],
      dropped: null,
    },
  };
}

function leaseOf(end: SettleEnd) {
  const { token, number, cycle, trigger, actor, epoch, probe, startedAt } = end;
  return { token, number, cycle, trigger, actor, epoch, probe, startedAt, until: end.endedAt };
}
