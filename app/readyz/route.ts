import { serveRest } from '@/server/doors';

export const dynamic = 'force-dynamic';

const handle = (request: Request) => serveRest(request);

export { handle as DELETE, handle as GET, handle as PATCH, handle as POST, handle as PUT };
