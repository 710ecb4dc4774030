import { describe } from 'vitest';
import { type MakeStore, withBedOf } from './conformance/bed.conformance';
import { describeBreaker } from './conformance/breaker.conformance';
import { describeClaim } from './conformance/claim.conformance';
import { describePublish } from './conformance/publish.conformance';
import { describeQueries } from './conformance/queries.conformance';
import { describeSettle } from './conformance/settle.conformance';
import { describeSweep } from './conformance/sweep.conformance';

/** The store's specification: what every database must do alike. */
export function describeStore(name: string, makeStore: MakeStore): void {
  const withBed = withBedOf(makeStore);
  describe(`store on ${name}`, () => {
    describe('publishing', () => describePublish(withBed));
    describe('claiming', () => describeClaim(withBed));
    describe('settling', () => describeSettle(withBed));
    describe('breakers', () => describeBreaker(withBed));
    describe('sweeping', () => describeSweep(withBed));
    describe('queries', () => describeQueries(withBed));
  });
}
