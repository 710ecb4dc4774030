import type { Metadata } from 'next';
import { headers } from 'next/headers';
import { redirect } from 'next/navigation';
import type { DemoAccount } from '@/components/auth/demo-accounts';
import { signIn } from '@/components/auth/messages';
import { safeNext } from '@/components/auth/safe-next';
import classes from '@/components/auth/sign-in.module.css';
import { SignInForm } from '@/components/auth/sign-in-form';
import { getContainer } from '@/server/container';

export const metadata: Metadata = { title: signIn.pageTitle };

/** The way in; who is signed in already goes on to where they wanted. */
export default async function SignInPage({
  searchParams,
}: {
  searchParams: Promise<Record<string, string | string[] | undefined>>;
}) {
  const next = safeNext((await searchParams)['next']);
  const container = getContainer();
  if ((await container.actorOf(await headers(), { renewsSession: false })) !== null) redirect(next);
  return (
    <main className={classes.page}>
      <SignInForm
        next={next}
        origin={container.services.publicUrl}
        demo={demoAccounts(container.demoCredentials())}
      />
    </main>
  );
}

function demoAccounts(logins: ReturnType<ReturnType<typeof getContainer>['demoCredentials']>): DemoAccount[] {
  if (logins === null) return [];
  return [
    { role: 'merchant', ...logins.merchant },
    { role: 'support', ...logins.support },
  ];
}
