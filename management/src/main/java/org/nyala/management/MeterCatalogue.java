package org.nyala.management;

import static org.nyala.management.Meter.counter;
import static org.nyala.management.Meter.gauge;
import static org.nyala.management.Meter.sum;

import io.micrometer.core.instrument.Tags;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;
import java.util.stream.Stream;
import org.nyala.core.dispatch.DispatchStrategies;
import org.nyala.core.message.OperationType;
import org.nyala.core.metrics.AccountMetrics;
import org.nyala.core.metrics.ServerMetrics;
import org.nyala.core.policy.PolicyError;
import org.nyala.lmdb.StoreStatus;
import org.nyala.management.bean.NoticeKind;
import org.nyala.management.bean.SyncMXBean;
import org.nyala.management.bean.SyncMXBean.ContextEpoch;

/**
 * The catalogue of meters: every number of a server, named and described here and nowhere else.
 * Prometheus, the counters file, {@code cn=Monitor}, the beans and the reference iterate over it.
 *
 * <p>Immutable. Nothing is counted here: meters read what the server counts anyway.
 */
public final class MeterCatalogue {
  /** The container of connections in {@code cn=Monitor}. */
  static final String CONNECTIONS = "Connections";

  /** The container of what was sent in {@code cn=Monitor}. */
  static final String STATISTICS = "Statistics";

  private static final String BYTES = "bytes";
  private static final String REFUSED_LOGINS = "Logins that password policies have refused.";

  private static final List<Meter> OF_CONNECTIONS =
      List.of(
          sum(ServerMetrics::connectionsOpened)
              .metric("connections.opened", "Connections accepted.")
              .file(Counter.CONNECTIONS_OPENED)
              .monitor(CONNECTIONS, "Total", "Connections accepted.")
              .bean("Opened", "Connections accepted since the server started."),
          sum(ServerMetrics::connectionsClosed)
              .bean("Closed", "Connections closed since the server started."),
          // Counted by the handlers of connections; the next one by the gate that admits them.
          gauge(r -> r.metrics().connectionsOpened().sum() - r.metrics().connectionsClosed().sum())
              .metric("connections", "Connections that are open."),
          gauge(r -> r.server().wire().connectionCount())
              .file(Counter.CONNECTIONS)
              .monitor(CONNECTIONS, "Current", "Connections that are open.")
              .bean("Current", "Connections that are open."),
          gauge(
                  r ->
                      r.server().wire().connections().stream()
                          .filter(connection -> !connection.isWritable())
                          .count())
              .bean("AwaitingClients", "Connections whose clients do not read their answers."),
          sum(ServerMetrics::connectionsRefused)
              .metric(
                  "connections.refused",
                  "Connections not accepted, or ended at once, because there was no room for them.")
              .bean(
                  "Refused",
                  "Connections that were not accepted, or closed at once, because there was no room"
                      + " for them: limits.connections, or the file descriptors of the process."),
          sum(ServerMetrics::displaced)
              .metric(
                  "displaced",
                  "Idle connections, persistent searches and transactions that made way for those"
                      + " of other clients, because there were as many as there may be."),
          sum(ServerMetrics::connectionsStalled)
              .metric(
                  "connections.stalled",
                  "Connections closed because their clients had left answers unread for too long.")
              .bean(
                  "Stalled",
                  "Connections that were closed because their clients had left answers unread for"
                      + " limits.writeStallTimeoutSeconds."),
          sum(ServerMetrics::tlsHandshakes)
              .metric("tls.handshakes", "TLS handshakes that were completed."),
          sum(ServerMetrics::tlsFailures)
              .metric(
                  "tls.failures",
                  "TLS handshakes that failed, by the client's doing or for lack of time."),
          sum(ServerMetrics::saslLayerFailures)
              .metric(
                  "sasl.layer.failures",
                  "Connections ended because their layer of SASL was broken."),
          sum(ServerMetrics::bytesReceived)
              .metric("bytes.received", "Bytes read.")
              .file(Counter.BYTES_RECEIVED)
              .bean("BytesReceived", "Bytes read from clients since the server started."),
          sum(ServerMetrics::bytesSent)
              .metric("bytes.sent", "Bytes written.")
              .file(Counter.BYTES_SENT)
              .monitor(STATISTICS, "Bytes", "Bytes given to the connections.")
              .bean(
                  "BytesSent",
                  "Bytes given to the connections of clients since the server started."),
          gauge(r -> r.memory().held())
              .metric(
                  "memory.held",
                  "Bytes held for clients: requests, messages in part, unread answers.",
                  BYTES)
              .bean(
                  "HeldBytes",
                  "Bytes held for clients: waiting requests, partly received messages, unread"
                      + " answers, persistent searches."),
          gauge(r -> r.memory().mostHeld())
              .bean(
                  "MostHeldBytes",
                  "The most bytes held for clients since the start, or resetMostHeldBytes."),
          gauge(r -> r.memory().reserveBytes())
              .bean(
                  "ReserveBytes",
                  "Bytes of the heap that are filled only for the JVM to free them before memory"
                      + " ends: in use after each collection, and held for nobody."),
          gauge(r -> r.memory().bounds().wholeBytes())
              .metric("memory.bound", "Bytes that may be held for clients.", BYTES)
              .bean(
                  "HeldBytesBound",
                  "Bytes that may be held for clients, all together (limits.memory)."),
          counter(r -> r.memory().refused().sum())
              .metric(
                  "memory.refused", "Requests that had to wait or were refused for want of memory.")
              .bean(
                  "MemoryRefusals",
                  "Requests that had to wait or were refused because of a lack of memory."),
          counter(r -> r.memory().disconnected().sum())
              .metric(
                  "memory.disconnected",
                  "Connections ended because they held memory that others needed.")
              .bean(
                  "MemoryDisconnections",
                  "Connections that were closed because they held memory that others needed."),
          counter(r -> r.memory().operationsEnded().sum())
              .metric(
                  "memory.operations.ended", "Operations ended because they took too much memory."),
          counter(r -> r.memory().full().sum())
              .metric(
                  "memory.full",
                  "Garbage collections after which the heap was fuller than allowed, and checks of"
                      + " the buffers with the same result."));

