'use client';

import { ActionIcon } from '@mantine/core';
import { IconArrowsDiagonal } from '@tabler/icons-react';
import Link from 'next/link';
import { t } from '../messages';
import { placePath } from '../shell/navigation-items';
import { usePlace } from '../shell/place';
import { SidePanel } from '../ui/side-panel';
import { DeliveryView } from './delivery-view';

export interface DeliveryPanelProps {
  id: string;
  onClose: () => void;
  onOpen: (id: string) => void;
}

/** One delivery beside the list. */
export function DeliveryPanel({ id, onClose, onOpen }: DeliveryPanelProps) {
  const place = usePlace();
  return (
    <SidePanel
      title={t.deliveries.panel}
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
