package org.nyala.netty;

import io.netty.channel.DefaultEventLoop;
import io.netty.util.concurrent.EventExecutor;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Threads;

/**
 * The cost of the connection table for an event on one of a thousand connections, by one, two and
 * four threads. A request pays twice: when it comes and when it is answered. Thread-safe.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class ConnectionTableBenchmark {
  private static final int CONNECTIONS = 1024;

  /** The kind of table that keeps the connections. */
  @Param({"per-loop", "global-lock", "sharded(16)"})
  public String table = "per-loop";

  private final EventExecutor loop = new DefaultEventLoop();
  private final Member[] members = new Member[CONNECTIONS];
  private ConnectionTable<Member> connections =
      ConnectionTable.of(WireSettings.Table.PER_LOOP, List.of(loop));

  /** A connection without a channel. Confined to the set-up, but for what never changes. */
  private static final class Member implements ConnectionTable.Member {
    private final int number;
    private final EventExecutor loop;
    private int place;

    Member(int number, EventExecutor loop) {
      this.number = number;
      this.loop = loop;
    }

    @Override
    public int number() {
      return number;
    }

    @Override
    public EventExecutor loop() {
      return loop;
    }

    @Override
    public int place() {
      return place;
    }

    @Override
    public void moveTo(int newPlace) {
      place = newPlace;
    }
  }

  @Setup
  public void open() {
    connections = ConnectionTable.of(WireSettings.Table.parse(table), List.of(loop));
    for (int i = 0; i < CONNECTIONS; i++) {
      members[i] = new Member(i + 1, loop);
      connections.add(members[i]);
    }
  }

  /** Stops the loop, which was never started. */
  @TearDown
  public void stop() {
    Future<?> _ = loop.shutdownGracefully(0, 1, TimeUnit.SECONDS);
  }

  private boolean event() {
    return connections.holds(members[ThreadLocalRandom.current().nextInt(CONNECTIONS)]);
  }

  @Benchmark
  @Threads(1)
  public boolean oneThread() {
    return event();
  }

  @Benchmark
  @Threads(2)
  public boolean twoThreads() {
    return event();
  }

  @Benchmark
  @Threads(4)
  public boolean fourThreads() {
    return event();
  }
}
