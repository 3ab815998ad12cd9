package org.nyala.management.meter;

import static org.nyala.management.meter.Meter.counter;
import static org.nyala.management.meter.Meter.gauge;
import static org.nyala.management.meter.Meter.sum;

import io.micrometer.core.instrument.Tags;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.function.ToIntFunction;
import org.nyala.core.dispatch.DispatchStrategies;
import org.nyala.core.message.OperationType;
import org.nyala.core.metrics.ServerMetrics;
import org.nyala.core.policy.PolicyError;
import org.nyala.lmdb.StoreStatus;
import org.nyala.management.ServedFeatures;
import org.nyala.management.ServerComponents;
import org.nyala.management.bean.NoticeKind;
import org.nyala.management.bean.SyncMXBean;
import org.nyala.management.bean.SyncMXBean.ContextEpoch;

/**
 * The catalogue of meters: every number of a server that is shown in more places than its typed
 * bean, named and described here and nowhere else. Prometheus, the counters file, {@code
 * cn=Monitor} and the reference iterate over it.
 *
 * <p>Immutable. Nothing is counted here: meters read what the server counts anyway.
 */
public final class MeterCatalogue {
  /** The container of connections in {@code cn=Monitor}. */
  static final String CONNECTIONS = "Connections";

  /** The container of what was sent in {@code cn=Monitor}. */
  static final String STATISTICS = "Statistics";

  private static final String FOLLOWING = "following";

  private static final List<Meter> METERS = meters();

  private MeterCatalogue() {}

  private static List<Meter> meters() {
    List<Meter> meters = new ArrayList<>(connections());
    meters.addAll(memory());
    meters.addAll(messages());
    meters.addAll(accounts());
    meters.addAll(StoreMeters.all());
    meters.addAll(alarms());
    meters.addAll(copies());
    for (OperationType type : OperationType.values()) {
      meters.addAll(operations(type));
    }
    for (String name : DispatchStrategies.OFFERED) {
      meters.add(strategy(name));
    }
    return List.copyOf(meters);
  }

  private static List<Meter> connections() {
    return List.of(
        sum(ServerMetrics::connectionsOpened)
            .metric("ldap.server.connections.opened", "Connections accepted.")
            .file(Counter.CONNECTIONS_OPENED)
            .monitor(CONNECTIONS, "Total", "Connections accepted."),
        // Counted by the handlers of connections; the next one by the gate that admits them.
        gauge(r -> r.metrics().connectionsOpened().sum() - r.metrics().connectionsClosed().sum())
            .metric("ldap.server.connections", "Connections that are open."),
        gauge(r -> r.server().wire().connectionCount())
            .file(Counter.CONNECTIONS)
            .monitor(CONNECTIONS, "Current", "Connections that are open."),
        sum(ServerMetrics::connectionsRefused)
            .metric(
                "ldap.server.connections.refused",
                "Connections not accepted, or ended at once, because there was no room for them."),
        sum(ServerMetrics::displaced)
            .metric(
                "ldap.server.displaced",
                "Idle connections, persistent searches and transactions that made way for those of"
                    + " other clients, because there were as many as there may be."),
        sum(ServerMetrics::connectionsStalled)
            .metric(
                "ldap.server.connections.stalled",
                "Connections closed because their clients had left answers unread for too long."),
        sum(ServerMetrics::tlsHandshakes)
            .metric("ldap.server.tls.handshakes", "TLS handshakes that were completed."),
        sum(ServerMetrics::tlsFailures)
            .metric(
                "ldap.server.tls.failures",
                "TLS handshakes that failed, by the client's doing or for lack of time."),
        sum(ServerMetrics::saslLayerFailures)
            .metric(
                "ldap.server.sasl.layer.failures",
                "Connections ended because their layer of SASL was broken."));
  }

