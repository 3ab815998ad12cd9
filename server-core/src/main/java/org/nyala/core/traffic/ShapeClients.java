package org.nyala.core.traffic;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.nyala.core.dn.Dn;

/**
 * The clients that take most of the time of one shape, found among some of its searches: whoever
 * takes more than a fifth of the time that was looked at is kept, however many others there are.
 *
 * <p>Thread-safe. Hot: nobody waits, and who comes while another thread adds is left out.
 */
final class ShapeClients {
  private static final int KEPT = 4;

  /** A longer name is not kept: it counts among all others. */
  private static final int MOST_NAME_BYTES = 512;

  private static final int PERCENT = 100;

  private final AtomicBoolean isChanging = new AtomicBoolean();
  private final @Nullable Dn[] names = new Dn[KEPT];
  private final @Nullable Object[] addresses = new Object[KEPT];
  private final long[] weights = new long[KEPT];
  private final long[] times = new long[KEPT];
  private long all;

  /** Counts a search of a client. */
  void add(Dn name, Object address, long nanos) {
    if (isChanging.compareAndSet(false, true)) {
      try {
        count(name, address, Math.max(1, nanos));
      } finally {
        isChanging.setRelease(false);
      }
    }
  }

  private void count(Dn name, Object address, long nanos) {
    all += nanos;
    int least = 0;
    for (int i = 0; i < KEPT; i++) {
      if (name.equals(names[i]) && address.equals(addresses[i])) {
        weights[i] += nanos;
        times[i] += nanos;
        return;
      }
      least = weights[i] < weights[least] ? i : least;
    }
    long common = Math.min(nanos, weights[least]);
    for (int i = 0; i < KEPT; i++) {
      weights[i] -= common;
    }
    if (nanos > common && name.raw().length <= MOST_NAME_BYTES) {
      names[least] = name;
      addresses[least] = address;
      weights[least] = nanos - common;
      times[least] = nanos;
    }
  }

  /** Returns those that are kept, the one with most time first; none while another thread adds. */
  List<ShapeFigures.Client> list() {
    List<ShapeFigures.Client> clients = new ArrayList<>(KEPT);
    if (isChanging.compareAndSet(false, true)) {
      try {
        for (int i = 0; i < KEPT; i++) {
          Dn name = names[i];
          if (name != null) {
            int percent = (int) (PERCENT * (double) times[i] / all);
            clients.add(
                new ShapeFigures.Client(
                    name.toString(), String.valueOf(addresses[i]), Math.min(PERCENT, percent)));
          }
        }
      } finally {
        isChanging.setRelease(false);
      }
    }
    clients.sort(Comparator.comparingInt(ShapeFigures.Client::percent).reversed());
    return clients;
  }
}
