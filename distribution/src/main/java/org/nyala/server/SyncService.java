package org.nyala.server;

import java.time.Instant;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.nyala.management.bean.SyncMXBean;
import org.nyala.replica.ContextSwitch;
import org.nyala.replica.ReplicaRunner;
import org.nyala.replica.ReplicationStatus;
import org.nyala.replica.SuffixNames;

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
        status.staleSeconds(),
        status.isReady(),
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
    ReplicaRunner runner = findCopy(suffix);
    if (!runner.confirm(entries)) {
      long guarded = runner.status().progress().guarded();
      throw new IllegalStateException(
          guarded == 0
              ? "no refresh of " + suffix + " was stopped"
              : "what was stopped for " + suffix + " may lose " + guarded + " entries");
    }
    logs.copyAdministered(AccountService.user(), "confirm", runner.suffix());
  }

  @Override
  public void retry(String suffix) {
    ReplicaRunner runner = findCopy(suffix);
    runner.retry();
    logs.copyAdministered(AccountService.user(), "retry", runner.suffix());
  }

  @Override
  public Switched promote(String suffix, boolean force, boolean dryRun, int waitSeconds) {
    ConfiguredReplication.Running copy = find(suffix);
    requireBounded(waitSeconds);
    return switched(
        copy, "promote", force, () -> copy.contextSwitch().promote(force, dryRun, waitSeconds));
  }

  @Override
  public Switched follow(String suffix, boolean force, int waitSeconds) {
    ConfiguredReplication.Running copy = find(suffix);
    requireBounded(waitSeconds);
    return switched(copy, "follow", force, () -> copy.contextSwitch().follow(force, waitSeconds));
  }

  private static void requireBounded(int waitSeconds) {
    if (waitSeconds < 0 || waitSeconds > MOST_WAIT_SECONDS) {
      throw new IllegalArgumentException(
          "the time to wait: expected 0 to " + MOST_WAIT_SECONDS + " seconds");
    }
  }

  private Switched switched(
      ConfiguredReplication.Running copy, String action, boolean isForced, Request request) {
    try {
      ContextSwitch.Report report = request.send();
      if (report.hasActed()) {
        String done = isForced ? action + "-forced" : action;
        logs.copyAdministered(
            AccountService.user(),
            report.isDone() ? done : action + "-failed",
            copy.runner().suffix());
      }
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

  private ReplicaRunner findCopy(String suffix) {
    ConfiguredReplication.Running found = find(suffix);
    if (found.contextSwitch().isPromoted()) {
      throw new IllegalStateException(suffix + " is promoted: this server copies it from nobody");
    }
    return found.runner();
  }

  private ConfiguredReplication.Running find(String suffix) {
    return copies.stream()
        .filter(each -> SuffixNames.isSame(each.runner().suffix(), suffix))
        .findFirst()
        .orElseThrow(
            () -> new IllegalArgumentException("'" + suffix + "' is no copy of this server"));
  }
}