  private static List<Meter> memory() {
    return List.of(
        gauge(r -> r.memory().held())
            .metric(
                "ldap.server.memory.held",
                "Bytes held for clients: requests, messages in part, unread answers.",
                Tags.empty(),
                "bytes"),
        gauge(r -> r.memory().bounds().wholeBytes())
            .metric(
                "ldap.server.memory.bound",
                "Bytes that may be held for clients.",
                Tags.empty(),
                "bytes"),
        counter(r -> r.memory().refused().sum())
            .metric(
                "ldap.server.memory.refused",
                "Requests that had to wait or were refused for want of memory."),
        counter(r -> r.memory().disconnected().sum())
            .metric(
                "ldap.server.memory.disconnected",
                "Connections ended because they held memory that others needed."),
        counter(r -> r.memory().operationsEnded().sum())
            .metric(
                "ldap.server.memory.operations.ended",
                "Operations ended because they took too much memory."),
        counter(r -> r.memory().full().sum())
            .metric(
                "ldap.server.memory.full",
                "Garbage collections after which the heap was fuller than allowed, and checks of"
                    + " the buffers with the same result."));
  }

  private static List<Meter> accounts() {
    String refused = "Logins that password policies have refused.";
    List<Meter> meters =
        new ArrayList<>(
            List.of(
                sum(metrics -> metrics.accounts().locked())
                    .metric(
                        "ldap.server.accounts.locked",
                        "Accounts that wrong passwords have locked."),
                sum(metrics -> metrics.accounts().refusedLocked())
                    .metric("ldap.server.logins.refused", refused, reason("account-locked"), null),
                sum(metrics -> metrics.accounts().refusedExpired())
                    .metric(
                        "ldap.server.logins.refused", refused, reason("password-expired"), null),
                sum(metrics -> metrics.accounts().graceLogins())
                    .metric("ldap.server.logins.grace", "Logins by passwords that had expired."),
                sum(metrics -> metrics.accounts().loginsToChange())
                    .metric(
                        "ldap.server.logins.to.change",
                        "Logins of users that have to change their password."),
                sum(metrics -> metrics.accounts().lastLoginsRecorded())
                    .metric("ldap.server.last.logins.recorded", "Logins whose time was recorded."),
                sum(metrics -> metrics.accounts().lastLoginsDropped())
                    .metric(
                        "ldap.server.last.logins.dropped",
                        "Logins whose time was to be recorded, and was not.")));
    for (PolicyError error : PolicyError.OF_NEW_PASSWORDS) {
      meters.add(
          sum(metrics -> metrics.accounts().passwordsRefused(error.label()))
              .metric(
                  "ldap.server.password.changes.refused",
                  "Changes of passwords that a password policy has refused.",
                  reason(error.label()),
                  null));
    }
    return meters;
  }

  private static Tags reason(String label) {
    return Tags.of("reason", label);
  }

  private static List<Meter> messages() {
    return List.of(
        sum(ServerMetrics::bytesReceived)
            .metric("ldap.server.bytes.received", "Bytes read.")
            .file(Counter.BYTES_RECEIVED),
        sum(ServerMetrics::bytesSent)
            .metric("ldap.server.bytes.sent", "Bytes written.")
            .file(Counter.BYTES_SENT)
            .monitor(STATISTICS, "Bytes", "Bytes given to the connections."),
        sum(ServerMetrics::responsesSent)
            .metric("ldap.server.responses.sent", "Messages sent: entries, references, results.")
            .monitor(STATISTICS, "PDU", "Messages: entries, results and what else there is."),
        sum(ServerMetrics::entriesSent)
            .metric("ldap.server.entries.sent", "Entries sent.")
            .file(Counter.ENTRIES_SENT)
            .monitor(STATISTICS, "Entries", "Search result entries."),
        sum(ServerMetrics::referralsSent)
            .metric("ldap.server.references.sent", "Search result references sent.")
            .monitor(STATISTICS, "Referrals", "Search result references."),
        gauge(r -> r.metrics().operationsActive())
            .metric("ldap.server.operations.active", "Operations that have begun and not ended.")
            .file(Counter.OPERATIONS_ACTIVE),
        sum(ServerMetrics::operationsRefused)
            .metric(
                "ldap.server.operations.refused",
                "Operations answered busy because they had waited for too long.")
            .file(Counter.OPERATIONS_REFUSED),
        sum(ServerMetrics::passwordsRefused)
            .metric(
                "ldap.server.passwords.refused",
                "Passwords answered busy and not looked at, because too many were wrong before."),
        sum(ServerMetrics::passwordsUpgraded)
            .metric(
                "ldap.server.passwords.upgraded",
                "Passwords stored anew, by a stronger scheme, after a bind."),
        sum(ServerMetrics::malformedRequests)
            .metric("ldap.server.requests.malformed", "Requests that could not be decoded.")
            .file(Counter.REQUESTS_MALFORMED),
        sum(ServerMetrics::internalErrors)
            .metric(
                "ldap.server.errors",
                "Operations and connections that failed for a reason that is the server's.")
            .file(Counter.ERRORS),
        gauge(r -> r.server().directory().strategy().inFlight())
            .metric(
                "ldap.server.dispatch.active",
                "Operations that hold a permit or a place in a queue.")
            .file(Counter.DISPATCH_IN_FLIGHT),
        sum(ServerMetrics::polls)
            .metric(
                "ldap.server.polls", "How often event loops have asked the kernel what is ready."));
  }