  private static final List<Meter> OF_OPERATIONS =
      List.of(
          sum(ServerMetrics::responsesSent)
              .metric("responses.sent", "Messages sent: entries, references, results.")
              .monitor(STATISTICS, "PDU", "Messages: entries, results and what else there is."),
          sum(ServerMetrics::entriesSent)
              .metric("entries.sent", "Entries sent.")
              .file(Counter.ENTRIES_SENT)
              .monitor(STATISTICS, "Entries", "Search result entries.")
              .bean("EntriesSent", "Search result entries sent."),
          sum(ServerMetrics::referralsSent)
              .metric("references.sent", "Search result references sent.")
              .monitor(STATISTICS, "Referrals", "Search result references."),
          gauge(r -> r.metrics().operationsActive())
              .metric("operations.active", "Operations that have begun and not ended.")
              .file(Counter.OPERATIONS_ACTIVE)
              .bean("Active", "Operations that have begun and not ended."),
          sum(ServerMetrics::operationsRefused)
              .metric(
                  "operations.refused",
                  "Operations answered busy because they had waited for too long.")
              .file(Counter.OPERATIONS_REFUSED)
              .bean(
                  "Refused",
                  "Operations that were answered busy because they had waited for too long."),
          sum(ServerMetrics::passwordsRefused)
              .metric(
                  "passwords.refused",
                  "Passwords answered busy and not looked at, because too many were wrong before."),
          sum(ServerMetrics::passwordsUpgraded)
              .metric(
                  "passwords.upgraded",
                  "Passwords stored anew, by a stronger scheme, after a bind."),
          sum(ServerMetrics::passwordsRemembered)
              .metric(
                  "passwords.remembered",
                  "Passwords accepted without their slow hash, which had matched lately."),
          sum(ServerMetrics::malformedRequests)
              .metric("requests.malformed", "Requests that could not be decoded.")
              .file(Counter.REQUESTS_MALFORMED)
              .bean("Malformed", "Requests that could not be decoded."),
          sum(ServerMetrics::internalErrors)
              .metric(
                  "errors",
                  "Operations and connections that failed for a reason that is the server's.")
              .file(Counter.ERRORS)
              .bean("InternalErrors", "Failures that are the server's fault; each is in the log."),
          gauge(r -> r.server().directory().strategy().inFlight())
              .metric("dispatch.active", "Operations that hold a permit or a place in a queue.")
              .file(Counter.DISPATCH_IN_FLIGHT),
          sum(ServerMetrics::polls)
              .metric("polls", "How often event loops have asked the kernel what is ready."),
          gauge(r -> micros(r.metrics().operations().slices().longestNanos()))
              .bean(
                  "LongestSliceMicros",
                  "The longest time for which an operation held a thread before it looked whether"
                      + " others wait. In microseconds, since the server started or the last reset;"
                      + " 0 for none."),
          gauge(r -> micros(r.metrics().operations().slices().longestProcessorNanos()))
              .bean(
                  "LongestSliceProcessorMicros",
                  "The longest processor time of a slice, in microseconds, too long by 1000 at"
                      + " most, since the server started or the last reset; 0 for none. Virtual"
                      + " threads count the time on the clock."));

