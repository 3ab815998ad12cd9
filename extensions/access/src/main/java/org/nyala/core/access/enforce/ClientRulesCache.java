package org.nyala.core.access.enforce;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.decide.CompiledRules.ClientClass;
import org.nyala.core.access.decide.DecidedRules;
import org.nyala.core.budget.MemoryBounds;

/**
 * The rules of the clients that were here last, as many as find room in {@value #MEBIBYTES} MiB, or
 * in a part of a smaller heap. What rules take grows while they are in use, and is counted anew
 * when they are asked for.
 *
 * <p>Thread-safe.
 */
final class ClientRulesCache {
  private static final int MEBIBYTES = 64;

  private final long most = MemoryBounds.cacheOf((long) MEBIBYTES << 20);
  private final LinkedHashMap<ClientClass, Kept> kept = new LinkedHashMap<>(16, 0.75f, true);
  private long bytes;

  private static final class Kept {
    final DecidedRules rules;
    long bytes;

    Kept(DecidedRules rules) {
      this.rules = rules;
    }
  }

  /** Returns the rules of a class of clients; null if they are not known. */
  synchronized @Nullable DecidedRules get(ClientClass client) {
    Kept known = kept.get(client);
    if (known == null) {
      return null;
    }
    count(known);
    return known.rules;
  }

  /** Keeps the rules of a class of clients; those asked for the longest time ago give way. */
  synchronized void put(ClientClass client, DecidedRules rules) {
    Kept next = new Kept(rules);
    Kept former = kept.put(client, next);
    bytes -= former == null ? 0 : former.bytes;
    count(next);
    Iterator<Map.Entry<ClientClass, Kept>> oldest = kept.entrySet().iterator();
    while (bytes > most && kept.size() > 1) {
      bytes -= oldest.next().getValue().bytes;
      oldest.remove();
    }
  }

  /** Keeps nothing: there are other rules. */
  synchronized void clear() {
    kept.clear();
    bytes = 0;
  }

  private void count(Kept known) {
    long now = known.rules.bytes();
    bytes += now - known.bytes;
    known.bytes = now;
  }
}
