package org.nyala.netty;

import io.netty.buffer.PooledByteBufAllocator;
import io.netty.util.internal.PlatformDependent;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import org.nyala.core.budget.AllocationAccount;
import org.nyala.core.budget.MemoryAccount;
import org.nyala.core.budget.MemoryBudget;

/**
 * Ends connections when memory runs short, so that others find room. The owner that holds the most
 * loses the connections that hold the most, stuck ones before those that make progress. If only one
 * owner has used up its share, or the reserve for small accounts is untouched, only stuck ones end.
 * Data that is kept only to save work is dropped before. If the heap or the memory of buffers is
 * full in spite of all bounds, the operations that allocate the most end before.
 *
 * <p>Thread-safe. Visits all connections, so it is used only when nothing else helps.
 */
final class MemoryRelief {
  /** A pass visits all connections, and the ended ones need a moment to go. */
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  /** Ending an owner that holds less frees no room, and would hit clients that ask for little. */
  private static final long LEAST_BYTES = 1024;

  /**
   * The same bound if only one owner has used up its share: the connections that hold most of it
   * may be receiving at this moment, so that a connection with one small message seems to be the
   * only stuck one.
   */
  private static final long LEAST_STUCK_BYTES = 16 * 1024;

  /**
   * The time after which those who hold memory and move nothing end although nobody is stuck: what
   * others wait for is held for good, such as by standing searches.
   */
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** Passes that follow each other in this time look at the same shortage. */
  private static final long SAME_NANOS = TimeUnit.SECONDS.toNanos(2);

  /** Frees a little more than necessary, lest the next look finds the same. */
  private static final int MARGIN_PART = 16;

  private static final long LOG_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final System.Logger LOG = System.getLogger(MemoryRelief.class.getName());

  private final MemoryBudget budget;
  private final OpenConnections open;
  private final Consumer<Predicate<Object>> dropping;
  private final Executor executor;
  private final LongSupplier nanoClock;
  private final AtomicBoolean isWanted = new AtomicBoolean();
  private volatile long lookedNanos = System.nanoTime() - PAUSE_NANOS;
  private long endedUnsaid;
  private long saidNanos;
  private boolean hasSaid;
  private long tightSinceNanos;
  private long tightNanos;
  private boolean wasTight;

  /**
   * Prepares for a shortage.
   *
   * @param dropping drops data that is kept on behalf of some owners only to save work
   * @param executor runs the search for connections to end; never the caller itself
   */
  MemoryRelief(
      MemoryBudget budget,
      OpenConnections open,
      Consumer<Predicate<Object>> dropping,
      Executor executor,
      LongSupplier nanoClock) {
    this.budget = budget;
    this.open = open;
    this.dropping = dropping;
    this.executor = executor;
    this.nanoClock = nanoClock;
  }

  /**
   * The connections of one owner and the bytes that they hold: stuck ones, and among them those
   * that hold the most, come last.
   */
  private static final class Holder {
    final List<ConnectionHandler> connections = new ArrayList<>();
    long bytes;
  }

  /**
   * Requests a pass soon, unless one has just been made: a connection that still needs it asks
   * again.
   */
  void want() {
    if (System.nanoTime() - lookedNanos >= PAUSE_NANOS && isWanted.compareAndSet(false, true)) {
      try {
        executor.execute(this::relieve);
      } catch (RejectedExecutionException e) {
        // The server ends, and all connections with it.
        isWanted.set(false);
      }
    }
  }

  private synchronized void relieve() {
    lookedNanos = System.nanoTime();
    isWanted.set(false);
    int ended = relieveOwners();
    boolean isTight = budget.isTight();
    if (isTight) {
      ended += relieveWhole(isTightForLong(nanoClock.getAsLong()));
    }
    wasTight = isTight;
    if (ended > 0) {
      say(ended);
    }
  }

