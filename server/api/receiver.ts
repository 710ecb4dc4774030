// The built-in receivers over HTTP (R-ATT-16).
import { answerAsReceiver, type ReceiverDeps } from '@/server/services/receivers';

/** Answers one request to `/r/{token}`. */
export async function receiverResponse(
  request: Request,
  token: string,
  deps: ReceiverDeps,
): Promise<Response> {
  const status = await answerAsReceiver({ token, body: request.body }, deps);
  return new Response(null, { status });
}
