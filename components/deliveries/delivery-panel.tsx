'use client';

import { ActionIcon } from '@mantine/core';
import { IconArrowsDiagonal } from '@tabler/icons-react';
import Link from 'next/link';
import { t } from '../messages';
import { placePath } from '../shell/navigation-items';
import { usePlace } from '../shell/place';
import { SidePanel } from '../ui/side-panel';
import { DeliveryView, titleOf } from './delivery-view';
import { useDelivery } from './use-delivery';

export interface DeliveryPanelProps {
  id: string;
  onClose: () => void;
  onOpen: (id: string) => void;
}

/** One delivery beside the list. */
export function DeliveryPanel({ id, onClose, onOpen }: DeliveryPanelProps) {
  const place = usePlace();
  const { data } = useDelivery(id);
  return (
    <SidePanel
      title={data ? titleOf(data) : t.deliveries.one}
      onClose={onClose}
      beside={
        <ActionIcon
          component={Link}
          href={`${placePath(place, 'deliveries')}/${id}`}
          aria-label={t.common.actions.openPage}
          data-tip={t.common.actions.openPage}
        >
          <IconArrowsDiagonal size="1.25em" stroke={1.5} aria-hidden="true" />
        </ActionIcon>
      }
    >
      <DeliveryView id={id} place="panel" onOpenSibling={onOpen} />
    </SidePanel>
  );
}
