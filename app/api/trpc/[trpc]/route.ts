import { serveTrpc } from '@/server/doors';

export const dynamic = 'force-dynamic';

const handle = (request: Request) => serveTrpc(request);

export { handle as GET, handle as POST };
