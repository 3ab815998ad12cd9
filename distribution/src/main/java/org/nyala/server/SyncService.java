package org.nyala.server;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.ContextEpochs;
import org.nyala.core.backend.SyncCookie;
import org.nyala.core.replica.ContextHandover;
import org.nyala.core.replica.ReplicaPhase;
import org.nyala.core.replica.ReplicaProgress;
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
  private static final String UNFINISHED =
      "a refresh has begun and not ended, and replication is not configured any more: configure it"
          + " again and restart, restore or import all entries, or take what is here with nyala"
          + " promote --force";

  private final List<ConfiguredReplication.Running> copies;
  private final Map<String, String> unfinished;
  private final Map<String, ContextHandover> contexts;
  private final ServerLogs logs;

  /**
   * Creates the service.
   *
   * @param copies what keeps the copies up to date
   * @param unfinished the names of former copies that have a part of a refresh, with the addresses
   *     of their providers
   * @param contexts all naming contexts, by name
   */
  SyncService(
      List<ConfiguredReplication.Running> copies,
      Map<String, String> unfinished,
      Map<String, ContextHandover> contexts,
      ServerLogs logs) {
    this.copies = List.copyOf(copies);
    this.unfinished = new LinkedHashMap<>(unfinished);
    this.contexts = new LinkedHashMap<>(contexts);
    this.logs = logs;
  }

  @Override
  public List<Copy> getCopies() {
    return Stream.concat(
            copies.stream().map(each -> copy(each.contextSwitch().status())),
            unfinished.entrySet().stream().map(each -> copy(each.getKey(), each.getValue())))
        .toList();
  }

  /** Returns the state of a former copy with a part of a refresh; as promoted once it is taken. */
  private Copy copy(String suffix, String provider) {
    boolean isPart = isUnfinished(suffix);
    ReplicaPhase phase = isPart ? ReplicaPhase.UNFINISHED : ReplicaPhase.PROMOTED;
    ReplicaProgress progress = new ReplicaProgress(phase, context(suffix).present(), 0, 0, 0, 0, 0);
    int lag = isPart ? SyncCookie.UNKNOWN_LAG : 0;
    return copy(
        new ReplicationStatus(
            provider, suffix, progress, null, lag, 0, !isPart, 0, isPart ? UNFINISHED : "", null));
  }

  private boolean isUnfinished(String suffix) {
    return context(suffix).unfinished() != null;
  }

  private ContextHandover context(String suffix) {
    return Objects.requireNonNull(contexts.get(suffix));
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

  @Override
  public List<ContextEpoch> getEpochs() {
    return contexts.entrySet().stream().map(each -> epoch(each.getKey(), each.getValue())).toList();
  }

  private ContextEpoch epoch(String suffix, ContextHandover context) {
    ContextEpochs epochs = context.epochs();
    boolean isCopy =
        copies.stream()
            .filter(each -> each.runner().suffix().equals(suffix))
            .anyMatch(each -> !each.contextSwitch().isPromoted());
    return new ContextEpoch(
        suffix,
        epochs.ours().number(),
        epochs.ours().serverId(),
        epochs.heard().number(),
        epochs.heard().serverId(),
        isCopy,
        EpochRemedy.of(epochs, context.serverId(), isCopy));
  }

  private static String text(@Nullable Instant time) {
    return time == null ? "" : time.toString();
  }

  @Override
  public void confirm(String suffix, long entries, String by) {
    ReplicaRunner runner = findCopy(suffix);
    if (!runner.confirm(entries)) {
      long guarded = runner.status().progress().guarded();
      throw new IllegalStateException(
          guarded == 0
              ? "no refresh of " + suffix + " was stopped"
              : "what was stopped for " + suffix + " may lose " + guarded + " entries");
    }
    logs.copyAdministered(AccountService.caller(by), "confirm", runner.suffix());
  }

  @Override
  public void retry(String suffix, String by) {
    ReplicaRunner runner = findCopy(suffix);
    runner.retry();
    logs.copyAdministered(AccountService.caller(by), "retry", runner.suffix());
  }

  @Override
  public Switched promote(
      String suffix, boolean force, boolean dryRun, int waitSeconds, String by) {
    requireBounded(waitSeconds);
    ContextHandover stopped = stopped(suffix);
    if (stopped != null) {
      String name = name(suffix);
      return switched(
          name, "promote", force, by, () -> ContextSwitch.raise(stopped, name, force, dryRun));
    }
    ConfiguredReplication.Running copy = find(suffix);
    return switched(
        copy.runner().suffix(),
        "promote",
        force,
        by,
        () -> copy.contextSwitch().promote(force, dryRun, waitSeconds));
  }

  @Override
  public Switched follow(String suffix, boolean force, int waitSeconds, String by) {
    ConfiguredReplication.Running copy = find(suffix);
    requireBounded(waitSeconds);
    return switched(
        copy.runner().suffix(),
        "follow",
        force,
        by,
        () -> copy.contextSwitch().follow(force, waitSeconds));
  }

  private static void requireBounded(int waitSeconds) {
    if (waitSeconds < 0 || waitSeconds > MOST_WAIT_SECONDS) {
      throw new IllegalArgumentException(
          "the time to wait: expected 0 to " + MOST_WAIT_SECONDS + " seconds");
    }
  }

  /**
   * Returns a naming context that is copied from nobody, and not changed: it was superseded, or has
   * a part of a refresh; null if this one is not such.
   */
  private @Nullable ContextHandover stopped(String suffix) {
    String name = name(suffix);
    ContextHandover context = contexts.get(name);
    boolean isCopied =
        copies.stream().anyMatch(each -> SuffixNames.isSame(each.runner().suffix(), suffix));
    boolean isStopped =
        context != null
            && !isCopied
            && (unfinished.containsKey(name) || context.epochs().isSuperseded());
    return isStopped ? context : null;
  }

  /** Returns a name as the store presents it. */
  private String name(String suffix) {
    return contexts.keySet().stream()
        .filter(each -> SuffixNames.isSame(each, suffix))
        .findFirst()
        .orElse(suffix);
  }

  private Switched switched(
      String suffix, String action, boolean isForced, String by, Request request) {
    try {
      ContextSwitch.Report report = request.send();
      if (report.hasActed()) {
        String done = isForced ? action + "-forced" : action;
        logs.copyAdministered(
            AccountService.caller(by), report.isDone() ? done : action + "-failed", suffix);
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
    if (unfinished.containsKey(name(suffix))) {
      throw new IllegalStateException(suffix + ": replication is not configured any more");
    }
    return copies.stream()
        .filter(each -> SuffixNames.isSame(each.runner().suffix(), suffix))
        .findFirst()
        .orElseThrow(
            () -> new IllegalArgumentException("'" + suffix + "' is no copy of this server"));
  }

  /** The remedy for administrators when another server was promoted. Stateless. */
  static final class EpochRemedy {
    private EpochRemedy() {}

    /**
     * Returns it.
     *
     * @param serverId the number of this server
     * @param isCopy true if this server does not change the naming context in any case
     * @return a sentence; empty if no other server was promoted
     */
    static String of(ContextEpochs epochs, int serverId, boolean isCopy) {
      if (!epochs.isSuperseded()) {
        return "";
      }
      if (epochs.heard().serverId() == serverId) {
        return "its data is older than its own changes of that epoch, as after a restore or an"
            + " import. Restore a later backup; or promote a copy that has the changes, and"
            + " have this server copy from it (replication.provider, and a restart). Or run"
            + " nyala promote --force here; later changes are lost then";
      }
      String other = "server " + epochs.heard().serverId();
      if (isCopy) {
        return "copy from "
            + other
            + ", or from a copy of it: set replication.provider, and restart";
      }
      return "have this server copy from "
          + other
          + " (replication.provider, and a restart; or nyala sync follow --force if it was promoted"
          + " itself). Or run nyala promote --force here; changes of the other are lost then";
    }
  }
}
