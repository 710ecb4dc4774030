import { redirect } from 'next/navigation';
import { placePath } from '@/components/shell/navigation-items';
import { NoApp } from '@/components/shell/no-app';
import { currentMe } from './(console)/server-query';

/** The start: the first app's deliveries; who has none is told what to do. */
export default async function StartPage() {
  const me = await currentMe();
  const [first] = me.apps;
  if (first) redirect(placePath({ appId: first.id, environment: 'test' }, 'deliveries'));
  if (me.user.platformRole) redirect('/support');
  return <NoApp email={me.user.email} />;
}
