package org.nyala.server;

import org.nyala.core.limits.ServerLimits;
import org.nyala.netty.WireSettings;

/** The limits of a reloaded configuration, with those that last until a restart. Stateless. */
final class LastingBounds {
  private LastingBounds() {}

  /** Returns the wanted limits, except for lasting ones. */
  static ServerLimits limits(ServerLimits lasting, ServerLimits wanted) {
    return new ServerLimits(
        new ServerLimits.RequestLimits(
            lasting.requests().filterDepth(),
            lasting.requests().filterNodes(),
            wanted.requests().dnLength(),
            wanted.requests().dnRdns(),
            lasting.requests().requestedAttributes(),
            lasting.requests().controls()),
        wanted.searches(),
        wanted.sessions(),
        new ServerLimits.UpdateLimits(
            lasting.updates().writeQueue(),
            lasting.updates().writeBatch(),
            wanted.updates().treeDeleteEntries(),
            wanted.updates().valuesPerAttribute(),
            wanted.updates().attributeOptions(),
            wanted.updates().ruleLookups(),
            wanted.updates().sizes()),
        new ServerLimits.SortLimits(
            wanted.sorting().sortEntries(), lasting.sorting().sortMemoryMebibytes()),
        new ServerLimits.StandingLimits(
            wanted.standing().transactions(),
            wanted.standing().transactionsPerConnection(),
            wanted.standing().transactionUpdates(),
            wanted.standing().transactionBytes(),
            lasting.standing().persistentSearches(),
            lasting.standing().persistentSearchesPerConnection(),
            lasting.standing().persistentSearchBytes()),
        new ServerLimits.MemoryLimits(
            wanted.memory().mebibytes(),
            wanted.memory().ownerPercent(),
            wanted.memory().connectionPercent(),
            wanted.memory().operationMebibytes(),
            wanted.memory().fullPercent(),
            wanted.memory().requestElements(),
            lasting.memory().assertionBytes(),
            lasting.memory().persistentSearchesPerIdentity(),
            wanted.memory().persistentSearchRequestBytes()));
  }

  /** Returns the wanted bounds, except for lasting ones. */
  static WireSettings bounds(WireSettings lasting, WireSettings wanted) {
    return lasting
        .with(draft -> draft.connections = wanted.connections())
        .with(draft -> draft.timeouts = wanted.timeouts())
        .with(draft -> draft.rates = wanted.rates());
  }
}