  private static final List<Meter> OF_ACCOUNTS =
      List.of(
          accounts(AccountMetrics::locked)
              .metric("accounts.locked", "Accounts that wrong passwords have locked.")
              .bean("Locked", "Accounts that wrong passwords have locked."),
          accounts(AccountMetrics::refusedLocked)
              .metric("logins.refused", REFUSED_LOGINS, reason("account-locked"))
              .bean(
                  "RefusedLocked",
                  "Passwords that were not looked at because the account was locked."),
          accounts(AccountMetrics::refusedExpired)
              .metric("logins.refused", REFUSED_LOGINS, reason("password-expired"))
              .bean("RefusedExpired", "Logins that were refused because the password had expired."),
          accounts(AccountMetrics::graceLogins)
              .metric("logins.grace", "Logins by passwords that had expired.")
              .bean("GraceLogins", "Logins by passwords that had expired."),
          accounts(AccountMetrics::loginsToChange)
              .metric("logins.to.change", "Logins of users that have to change their password.")
              .bean("LoginsToChange", "Logins of users that have to change their password."),
          accounts(AccountMetrics::lastLoginsRecorded)
              .metric("last.logins.recorded", "Logins whose time was recorded.")
              .bean("LastLoginsRecorded", "Logins whose time was recorded."),
          accounts(AccountMetrics::lastLoginsDropped)
              .metric("last.logins.dropped", "Logins whose time was to be recorded, and was not.")
              .bean(
                  "LastLoginsDropped",
                  "Logins whose time was to be recorded, and was not: the writer had too much to"
                      + " do, or the entry was gone."));

  private static final List<Meter> OF_COPIES =
      List.of(
          copies(_ -> true).file(Counter.COPIES),
          copies(MeterCatalogue::isFollowing).file(Counter.COPIES_FOLLOWING),
          copies(MeterCatalogue::isPromoted).file(Counter.COPIES_PROMOTED),
          gauge(r -> oldest(r.server().copies().get())).file(Counter.COPIES_LAG_SECONDS),
          gauge(
                  r ->
                      copies(each -> !each.ready()).value().applyAsLong(r)
                          + epochs(r, ContextEpoch::isOutdated))
              .file(Counter.COPIES_NOT_READY),
          gauge(r -> latest(r, ContextEpoch::epoch)).file(Counter.EPOCH),
          gauge(r -> latest(r, ContextEpoch::writer)).file(Counter.EPOCH_WRITER),
          gauge(r -> epochs(r, ContextEpoch::isSuperseded))
              .metric(
                  "contexts.superseded",
                  "Naming contexts that another server was promoted to change.")
              .file(Counter.CONTEXTS_SUPERSEDED));

  /** The meters of all servers by the type of the bean of their attributes, and those of none. */
  private static final Map<String, List<Meter>> BY_BEAN = byBean();

  private static final List<Meter> METERS =
      BY_BEAN.values().stream().flatMap(List::stream).toList();

  private MeterCatalogue() {}

  private static Map<String, List<Meter>> byBean() {
    Map<String, List<Meter>> meters = new LinkedHashMap<>();
    meters.put(CONNECTIONS, OF_CONNECTIONS);
    meters.put("Operations", OF_OPERATIONS);
    meters.put("Accounts", OF_ACCOUNTS);
    meters.put("Store", StoreMeters.ALL);
    meters.put(
        "",
        Stream.of(
                PolicyError.OF_NEW_PASSWORDS.stream().map(MeterCatalogue::refusedPasswords),
                Arrays.stream(NoticeKind.values())
                    .filter(NoticeKind::isAlarm)
                    .map(MeterCatalogue::alarm),
                OF_COPIES.stream(),
                Arrays.stream(OperationType.values()).flatMap(MeterCatalogue::operations),
                DispatchStrategies.OFFERED.stream().map(MeterCatalogue::strategy))
            .flatMap(Function.identity())
            .toList());
    return meters;
  }

  private static Meter accounts(Function<AccountMetrics, LongAdder> adder) {
    return sum(metrics -> adder.apply(metrics.accounts()));
  }

  private static Meter refusedPasswords(PolicyError error) {
    return accounts(metrics -> metrics.passwordsRefused(error.label()))
        .metric(
            "password.changes.refused",
            "Changes of passwords that a password policy has refused.",
            reason(error.label()));
  }

  private static Tags reason(String label) {
    return Tags.of("reason", label);
  }

