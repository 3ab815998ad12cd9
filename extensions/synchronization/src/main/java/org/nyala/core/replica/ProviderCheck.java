package org.nyala.core.replica;

import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.ContextEpochs;
import org.nyala.core.backend.CsnVector;
import org.nyala.core.backend.Epoch;
import org.nyala.core.backend.Promotion;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.dn.Dn;

/**
 * The check before each synchronization that the provider has the changes that are here.
 *
 * <p>Confined to one thread at a time.
 */
final class ProviderCheck {
  private static final System.Logger LOG = System.getLogger(ProviderCheck.class.getName());

  private final Dn suffix;
  private final DeletionGuard guard;

  /** The servers that the provider did not know at the last connection. */
  private Set<Integer> unknown = Set.of();

  ProviderCheck(Dn suffix, DeletionGuard guard) {
    this.suffix = suffix;
    this.guard = guard;
  }

  /**
   * Requires that the provider has all changes that are here: otherwise it would have nothing to
   * send, and the copy would take other contents for its own. Changes of a server that the provider
   * does not know are logged, if the servers are others than before, and count if it is a Nyala, or
   * if this server has made them: slapd forgets numbers of others if its data was loaded by
   * slapadd.
   *
   * @param provided the provider's {@code contextCSN}; empty if it is not known
   * @param isComplete true if the provider never forgets the number of a server
   * @param epochs the epochs that the provider knows; null if it does not tell
   * @throws ReplicaException if the provider lacks changes, or its data is of an earlier epoch or
   *     of another one with the same number, and no administrator has confirmed that what is here
   *     is lost
   */
  void look(Backend backend, CsnVector provided, boolean isComplete, @Nullable ContextEpochs epochs)
      throws ReplicaException {
    CsnVector ours = KnownChanges.of(backend, suffix);
    Set<Integer> before = unknown;
    unknown = KnownChanges.unknown(ours, provided);
    if (!unknown.isEmpty() && !unknown.equals(before)) {
      LOG.log(
          System.Logger.Level.WARNING,
          "{0} has changes with numbers of servers that are unknown to the provider: {1}; compare"
              + " with nyala sync compare",
          suffix,
          unknown);
    }
    if (guard.isAnew()) {
      return;
    }
    boolean isAhead =
        KnownChanges.isAhead(ours, provided)
            || !unknown.isEmpty() && (isComplete || hasOwn(backend, unknown));
    Epoch here = epoch(backend);
    Epoch provider = epochs == null ? here : epochs.ours();
    boolean isOfOther = !here.isContinuedBy(provider);
    boolean isStopped = isAhead || isOfOther;
    guard.ahead(isStopped, isStopped ? ContextWalk.count(backend, suffix) : 0);
    if (isOfOther) {
      throw ReplicaException.ofOtherEpoch(here, provider, suffix);
    }
    if (isAhead) {
      throw ReplicaException.ahead(ours, provided, suffix);
    }
  }

  private Epoch epoch(Backend backend) {
    try (ReadTransaction transaction = backend.beginRead()) {
      return transaction.epochs(suffix).ours();
    }
  }

  /** Returns whether this server made changes, while it was promoted, with one of some numbers. */
  private boolean hasOwn(Backend backend, Set<Integer> servers) {
    try (ReadTransaction transaction = backend.beginRead()) {
      Promotion promotion = transaction.promotion(suffix);
      return promotion != null && servers.contains(promotion.serverId());
    }
  }
}
