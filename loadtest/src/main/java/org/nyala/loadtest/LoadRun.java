package org.nyala.loadtest;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Carries out one load test: opens the standing connections, lets the clients work, samples CPU
 * time at the ends of the measured period, gathers what was counted.
 *
 * <p>Confined to the thread that calls {@link #run}.
 */
final class LoadRun {
  private static final long SETUP_LIMIT_NANOS = TimeUnit.SECONDS.toNanos(30);
  private static final long SETUP_POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
  private static final long GRACE_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final int CONNECT_TIMEOUT_MILLIS = 10_000;
  private static final int READ_BUFFER = 8 << 10;
  private static final int SCAN_READ_BUFFER = 256 << 10;

  private final LoadSettings settings;
  private final LoadProgress progress;
  private final List<LoadLoop> loops = new ArrayList<>();

  private LoadRun(LoadSettings settings) {
    this.settings = settings;
    this.progress = new LoadProgress(settings.connections());
  }

  /**
   * Runs a test to its end.
   *
   * @throws LoadTestException when the connections cannot be set up
   */
  static LoadReport run(LoadSettings settings) throws LoadTestException, InterruptedException {
    IoHandlerFactory transport =
        Epoll.isAvailable() ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
    try (MultiThreadIoEventLoopGroup group =
        new MultiThreadIoEventLoopGroup(
            settings.threads(), new DefaultThreadFactory("load", true), transport)) {
      return new LoadRun(settings).runOn(group);
    }
  }

  private LoadReport runOn(MultiThreadIoEventLoopGroup group)
      throws LoadTestException, InterruptedException {
    Templates templates = new Templates(settings);
    for (int i = 0; i < settings.threads(); i++) {
      EventLoop eventLoop = group.next();
      loops.add(new LoadLoop(settings, templates, bootstrap(eventLoop), eventLoop, progress));
    }
    try {
      openConnections();
      Measurement measurement = measure();
      rejectDefect();
      return LoadReport.of(settings, measurement, stoppedStatistics(group));
    } finally {
      group.shutdownGracefully(0, 5, TimeUnit.SECONDS).await();
    }
  }

  private Bootstrap bootstrap(EventLoop eventLoop) {
    Class<? extends SocketChannel> channel =
        Epoll.isAvailable() ? EpollSocketChannel.class : NioSocketChannel.class;
    int readBuffer = settings.job() == JobKind.SCAN ? SCAN_READ_BUFFER : READ_BUFFER;
    return new Bootstrap()
        .group(eventLoop)
        .channel(channel)
        .disableResolver()
        .option(ChannelOption.ALLOCATOR, PooledByteBufAllocator.DEFAULT)
        .option(ChannelOption.RECVBUF_ALLOCATOR, new FixedRecvByteBufAllocator(readBuffer))
        .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_TIMEOUT_MILLIS)
        .option(ChannelOption.TCP_NODELAY, true);
  }

  private void openConnections() throws LoadTestException, InterruptedException {
    for (int i = 0; i < settings.connections(); i++) {
      LoadLoop loop = loops.get(i % loops.size());
      long seed = i + 1L;
      loop.eventLoop().execute(() -> loop.addClient(seed));
    }
    long limit = System.nanoTime() + SETUP_LIMIT_NANOS;
    while (!progress.awaitReady(SETUP_POLL_NANOS)) {
      rejectDefect();
      String failure = progress.setupFailure();
      if (failure != null) {
        throw new LoadTestException(settings.server() + ": " + failure);
      }
      if (System.nanoTime() - limit > 0) {
        throw new LoadTestException(
            progress.clientsNotReady() + " clients could not connect in time");
      }
    }
  }

  /** CPU and wall time of the measured period; -1 where unknown. */
  record Measurement(long wallNanos, long serverCpuNanos, long clientCpuNanos) {}

  private Measurement measure() throws InterruptedException {
    long start = System.nanoTime() + (long) (settings.warmupSeconds() * 1e9);
    long end = start + (long) (settings.seconds() * 1e9);
    onEveryLoop(loop -> loop.begin(start, end));
    ProcessCpu server = new ProcessCpu(settings.pid());
    ProcessCpu client = new ProcessCpu(ProcessHandle.current().pid());
    progress.awaitEnded(start - System.nanoTime());
    long serverBefore = server.nanos();
    long clientBefore = client.nanos();
    progress.awaitEnded(end - System.nanoTime());
    long wall = Math.max(1, Math.min(System.nanoTime(), end) - start);
    long serverCpu = difference(serverBefore, server.nanos());
    long clientCpu = difference(clientBefore, client.nanos());
    if (!progress.awaitEnded(GRACE_NANOS)) {
      onEveryLoop(LoadLoop::giveUp);
      progress.awaitEnded(GRACE_NANOS);
    }
    return new Measurement(wall, serverCpu, clientCpu);
  }

  private static long difference(long before, long after) {
    return before < 0 || after < 0 ? -1 : after - before;
  }

  private void onEveryLoop(Consumer<LoadLoop> action) {
    for (LoadLoop loop : loops) {
      loop.eventLoop().execute(() -> action.accept(loop));
    }
  }

  /** Stops the loops first: only then may this thread read what they counted. */
  private List<LoopStatistics> stoppedStatistics(MultiThreadIoEventLoopGroup group)
      throws InterruptedException {
    group.shutdownGracefully(0, 5, TimeUnit.SECONDS).await();
    return loops.stream().map(LoadLoop::statistics).toList();
  }

  private void rejectDefect() {
    Throwable defect = progress.defect();
    if (defect != null) {
      throw new IllegalStateException("the load tester failed", defect);
    }
  }
}
