package org.nyala.netty.accept;

import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.EventExecutorChooserFactory;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Chooses the event loop of each connection: the one with the fewest connections among those in
 * use. Another loop comes into use for each fixed number of connections. One busy loop answers
 * more, for less processor time, than several that fall asleep and are woken for each request.
 *
 * <p>Thread-safe. For one group of loops.
 */
public final class EventLoopChooser implements EventExecutorChooserFactory {
  private final int connectionsPerLoop;
  private final ReentrantLock lock = new ReentrantLock();
  private EventExecutor[] loops = {};
  private int[] connections = {};
  private int total;

  /**
   * Creates a choice.
   *
   * @param connectionsPerLoop the number of connections for each of which another loop comes into
   *     use, at least 1
   */
  public EventLoopChooser(int connectionsPerLoop) {
    this.connectionsPerLoop = connectionsPerLoop;
  }

  @Override
  public EventExecutorChooser newChooser(EventExecutor[] executors) {
    lock.lock();
    try {
      loops = executors.clone();
      connections = new int[loops.length];
      total = 0;
    } finally {
      lock.unlock();
    }
    return this::next;
  }

  /** Returns the loop of the next connection, which is counted for it from now on. */
  private EventExecutor next() {
    lock.lock();
    try {
      int inUse = (int) Math.min(loops.length, total / (long) connectionsPerLoop + 1);
      int fewest = 0;
      for (int i = 1; i < inUse; i++) {
        if (connections[i] < connections[fewest]) {
          fewest = i;
        }
      }
      connections[fewest]++;
      total++;
      return loops[fewest];
    } finally {
      lock.unlock();
    }
  }

  /** Notes that a connection of this loop has ended. */
  public void left(EventExecutor loop) {
    lock.lock();
    try {
      for (int i = 0; i < loops.length; i++) {
        if (loops[i] == loop) {
          connections[i]--;
          total--;
        }
      }
    } finally {
      lock.unlock();
    }
  }
}
