package org.nyala.server;

import java.lang.System.Logger.Level;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.nyala.config.NyalaConfig;
import org.nyala.error.ConfigurationException;
import org.nyala.error.ErrorMessages;
import org.nyala.error.ExitCode;
import org.nyala.management.ServerComponents;
import org.nyala.management.bean.ServerMXBean;

/**
 * Control of a server as a whole over JMX, whose clients do not have our exceptions.
 *
 * <p>Thread-safe.
 */
final class ServerControl implements ServerComponents.Control {
  private static final System.Logger LOG = System.getLogger(ServerControl.class.getName());
  private static final int STOP_DELAY_MILLIS = 200;

  private volatile @Nullable Reconfiguration reconfiguration;
  private volatile @Nullable ReadOnlySwitch readOnly;
  private volatile @Nullable IntConsumer ending;

  ServerControl() {}

  void changeBy(Reconfiguration changes) {
    reconfiguration = changes;
  }

  /** Sets the switch that ends changes. */
  void switchBy(ReadOnlySwitch found) {
    readOnly = found;
  }

  /** Returns whether every change is refused. */
  boolean isReadOnly() {
    ReadOnlySwitch found = readOnly;
    return found != null && found.isOn();
  }

  /**
   * Returns the configuration in force.
   *
   * @param started the one with which the server has started
   */
  NyalaConfig inForce(NyalaConfig started) {
    Reconfiguration changes = reconfiguration;
    return changes == null ? started : changes.inForce();
  }

  /**
   * Sets the action that ends the process with an exit code; there is none if the server is part of
   * another program.
   */
  void endBy(IntConsumer end) {
    ending = end;
  }

  @Override
  public ServerMXBean.Reloaded reload() {
    return said(() -> changes().reload());
  }

  @Override
  public long changeLimit(String name, long value) {
    return said(() -> changes().changeLimit(name, value));
  }

  @Override
  public boolean switchReadOnly(boolean on, String by) {
    return started(readOnly).set(on, by);
  }

  private Reconfiguration changes() {
    return started(reconfiguration);
  }

  private static <T> T started(@Nullable T part) {
    if (part == null) {
      throw new IllegalStateException("the server is starting");
    }
    return part;
  }

  private static <T> T said(Supplier<T> change) {
    try {
      return change.get();
    } catch (ConfigurationException e) {
      throw new IllegalArgumentException(ErrorMessages.line(e));
    }
  }

  @Override
  public void stop() {
    IntConsumer end = ending;
    if (end == null) {
      throw new IllegalStateException("the server is part of a program that goes on");
    }
    LOG.log(Level.INFO, "asked over JMX to stop");
    // Delayed, so that the caller gets an answer.
    CompletableFuture.delayedExecutor(STOP_DELAY_MILLIS, TimeUnit.MILLISECONDS)
        .execute(() -> end.accept(ExitCode.OK));
  }

  @Override
  public void endWithoutStore() {
    IntConsumer end = ending;
    if (end != null) {
      LOG.log(Level.ERROR, "the server ends with exit code {0}", ExitCode.STORE_FAILED);
      end.accept(ExitCode.STORE_FAILED);
    }
  }
}
