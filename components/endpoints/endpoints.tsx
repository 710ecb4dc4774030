'use client';

import { t } from '../messages';
import { placePath } from '../shell/navigation-items';
import { usePlace } from '../shell/place';
import { ListFrame } from '../ui/list-frame';
import { EmptyState } from '../ui/notices';
import { PageHead } from '../ui/page-head';
import { ENDPOINT_COLUMNS, endpointFingerprint } from './columns';
import { CreateButton } from './create-button';
import { CreateHint } from './create-hint';
import classes from './endpoints.module.css';
import { HEALTH_LOOKS } from './health';
import { useEndpointRows } from './use-endpoint-rows';

/** Every endpoint of the environment, by number. */
export function Endpoints() {
  const place = usePlace();
  const { query, rows } = useEndpointRows();
  const path = placePath(place, 'endpoints');
  return (
    <>
      <PageHead title={t.endpoints.title}>{rows.length > 0 ? <CreateButton /> : null}</PageHead>
      <div className={classes.underHead}>
        <ListFrame
          label={t.endpoints.list}
          columns={ENDPOINT_COLUMNS}
          rows={rows}
          rowKey={(row) => row.endpoint.id}
          rowLabel={(row) => t.endpoints.openRow(HEALTH_LOOKS[row.health.face].word, row.name)}
          rowHref={(row) => `${path}/${row.endpoint.id}`}
          fingerprint={endpointFingerprint}
          loading={query.isPending}
          error={query.error}
          onRetry={() => query.refetch()}
          empty={
            <EmptyState title={t.endpoints.emptyTitle} action={<CreateHint />}>
              {t.endpoints.empty(t.common.environment[place.environment])}
            </EmptyState>
          }
        />
      </div>
    </>
  );
}
