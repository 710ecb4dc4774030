// A merchant's program: what it does over HTTP with its key. Every refusal that is not asked for is an error.
import type {
  AttemptResource,
  BreakerResource,
  DeliveryResource,
  EndpointResource,
  EventResource,
} from '@/server/services/contract';
import type { App } from './facts';

export interface NewEndpoint {
  url: string;
  description?: string;
  types?: readonly string[];
  headers?: readonly { name: string; value: string }[];
  concurrency?: number;
}

export interface Program {
  /** Publishes; `body` is JSON text and goes out as written. */
  publish(type: string, body?: string): Promise<EventResource>;
  publishMany(type: string, bodies: readonly string[]): Promise<void>;
  createEndpoint(endpoint: NewEndpoint): Promise<EndpointResource & { secret: string }>;
  patchEndpoint(id: string, change: object): Promise<EndpointResource>;
  delivery(id: string): Promise<DeliveryResource>;
  attempts(id: string): Promise<AttemptResource[]>;
  breakers(): Promise<BreakerResource[]>;
  /** The HTTP status of a test send. */
  sendTest(endpointId: string): Promise<number>;
}

export function programOf(baseURL: string, app: App, environment: 'test' | 'live' = 'test'): Program {
  const root = `${baseURL}/dev/apps/${app.id}`;

  async function send(method: string, path: string, body?: string): Promise<Response> {
    return fetch(`${root}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${app.keys[environment]}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      body,
    });
  }

  async function call<T>(method: string, path: string, body?: string): Promise<T> {
    const response = await send(method, path, body);
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return JSON.parse(text) as T;
  }

  const list = async <T>(path: string) => (await call<{ data: T[] }>('GET', path)).data;

  return {
    publish: (type, body = '{}') =>
      call('POST', '/events', `{"type":${JSON.stringify(type)},"body":${body}}`),
    async publishMany(type, bodies) {
      const events = bodies.map((body) => `{"type":${JSON.stringify(type)},"body":${body}}`);
      await call('POST', '/events:batch', `{"events":[${events.join()}]}`);
    },
    createEndpoint: (endpoint) => call('POST', '/webhook-endpoints', JSON.stringify(endpoint)),
    patchEndpoint: (id, change) => call('PATCH', `/webhook-endpoints/${id}`, JSON.stringify(change)),
    delivery: (id) => call('GET', `/webhook/deliveries/${id}`),
    attempts: (id) => list(`/webhook/deliveries/${id}/attempts`),
    breakers: () => list('/webhook/breakers'),
    sendTest: async (endpointId) =>
      (await send('POST', `/webhook-endpoints/${endpointId}/test`, '{}')).status,
  };
}

/** The one delivery that an event made. */
export function onlyDelivery(event: EventResource): DeliveryResource {
  const [delivery] = event.deliveries;
  if (delivery === undefined || event.deliveries.length !== 1) {
    throw new Error(`${event.type} made ${event.deliveries.length} deliveries, not one`);
  }
  return delivery;
}
