package org.nyala.loadtest.jmh;

import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.ToLongFunction;
import org.HdrHistogram.Histogram;
import org.nyala.loadtest.engine.LoadLoop;
import org.nyala.loadtest.engine.LoadProgress;
import org.nyala.loadtest.engine.LoadRun;
import org.nyala.loadtest.engine.SaslIdentities;
import org.nyala.loadtest.engine.Templates;
import org.nyala.loadtest.workload.LoadSettings;
import org.nyala.loadtest.workload.LoadTestException;

/**
 * Clients that work until they are stopped, for benchmarks that measure beside them.
 *
 * <p>Thread-safe.
 */
public final class BackgroundLoad implements ClosedLoad {
  private static final long SETUP_SECONDS = 60;
  private static final long END_SECONDS = 30;
  private static final long YEAR_NANOS = TimeUnit.DAYS.toNanos(365);

  private final LoadSettings settings;
  private final LoadProgress progress;
  private final MultiThreadIoEventLoopGroup group;
  private final SaslIdentities identities;
  private final List<LoadLoop> loops = new ArrayList<>();

  private BackgroundLoad(LoadSettings settings) {
    this.settings = settings;
    this.progress = new LoadProgress(settings.clients());
    this.group = LoadRun.eventLoops(settings);
    Templates templates = Templates.of(settings);
    this.identities = SaslIdentities.of(settings);
    for (int i = 0; i < settings.threads(); i++) {
      EventLoop eventLoop = group.next();
      loops.add(
          new LoadLoop(
              settings,
              templates,
              identities,
              LoadRun.bootstrap(settings, eventLoop),
              eventLoop,
              progress,
              i));
    }
  }

  /**
   * Opens the connections and starts the clients; the settings' times do not matter.
   *
   * @throws LoadTestException if the connections cannot be set up
   */
  public static BackgroundLoad start(LoadSettings settings)
      throws LoadTestException, InterruptedException {
    BackgroundLoad load = new BackgroundLoad(settings);
    boolean complete = false;
    try {
      load.open();
      complete = true;
      return load;
    } finally {
      if (!complete) {
        load.stopLoops();
      }
    }
  }

  private void open() throws LoadTestException, InterruptedException {
    for (int i = 0; i < settings.connections(); i++) {
      LoadLoop loop = loops.get(i % loops.size());
      int connection = i;
      loop.eventLoop().execute(() -> loop.addClients(connection));
    }
    boolean ready = progress.awaitReady(TimeUnit.SECONDS.toNanos(SETUP_SECONDS));
    String failure = progress.setupFailure();
    if (!ready || failure != null) {
      throw new LoadTestException(
          settings.server() + ": " + (failure == null ? "clients could not connect" : failure));
    }
    long now = System.nanoTime();
    loops.forEach(loop -> loop.eventLoop().execute(() -> loop.begin(now, now + YEAR_NANOS)));
  }

  @Override
  public long completed() {
    return sum(loop -> loop.statistics().all());
  }

  @Override
  public Histogram takeLatencies() {
    Histogram taken = new Histogram(3);
    onEachLoop(loop -> loop.statistics().moveLatencies(taken));
    return taken;
  }

  /**
   * Ends the clients, each after its answer, and closes their connections.
   *
   * @throws LoadTestException if answers were wrong or did not come
   */
  public void end() throws LoadTestException, InterruptedException {
    try {
      long now = System.nanoTime();
      onEachLoop(loop -> loop.statistics().measureBetween(now, now));
      boolean ended = progress.awaitEnded(TimeUnit.SECONDS.toNanos(END_SECONDS));
      long errors = sum(loop -> loop.statistics().errors());
      if (!ended || errors > 0 || progress.defect() != null) {
        throw new LoadTestException(
            String.format(
                Locale.ROOT,
                "%s: %d wrong answers, %s",
                settings.server(),
                errors,
                progress.defect()));
      }
    } finally {
      stopLoops();
    }
  }

  /** Runs an action on each event loop, and waits for it. */
  public void onLoop(Runnable action) {
    onEachLoop(_ -> action.run());
  }

  private void stopLoops() throws InterruptedException {
    group.shutdownGracefully(0, END_SECONDS, TimeUnit.SECONDS).await();
    loops.forEach(LoadLoop::release);
    identities.close();
  }

  private long sum(ToLongFunction<LoadLoop> count) {
    long[] sum = new long[1];
    onEachLoop(loop -> sum[0] += count.applyAsLong(loop));
    return sum[0];
  }

  /** Runs an action on each loop in turn, and waits for it. */
  private void onEachLoop(Consumer<LoadLoop> action) {
    for (LoadLoop loop : loops) {
      try {
        loop.eventLoop().submit(() -> action.accept(loop)).get();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException("interrupted", e);
      } catch (ExecutionException e) {
        throw new IllegalStateException("the load tester failed", e);
      }
    }
  }
}
