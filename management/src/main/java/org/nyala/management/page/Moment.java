package org.nyala.management.page;

import org.jspecify.annotations.Nullable;
import org.nyala.lmdb.StoreStatus;

/**
 * The figures that one look at the server has read, for all sections.
 *
 * <p>Immutable.
 *
 * @param store the status of the store; null if it cannot be read
 * @param now the figures
 * @param recent the growth since the look before, about a second, without durations of requests
 * @param window the growth since some seconds ago, for percentiles
 */
record Moment(@Nullable StoreStatus store, Figures now, Figures recent, Figures window) {}
