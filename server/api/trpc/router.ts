// The console's door: a procedure is a verb on a page.
import { createCallerFactory, router } from './init';
import { breakersRouter, supportRouter } from './routers/breakers';
import { deliveriesRouter } from './routers/deliveries';
import { endpointsRouter } from './routers/endpoints';
import { liveRouter } from './routers/live';
import { meRouter, navRouter } from './routers/me';

export const appRouter = router({
  me: meRouter,
  nav: navRouter,
  deliveries: deliveriesRouter,
  endpoints: endpointsRouter,
  breakers: breakersRouter,
  support: supportRouter,
  live: liveRouter,
});

export type AppRouter = typeof appRouter;

/** For server components: calls procedures without HTTP. */
export const createCaller = createCallerFactory(appRouter);
