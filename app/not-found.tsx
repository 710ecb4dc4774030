import Link from 'next/link';
import { t } from '@/components/messages';
import { Plain } from '@/components/shell/plain';

export default function NotFound() {
  return (
    <Plain title={t.common.errors.notFoundTitle}>
      <p>{t.common.errors.notFound}</p>
      <Link href="/">{t.common.errors.toStart}</Link>
    </Plain>
  );
}