  private static List<Meter> operations(OperationType type) {
    Tags tags = Tags.of("operation", type.label());
    Meter longest = gauge(r -> r.metrics().operations().slices().longestNanos(type));
    return List.of(
        // Ended before begun: what has ended meanwhile must not seem never to have begun.
        counter(r -> r.metrics().operations().completedCount(type)).file(Counter.completed(type)),
        counter(r -> r.metrics().operations().startedCount(type))
            .metric(
                "ldap.server.operations.started",
                "Requests that were carried out or are.",
                tags,
                null)
            .file(Counter.started(type)),
        type.isUnanswered()
            ? longest
            : longest.metric(
                "ldap.server.slices.longest",
                "The longest time for which an operation held a thread, since the start or the last"
                    + " reset over JMX.",
                tags,
                Meter.SECONDS));
  }

  private static Meter strategy(String name) {
    return gauge(r -> r.server().directory().strategy().name().equals(name) ? 1 : 0)
        .metric(
            "ldap.server.dispatch.strategy",
            "1 for the dispatch strategy of the moment.",
            Tags.of("strategy", name),
            null);
  }

  private static List<Meter> alarms() {
    List<Meter> meters = new ArrayList<>();
    for (NoticeKind kind : NoticeKind.values()) {
      if (kind.isAlarm()) {
        meters.add(
            gauge(r -> r.server().notices().isRaised(kind) ? 1 : 0)
                .metric(
                    "ldap.server.alarm",
                    "1 while an alarm is raised, 0 otherwise.",
                    Tags.of("alarm", kind.label()),
                    null));
      }
    }
    return meters;
  }

  /** All meters of a server but those of its logs. */
  static List<Meter> all() {
    return METERS;
  }

  /** The meter of a log, given what counts the records that it has dropped. */
  static Meter log(String name, LongSupplier dropped) {
    return counter(_ -> dropped.getAsLong())
        .metric(
            "ldap.server.log.dropped",
            "Records that a log could not take or write.",
            Tags.of("log", name),
            null);
  }

  private static List<Meter> copies() {
    return List.of(
        gauge(r -> r.server().copies().get().size()).file(Counter.COPIES),
        gauge(r -> r.server().copies().get().stream().filter(MeterCatalogue::isFollowing).count())
            .file(Counter.COPIES_FOLLOWING),
        gauge(r -> r.server().copies().get().stream().filter(MeterCatalogue::isPromoted).count())
            .file(Counter.COPIES_PROMOTED),
        gauge(r -> oldest(r.server().copies().get())).file(Counter.COPIES_LAG_SECONDS),
        gauge(
                r ->
                    r.server().copies().get().stream().filter(each -> !each.ready()).count()
                        + r.server().epochs().get().stream()
                            .filter(ContextEpoch::isOutdated)
                            .count())
            .file(Counter.COPIES_NOT_READY),
        gauge(r -> latest(r.server().epochs().get(), ContextEpoch::epoch)).file(Counter.EPOCH),
        gauge(r -> latest(r.server().epochs().get(), ContextEpoch::writer))
            .file(Counter.EPOCH_WRITER),
        gauge(r -> r.server().epochs().get().stream().filter(ContextEpoch::isSuperseded).count())
            .metric(
                "ldap.server.contexts.superseded",
                "Naming contexts that another server was promoted to change.",
                Tags.empty(),
                null)
            .file(Counter.CONTEXTS_SUPERSEDED));
  }

