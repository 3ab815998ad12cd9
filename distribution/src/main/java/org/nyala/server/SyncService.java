package org.nyala.server;

import java.time.Instant;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.nyala.management.bean.SyncMXBean;
import org.nyala.replica.ContextSwitch;
import org.nyala.replica.ReplicaRunner;
import org.nyala.replica.ReplicationStatus;

/**
 * The copies of a running server, for JMX and the commands that use it.
 *
 * <p>Thread-safe.
 */
final class SyncService implements SyncMXBean {
  private final List<ConfiguredReplication.Running> copies;
  private final ServerLogs logs;

  /**
   * Creates the service.
   *
   * @param copies what keeps the copies up to date
   */
  SyncService(List<ConfiguredReplication.Running> copies, ServerLogs logs) {
    this.copies = List.copyOf(copies);
    this.logs = logs;
  }

  @Override
  public List<Copy> getCopies() {
    return copies.stream().map(each -> copy(each.contextSwitch().status())).toList();
  }

  private static Copy copy(ReplicationStatus status) {
    return new Copy(
        status.provider(),
        status.suffix(),
        status.progress().phase().name().toLowerCase(Locale.ROOT),
        text(status.connected()),
        status.lagSeconds(),
        status.progress().received(),
        status.progress().written(),
        status.progress().queued(),
        status.progress().waiting(),
        status.progress().guarded(),
        status.attempts(),
        status.progress().csns().csns().stream().map(Object::toString).toList(),
        status.error(),
        text(status.failed()));
  }

  private static String text(@Nullable Instant time) {
    return time == null ? "" : time.toString();
  }

  @Override
  public void confirm(String suffix, long entries) {
    ReplicaRunner runner = find(suffix).runner();
    if (!runner.confirm(entries)) {
      long guarded = runner.status().progress().guarded();
      throw new IllegalStateException(
          guarded == 0
              ? "no refresh of " + suffix + " was stopped"
              : "the stopped refresh of " + suffix + " would delete " + guarded + " entries");
    }
    logs.copyAdministered(AccountService.user(), "confirm", runner.suffix());
  }

  @Override
  public void retry(String suffix) {
    ReplicaRunner runner = find(suffix).runner();
    runner.retry();
    logs.copyAdministered(AccountService.user(), "retry", runner.suffix());
  }

  @Override
  public Switched promote(String suffix, boolean force, boolean dryRun, int waitSeconds) {
    ConfiguredReplication.Running copy = find(suffix);
    Switched result = switched(() -> copy.contextSwitch().promote(force, dryRun, waitSeconds));
    if (!dryRun && result.done()) {
      logs.copyAdministered(AccountService.user(), "promote", copy.runner().suffix());
    }
    return result;
  }

  @Override
  public Switched follow(String suffix, boolean force, int waitSeconds) {
    ConfiguredReplication.Running copy = find(suffix);
    Switched result = switched(() -> copy.contextSwitch().follow(force, waitSeconds));
    if (result.done()) {
      logs.copyAdministered(AccountService.user(), "follow", copy.runner().suffix());
    }
    return result;
  }

  private static Switched switched(Request request) {
    try {
      ContextSwitch.Report report = request.send();
      return new Switched(report.isDone(), report.lines());
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return new Switched(false, List.of("the server stops"));
    }
  }

  /** A request to switch. */
  @FunctionalInterface
  private interface Request {
    ContextSwitch.Report send() throws InterruptedException;
  }

  private ConfiguredReplication.Running find(String suffix) {
    return copies.stream()
        .filter(each -> each.runner().suffix().equalsIgnoreCase(suffix))
        .findFirst()
        .orElseThrow(
            () -> new IllegalArgumentException("'" + suffix + "' is no copy of this server"));
  }
}
