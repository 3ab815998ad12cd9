package org.nyala.loadtest.jmh;

import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.nyala.core.dispatch.DispatchStrategy;

/**
 * A load of clients, connections and operations without a wire and a store, on the event loops and
 * under a dispatch strategy of a server: only dispatching is left of a server. The cost of clients,
 * sockets and the kernel is left out.
 *
 * <p>Thread-safe, but for {@link #takeLatencies}, which one thread at a time may call.
 */
final class SyntheticLoad implements ClosedLoad {
  private static final long CLOSE_LIMIT_SECONDS = 60;

  private final DispatchStrategy strategy;
  private final SyntheticWork work;
  private final SyntheticCost cost;
  private final MultiThreadIoEventLoopGroup group;
  private final List<SyntheticLoop> loops = new ArrayList<>();
  private final CountDownLatch open;
  private volatile boolean closing;

  private SyntheticLoad(
      DispatchStrategy strategy,
      SyntheticWork work,
      SyntheticCost cost,
      int connections,
      int eventLoops) {
    this.strategy = strategy;
    this.work = work;
    this.cost = cost;
    this.open = new CountDownLatch(connections);
    IoHandlerFactory transport =
        Epoll.isAvailable() ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
    group =
        new MultiThreadIoEventLoopGroup(
            eventLoops, new DefaultThreadFactory("loop", true), transport);
    for (int i = 0; i < eventLoops; i++) {
      loops.add(new SyntheticLoop(group.next()));
    }
  }

  /**
   * Starts a load.
   *
   * @param strategy runs the operations; closed at the end of the load
   * @param work makes their costs
   * @param cost the cost of the operations
   * @param connections the number of clients that send, at least 1
   * @param eventLoops the number of loops that share them, at least 1
   */
  static SyntheticLoad start(
      DispatchStrategy strategy,
      SyntheticWork work,
      SyntheticCost cost,
      int connections,
      int eventLoops) {
    SyntheticLoad load = new SyntheticLoad(strategy, work, cost, connections, eventLoops);
    for (int i = 0; i < connections; i++) {
      new SyntheticConnection(load, load.loops.get(i % eventLoops), i + 1).open();
    }
    return load;
  }

  DispatchStrategy strategy() {
    return strategy;
  }

  SyntheticWork work() {
    return work;
  }

  SyntheticCost cost() {
    return cost;
  }

  /** Returns whether clients send no more. */
  boolean isClosing() {
    return closing;
  }

  /** Notes that a client has its last answer. */
  void closed() {
    open.countDown();
  }

  @Override
  public long completed() {
    long sum = 0;
    for (SyntheticLoop loop : loops) {
      sum += loop.completed();
    }
    return sum;
  }

  @Override
  public Histogram takeLatencies() {
    Histogram sum = new Histogram(3);
    loops.forEach(loop -> loop.addLatencies(sum));
    return sum;
  }

  /**
   * Waits until every client has its last answer, then stops the threads.
   *
   * @throws IllegalStateException if some client never gets it, or operations are left over
   */
  void end() throws InterruptedException {
    closing = true;
    try {
      if (!open.await(CLOSE_LIMIT_SECONDS, TimeUnit.SECONDS)) {
        throw new IllegalStateException(
            strategy.name() + ": " + open.getCount() + " clients wait in vain for an answer");
      }
      strategy.close();
      if (strategy.inFlight() != 0) {
        throw new IllegalStateException(
            strategy.name() + ": " + strategy.inFlight() + " operations in flight at the end");
      }
    } finally {
      group.shutdownGracefully(0, CLOSE_LIMIT_SECONDS, TimeUnit.SECONDS).await();
    }
  }
}
