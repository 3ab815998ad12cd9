package org.nyala.replica;

import static org.nyala.core.Patience.eventually;

import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.ResultCode;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.locks.LockSupport;
import org.nyala.core.contention.Threads;

/**
 * A client that changes entries without a pause, at whichever of two servers accepts it, and knows
 * what was acknowledged.
 *
 * <p>Thread-safe. It has a thread of its own.
 */
final class SteadyWriter implements AutoCloseable {
  /** A way to a server. */
  interface Way {
    LDAPConnection connect() throws LDAPException;
  }

  private static final int KINDS = 4;
  private static final long PAUSE_NANOS = 5_000_000;

  private final String name;
  private final List<Way> ways;
  private final AtomicIntegerArray accepted;
  private final AtomicInteger refused = new AtomicInteger();
  private final Map<String, String> expected = new TreeMap<>();
  private final Thread thread;
  private volatile boolean isStopped;
  private volatile Throwable failure;
  private int at;

  SteadyWriter(String name, List<Way> ways) {
    this.name = name;
    this.ways = ways;
    this.accepted = new AtomicIntegerArray(ways.size());
    this.thread = Thread.ofPlatform().name("writer-" + name).start(this::run);
  }

  /** Waits until a server has accepted some more changes. */
  void awaitMore(int way) {
    int before = accepted.get(way);
    eventually(
        name + " writes at " + way,
        () -> {
          if (failure != null) {
            throw new AssertionError(failure);
          }
          return accepted.get(way) >= before + 20;
        });
  }

  int refused() {
    return refused.get();
  }

  /** Ends it; returns the description of each entry, null for one that was deleted. */
  Map<String, String> stop() throws InterruptedException {
    isStopped = true;
    thread.join();
    if (failure != null) {
      throw new AssertionError(failure);
    }
    return expected;
  }

  private void run() {
    LDAPConnection connection = null;
    try {
      for (int number = 0; !isStopped; ) {
        try {
          if (connection == null) {
            connection = connect();
          }
          change(connection, number);
          accepted.incrementAndGet(at);
          number++;
        } catch (LDAPException e) {
          number += goOn(e, number) ? 1 : 0;
          if (connection != null) {
            connection.close();
            connection = null;
          }
        }
      }
    } catch (Throwable e) {
      failure = e;
    } finally {
      if (connection != null) {
        connection.close();
      }
    }
  }

  /** Connects, however long the server is away. */
  private LDAPConnection connect() throws LDAPException {
    while (true) {
      try {
        return ways.get(at).connect();
      } catch (LDAPException e) {
        if (isStopped || e.getResultCode().isConnectionUsable()) {
          throw e;
        }
        LockSupport.parkNanos(PAUSE_NANOS);
      }
    }
  }

  /** Goes to the other server; returns whether the change may have been made. */
  private boolean goOn(LDAPException e, int number) {
    if (e.getResultCode().equals(ResultCode.REFERRAL)) {
      refused.incrementAndGet();
      at = (at + 1) % ways.size();
      return false;
    }
    if (e.getResultCode().isConnectionUsable()) {
      throw new AssertionError(e);
    }
    // The same server will be back; the entries of this round may be either way.
    for (int i = 0; i < KINDS; i++) {
      expected.remove(dn(number / KINDS * KINDS, i));
    }
    return true;
  }

  private String dn(int round, int part) {
    return "ou=" + name + round + "-" + part + "," + SyncSlapd.SUFFIX;
  }

  /** Makes a change of a round of four: an add, a modify, a rename, a delete. */
  private void change(LDAPConnection client, int number) throws LDAPException {
    int round = number / KINDS * KINDS;
    String first = dn(round, 0);
    String second = dn(round, 1);
    switch (number % KINDS) {
      case 0 -> {
        client.add(
            first,
            new Attribute("objectClass", "organizationalUnit"),
            new Attribute("ou", rdn(first)));
        expected.put(first, "");
      }
      case 1 -> {
        if (expected.containsKey(first)) {
          client.modify(
              first, new Modification(ModificationType.REPLACE, "description", "d" + number));
          expected.put(first, "d" + number);
        }
      }
      case 2 -> {
        if (expected.containsKey(first)) {
          client.modifyDN(first, "ou=" + rdn(second), false);
          expected.put(second, expected.get(first));
          expected.put(first, null);
        }
      }
      default -> {
        if (round % (2 * KINDS) == 0 && expected.get(second) != null) {
          client.delete(second);
          expected.put(second, null);
        }
      }
    }
  }

  private static String rdn(String dn) {
    return dn.substring("ou=".length(), dn.indexOf(','));
  }

  @Override
  public void close() {
    isStopped = true;
    Threads.join(thread);
  }
}