  private static Stream<Meter> operations(OperationType type) {
    Tags tags = Tags.of("operation", type.label());
    Meter longest = gauge(r -> r.metrics().operations().slices().longestNanos(type));
    return Stream.of(
        counter(r -> r.metrics().operations().completedCount(type)).file(Counter.completed(type)),
        counter(r -> r.metrics().operations().startedCount(type))
            .metric("operations.started", "Requests that were carried out or are.", tags)
            .file(Counter.started(type)),
        type.isUnanswered()
            ? longest
            : longest.metric(
                "slices.longest",
                "The longest time for which an operation held a thread, since the start or the last"
                    + " reset over JMX.",
                tags,
                Meter.SECONDS));
  }

  private static Meter strategy(String name) {
    return gauge(r -> r.server().directory().strategy().name().equals(name) ? 1 : 0)
        .metric(
            "dispatch.strategy",
            "1 for the dispatch strategy of the moment.",
            Tags.of("strategy", name));
  }

  private static Meter alarm(NoticeKind kind) {
    return gauge(r -> r.server().notices().isRaised(kind) ? 1 : 0)
        .metric(
            "alarm", "1 while an alarm is raised, 0 otherwise.", Tags.of("alarm", kind.label()));
  }

  private static long micros(long nanos) {
    return TimeUnit.NANOSECONDS.toMicros(nanos);
  }

  /** The meters of every server. */
  static List<Meter> all() {
    return METERS;
  }

  /** Returns the meters that are attributes of a bean, by the attributes' names. */
  static Map<String, Meter.Attribute> attributes(String bean) {
    Map<String, Meter.Attribute> named = new LinkedHashMap<>();
    for (Meter meter : BY_BEAN.getOrDefault(bean, List.of())) {
      Meter.Attribute attribute = meter.attribute();
      if (attribute != null) {
        named.put(attribute.name(), attribute);
      }
    }
    return named;
  }

  /**
   * Returns the meter of a log.
   *
   * @param dropped the number of records that it could not take or write
   */
  static Meter log(String name, LongSupplier dropped) {
    return counter(_ -> dropped.getAsLong())
        .metric("log.dropped", "Records that a log could not take or write.", Tags.of("log", name));
  }

  private static Meter copies(Predicate<SyncMXBean.Copy> counted) {
    return gauge(r -> r.server().copies().get().stream().filter(counted).count());
  }

  private static long epochs(Meter.Reading reading, Predicate<ContextEpoch> counted) {
    return reading.server().epochs().get().stream().filter(counted).count();
  }

  /** Returns a part of the epoch that is the latest of all naming contexts; 0 without any. */
  private static long latest(Meter.Reading reading, ToIntFunction<ContextEpoch> part) {
    return reading.server().epochs().get().stream()
        .max(Comparator.comparingInt(ContextEpoch::epoch))
        .map(part::applyAsInt)
        .orElse(0);
  }

  private static boolean isFollowing(SyncMXBean.Copy copy) {
    return copy.phase().equals("following") || isPromoted(copy);
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
  static List<Meter> copy(String suffix) {
    Tags tags = Tags.of("suffix", suffix);
    return List.of(
        gauge(r -> isFollowing(copy(r, suffix)) ? 1 : 0)
            .metric("copy.following", "1 while a copy follows its provider, or is promoted.", tags),
        gauge(r -> copy(r, suffix).ready() ? 1 : 0)
            .metric(
                "copy.ready",
                "1 unless a copy was not up to date for replication.readyLagSeconds, or is not"
                    + " whole yet.",
                tags),
        gauge(r -> copy(r, suffix).guarded())
            .metric(
                "copy.guarded",
                "Entries that may be lost, for which a copy waits to be confirmed.",
                tags),
        gauge(r -> copy(r, suffix).lagSeconds())
            .metric(
                "copy.lag.seconds",
                "The seconds since a copy was known to be up to date; -1 if it never was.",
                tags),
        gauge(r -> copy(r, suffix).attempts())
            .metric(
                "copy.attempts",
                "Connections to the provider since a copy last followed it for a minute.",
                tags),
        counter(r -> copy(r, suffix).received())
            .metric("copy.received", "Entries that the provider has sent.", tags),
        counter(r -> copy(r, suffix).written())
            .metric(
                "copy.written",
                "Entries of a copy that were added, changed, renamed and deleted.",
                tags));
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
        String name = "ldap.extension." + overlay.name() + ' ' + each.name();
        String unit = each.unit().isEmpty() ? null : each.unit();
        meters.add(
            new Meter(
                each.kind() == org.nyala.extension.Meter.Kind.COUNTER,
                _ -> each.value().getAsLong(),
                new Meter.Metric(
                    name.replaceAll("[ -]", "."), each.description(), Tags.empty(), unit),
                null,
                new Meter.Statistic(overlay.name(), each.name(), each.description()),
                null));
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