  /**
   * Ends stuck connections of each owner that has used up its share, until a quarter of it is free.
   */
  private int relieveOwners() {
    long wanted = budget.bounds().ownerBytes() / 4 * 3;
    int ended = 0;
    for (Holder holder :
        holders(LEAST_STUCK_BYTES, connection -> connection.upkeep().stuckBytes()).values()) {
      ConnectionHandler any = holder.connections.getFirst();
      if (any.session().memory().isOwnerNearlyFull()) {
        Object owner = any.session().memory().owner();
        dropping.accept(owner::equals);
        long excess = any.session().memory().ownerHeld() - wanted - ending(owner::equals);
        ended += endLargest(holder, excess);
      }
    }
    return ended;
  }

  private static int endLargest(Holder holder, long excess) {
    int ended = 0;
    for (long left = excess; left > 0 && !holder.connections.isEmpty(); ended++) {
      left -= endLargest(holder, MemoryRelief::heldBytes);
    }
    return ended;
  }

  private static long endLargest(Holder holder, ToLongFunction<ConnectionHandler> bytes) {
    ConnectionHandler connection = holder.connections.removeLast();
    long held = bytes.applyAsLong(connection);
    holder.bytes -= held;
    connection.upkeep().endForMemory();
    return held;
  }

  private boolean isTightForLong(long nowNanos) {
    if (!wasTight || nowNanos - tightNanos > SAME_NANOS) {
      tightSinceNanos = nowNanos;
    }
    tightNanos = nowNanos;
    return nowNanos - tightSinceNanos >= PATIENCE_NANOS;
  }

  /**
   * Ends the largest connection of the largest owner, repeatedly, until a quarter is free. As long
   * as nothing of the reserve is in use, whoever makes progress is left alone.
   *
   * @param isForLong true if memory has been tight for long
   */
  private int relieveWhole(boolean isForLong) {
    dropping.accept(_ -> true);
    long excess = budget.held() - budget.bounds().wholeBytes() / 4 * 3 - ending(_ -> true);
    if (budget.isReserveInUse()) {
      return endLargestOwners(excess, LEAST_BYTES, MemoryRelief::heldBytes);
    }
    return endLargestOwners(
        excess,
        LEAST_STUCK_BYTES,
        connection ->
            isForLong ? connection.upkeep().stillBytes() : connection.upkeep().stuckBytes());
  }

  private static long heldBytes(ConnectionHandler connection) {
    return connection.session().memory().held();
  }

  private static long heapBytes(ConnectionHandler connection) {
    return heldBytes(connection) - connection.outputBytes();
  }

  private int endLargestOwners(long wanted, long least, ToLongFunction<ConnectionHandler> bytes) {
    long excess = wanted;
    Comparator<Holder> byBytes = Comparator.comparingLong(holder -> -holder.bytes);
    PriorityQueue<Holder> largest = new PriorityQueue<>(byBytes);
    largest.addAll(holders(least, bytes).values());
    int ended = 0;
    while (excess > 0 && !largest.isEmpty()) {
      Holder holder = largest.remove();
      excess -= endLargest(holder, bytes);
      ended++;
      if (!holder.connections.isEmpty()) {
        largest.add(holder);
      }
    }
    return ended;
  }

  /**
   * Frees memory of the heap, of which too much is in use: ends the operations that have allocated
   * the most in excess, then the connections that hold the most. If there are none, one operation
   * ends, of those that allocate much; the next collection tells whether it was that.
   *
   * @param wanted the bytes to free
   */
  synchronized void relieveHeap(long wanted) {
    long heldBefore = budget.held();
    dropping.accept(_ -> true);
    long left = wanted - (heldBefore - budget.held()) - endOperations(wanted);
    int ended = left > 0 ? endLargestOwners(left, LEAST_BYTES, MemoryRelief::heapBytes) : 0;
    if (ended > 0) {
      say(ended);
    } else if (left == wanted) {
      budget.allocations().stream()
          .filter(each -> !each.isEnding() && each.total() > AllocationAccount.SLICE_BYTES)
          .max(Comparator.comparingLong(AllocationAccount::total))
          .ifPresent(AllocationAccount::endOperation);
    }
  }

