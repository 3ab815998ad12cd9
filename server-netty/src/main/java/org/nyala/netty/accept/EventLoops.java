package org.nyala.netty.accept;

import io.netty.channel.IoEventLoop;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SingleThreadIoEventLoop;
import io.netty.util.concurrent.EventExecutorChooserFactory;
import io.netty.util.concurrent.RejectedExecutionHandlers;
import java.util.concurrent.Executor;

/**
 * Event loops that look at their sockets between tasks every so often: answers of workers are
 * tasks, and newly arrived clients must not wait for all of them.
 *
 * <p>Thread-safe.
 */
public final class EventLoops extends MultiThreadIoEventLoopGroup {
  /**
   * The time for which tasks are run before sockets are looked at again, by a clock that is checked
   * after every 64 of them; Netty's default is a second.
   */
  private static final long TASKS_MILLIS = 5;

  public EventLoops(
      int threads,
      Executor executor,
      EventExecutorChooserFactory choice,
      IoHandlerFactory ioHandlers) {
    super(threads, executor, choice, ioHandlers);
  }

  @Override
  protected IoEventLoop newChild(Executor executor, IoHandlerFactory ioHandlers, Object... unused) {
    return new SingleThreadIoEventLoop(
        this,
        executor,
        ioHandlers,
        Integer.MAX_VALUE,
        RejectedExecutionHandlers.reject(),
        TASKS_MILLIS);
  }
}
