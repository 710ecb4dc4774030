'use client';

import { createContext, type ReactNode, useContext } from 'react';
import type { Place } from './navigation-items';

const PlaceContext = createContext<Place | null>(null);

export function PlaceProvider({ place, children }: { place: Place; children: ReactNode }) {
  return <PlaceContext.Provider value={place}>{children}</PlaceContext.Provider>;
}

/** The app and environment that the page is about: the first two segments of its path. */
export function usePlace(): Place {
  const place = useContext(PlaceContext);
  if (!place) throw new Error('usePlace stands outside PlaceProvider');
  return place;
}