  /** Ends the operations with the largest excess, and returns the bytes of it. */
  private long endOperations(long wanted) {
    long ended = 0;
    List<AllocationAccount> largest =
        budget.allocations().stream()
            .filter(each -> !each.isEnding() && each.excess() > 0)
            .sorted(Comparator.comparingLong(AllocationAccount::excess).reversed())
            .toList();
    for (AllocationAccount each : largest) {
      if (ended < wanted) {
        ended += each.excess();
        each.endOperation();
      }
    }
    return ended;
  }

  /**
   * Looks at the memory of buffers; if too much of it is in use, the connections end whose clients
   * leave the most answers unread.
   *
   * @param percent the share that may be in use
   */
  void lookAtBuffers(int percent) {
    long maximum = PlatformDependent.maxDirectMemory();
    long share = maximum / 100 * percent;
    // Chunks of buffers stay when these are free, so that they alone tell nothing.
    if (PlatformDependent.usedDirectMemory() > share) {
      long used = PooledByteBufAllocator.DEFAULT.pinnedDirectMemory();
      if (used > share) {
        relieveBuffers(used - share + maximum / MARGIN_PART);
        budget.memoryFull("the memory of buffers", used, maximum);
      }
    }
  }

  /** Ends the connections whose answers take the most memory of buffers. */
  synchronized void relieveBuffers(long wanted) {
    int ended = endLargestOwners(wanted, LEAST_BYTES, ConnectionHandler::outputBytes);
    if (ended > 0) {
      say(ended);
    }
  }

  /** Returns the bytes still held by connections of some owners that were asked to end. */
  private long ending(Predicate<Object> owners) {
    long bytes = 0;
    for (ConnectionHandler connection : open.all()) {
      MemoryAccount account = connection.session().memory();
      boolean isEnding = connection.upkeep().isEndedForMemory() && owners.test(account.owner());
      bytes += isEnding ? account.held() : 0;
    }
    return bytes;
  }

  private Map<Object, Holder> holders(long least, ToLongFunction<ConnectionHandler> bytes) {
    Map<Object, Holder> holders = new HashMap<>();
    Map<ConnectionHandler, Long> held = new HashMap<>();
    Set<ConnectionHandler> stuck = new HashSet<>();
    for (ConnectionHandler connection : open.all()) {
      long now = bytes.applyAsLong(connection);
      if (now >= least && !connection.upkeep().isEndedForMemory()) {
        // Read once: it changes while other connections are compared with it.
        held.put(connection, now);
        if (connection.upkeep().stuckBytes() >= LEAST_STUCK_BYTES) {
          stuck.add(connection);
        }
        Object owner = connection.session().memory().owner();
        Holder holder = holders.computeIfAbsent(owner, _ -> new Holder());
        holder.connections.add(connection);
        holder.bytes += now;
      }
    }
    Comparator<ConnectionHandler> byHeld = Comparator.comparing(held::get);
    Comparator<ConnectionHandler> stuckLast = Comparator.comparing(stuck::contains);
    holders.values().forEach(holder -> holder.connections.sort(stuckLast.thenComparing(byHeld)));
    return holders;
  }

  private void say(int ended) {
    endedUnsaid += ended;
    long now = nanoClock.getAsLong();
    if (!hasSaid || now - saidNanos >= LOG_NANOS) {
      LOG.log(
          System.Logger.Level.WARNING,
          "{0} connections were ended because clients held too much memory; {1} of {2} bytes are"
              + " held (limits.memory)",
          endedUnsaid,
          budget.held(),
          budget.bounds().wholeBytes());
      hasSaid = true;
      saidNanos = now;
      endedUnsaid = 0;
    }
  }
}
