// Invariant: a policy that passes has a transition that is total and a timeline that ends (domain §4).
import { type Ladder, ladderAttempts, type Policy } from './policy';

export interface PolicyIssue {
  /** As in `rejected.money`. */
  path: string;
  message: string;
}

const DAY = 86_400_000;
export const LONGEST_TIMEOUT_MS = 30_000;
export const LONGEST_WAIT_MS = 7 * DAY;
/** Events are kept this long (R-DEL-5), so that no delivery outlives its event. */
export const LONGEST_AGE_MS = 30 * DAY;
export const MOST_ATTEMPTS = 50;

type Check = readonly [path: string, holds: boolean, message: string];

function whole(value: number, min: number, max: number): boolean {
  return Number.isInteger(value) && value >= min && value <= max;
}

function ladderChecks(path: string, ladder: Ladder): readonly Check[] {
  const attempts = ladderAttempts(ladder);
  const common: Check[] = [
    [`${path}.jitter`, ladder.jitter >= 0 && ladder.jitter <= 1, 'must lie between 0 and 1'],
    [path, whole(attempts, 1, MOST_ATTEMPTS), `must allow 1 to ${MOST_ATTEMPTS} attempts`],
  ];
  if (ladder.kind === 'schedule') {
    const waits = ladder.waitsMs.map(
      (wait, index): Check => [
        `${path}.waitsMs.${index}`,
        whole(wait, 1, LONGEST_WAIT_MS),
        'must be a whole number of ms from 1 to 7 days',
      ],
    );
    return [...common, ...waits];
  }
  return [
    ...common,
    [
      `${path}.baseMs`,
      whole(ladder.baseMs, 1, LONGEST_WAIT_MS),
      'must be a whole number of ms from 1 to 7 days',
    ],
    [`${path}.factor`, ladder.factor >= 1 && ladder.factor <= 100, 'must lie between 1 and 100'],
    [
      `${path}.capMs`,
      whole(ladder.capMs, 1, LONGEST_WAIT_MS),
      'must be a whole number of ms from 1 to 7 days',
    ],
  ];
}

function slowChecks(policy: Policy): readonly Check[] {
  const { slowLadder, slowWindowMs, rejected, maxAgeMs } = policy;
  const wanted = rejected.money === 'slow' || rejected.other === 'slow';
  return [
    [
      'slowLadder',
      !wanted || slowLadder !== undefined,
      'is needed where a rejected answer takes the slow ladder',
    ],
    [
      'slowWindowMs',
      slowWindowMs === undefined || whole(slowWindowMs, 1, maxAgeMs),
      'must be a whole number of ms up to maxAgeMs',
    ],
    ...(slowLadder === undefined ? [] : ladderChecks('slowLadder', slowLadder)),
  ];
}

function breakerChecks({ breaker }: Policy): readonly Check[] {
  if (breaker === undefined) return [];
  const { windowMs, minAttempts, failureRatio, pauseMs, maxPauseMs } = breaker;
  return [
    ['breaker.windowMs', whole(windowMs, 1_000, DAY), 'must be a whole number of ms from 1 second to 1 day'],
    ['breaker.minAttempts', whole(minAttempts, 1, 1_000), 'must be 1 to 1,000'],
    ['breaker.failureRatio', failureRatio > 0 && failureRatio <= 1, 'must be above 0 and at most 1'],
    ['breaker.pauseMs', whole(pauseMs, 1_000, DAY), 'must be a whole number of ms from 1 second to 1 day'],
    [
      'breaker.maxPauseMs',
      whole(maxPauseMs, pauseMs, DAY),
      'must be a whole number of ms from pauseMs to 1 day',
    ],
  ];
}

function generalChecks({ timeoutMs, maxAgeMs, retryStatuses, autoDisable }: Policy): readonly Check[] {
  return [
    ['timeoutMs', whole(timeoutMs, 1, LONGEST_TIMEOUT_MS), 'must be a whole number of ms up to 30 seconds'],
    ['maxAgeMs', whole(maxAgeMs, 1, LONGEST_AGE_MS), 'must be a whole number of ms up to 30 days'],
    [
      'retryStatuses',
      retryStatuses.every((status) => whole(status, 400, 499)),
      'must be statuses from 400 to 499',
    ],
    [
      'autoDisable',
      autoDisable === undefined ||
        (whole(autoDisable.warnAfterMs, 1, LONGEST_AGE_MS) &&
          whole(autoDisable.disableAfterMs, autoDisable.warnAfterMs, LONGEST_AGE_MS)),
      'must warn first and disable later, both within 30 days',
    ],
  ];
}

/** Everything that is wrong with a policy of the right shape; empty where it may be saved (domain §4). */
export function policyIssues(policy: Policy): readonly PolicyIssue[] {
  return [
    ...generalChecks(policy),
    ...ladderChecks('ladder', policy.ladder),
    ...slowChecks(policy),
    ...breakerChecks(policy),
  ]
    .filter(([, holds]) => !holds)
    .map(([path, , message]) => ({ path, message }));
}
