import { redirect } from 'next/navigation';
import { placePath } from '@/components/shell/navigation-items';
import { placeOf } from '../../place-of';

export default async function EnvironmentPage(props: { params: Promise<{ app: string; env: string }> }) {
  redirect(placePath(await placeOf(props.params), 'deliveries'));
}
