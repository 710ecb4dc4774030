import { getContainer } from '@/server/container';

export const dynamic = 'force-dynamic';

const handle = (request: Request) => getContainer().handleAuth(request);

export { handle as GET, handle as POST };