  private static long latest(List<ContextEpoch> epochs, ToIntFunction<ContextEpoch> part) {
    return epochs.stream()
        .max(Comparator.comparingInt(ContextEpoch::epoch))
        .map(part::applyAsInt)
        .orElse(0);
  }

  private static boolean isFollowing(SyncMXBean.Copy copy) {
    return copy.phase().equals(FOLLOWING) || isPromoted(copy);
  }

  private static boolean isPromoted(SyncMXBean.Copy copy) {
    return copy.phase().equals("promoted");
  }

  private static long oldest(List<SyncMXBean.Copy> copies) {
    LongSummaryStatistics lags =
        copies.stream()
            .filter(each -> !isPromoted(each))
            .mapToLong(SyncMXBean.Copy::lagSeconds)
            .summaryStatistics();
    return lags.getMin() < 0 ? -1 : Math.max(0, lags.getMax());
  }

  /**
   * Returns the meters of a copy of another server's naming context.
   *
   * @param suffix its name
   */
  public static List<Meter> copy(String suffix) {
    Tags tags = Tags.of("suffix", suffix);
    return List.of(
        gauge(r -> isFollowing(copy(r, suffix)) ? 1 : 0)
            .metric(
                "ldap.server.copy.following",
                "1 while a copy follows its provider, or is promoted.",
                tags,
                null),
        gauge(r -> copy(r, suffix).ready() ? 1 : 0)
            .metric(
                "ldap.server.copy.ready",
                "1 unless a copy was not up to date for replication.readyLagSeconds, or is not"
                    + " whole yet.",
                tags,
                null),
        gauge(r -> copy(r, suffix).guarded())
            .metric(
                "ldap.server.copy.guarded",
                "Entries that may be lost, for which a copy waits to be confirmed.",
                tags,
                null),
        gauge(r -> copy(r, suffix).lagSeconds())
            .metric(
                "ldap.server.copy.lag.seconds",
                "The seconds since a copy was known to be up to date; -1 if it never was.",
                tags,
                null),
        gauge(r -> copy(r, suffix).attempts())
            .metric(
                "ldap.server.copy.attempts",
                "Connections to the provider since a copy last followed it for a minute.",
                tags,
                null),
        counter(r -> copy(r, suffix).received())
            .metric("ldap.server.copy.received", "Entries that the provider has sent.", tags, null),
        counter(r -> copy(r, suffix).written())
            .metric(
                "ldap.server.copy.written",
                "Entries of a copy that were added, changed, renamed and deleted.",
                tags,
                null));
  }

  private static SyncMXBean.Copy copy(Meter.Reading reading, String suffix) {
    return reading.server().copies().get().stream()
        .filter(each -> each.suffix().equals(suffix))
        .findFirst()
        .orElseThrow();
  }

  /** Returns the meters of the extensions of a server, each with its entry below an overlay. */
  static List<Meter> extensions(ServerComponents server) {
    List<Meter> meters = new ArrayList<>();
    for (ServedFeatures.Overlay overlay : server.features().get().overlays()) {
      for (org.nyala.extension.Meter each : overlay.meters()) {
        boolean isCounter = each.kind() == org.nyala.extension.Meter.Kind.COUNTER;
        String name = "ldap.extension." + overlay.name() + ' ' + each.name();
        meters.add(
            new Meter(isCounter, _ -> each.value().getAsLong(), null, null, null)
                .metric(
                    name.replaceAll("[ -]", "."),
                    each.description(),
                    Tags.empty(),
                    each.unit().isEmpty() ? null : each.unit())
                .monitor(overlay.name(), each.name(), each.description()));
      }
    }
    return meters;
  }

  /** Reads the numbers of the {@link CountersFile} that a server and its store know. */
  public static Map<Counter, Long> counters(ServerComponents server, StoreStatus status) {
    Meter.Reading reading = new Meter.Reading(server, () -> status);
    Map<Counter, Long> numbers = new EnumMap<>(Counter.class);
    for (Meter meter : METERS) {
      Counter place = meter.counter();
      if (place != null) {
        numbers.put(place, meter.value().applyAsLong(reading));
      }
    }
    return numbers;
  }
}
