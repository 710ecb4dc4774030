import { receiverResponse } from '@/server/api/receiver';
import { getContainer } from '@/server/container';

export const dynamic = 'force-dynamic';

/** A built-in receiver (R-ATT-16). */
export async function POST(request: Request, { params }: { params: Promise<{ token: string }> }) {
  return receiverResponse(request, (await params).token, getContainer().runtime);
}
