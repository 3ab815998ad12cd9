package org.nyala.log;

import java.io.IOException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.nyala.core.dn.Dn;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.Request;
import org.nyala.core.metrics.Phase;
import org.nyala.core.operation.ExtendedWords;
import org.nyala.core.session.Operation;
import org.nyala.core.session.Session;
import org.nyala.core.session.SessionListener;

/**
 * The access log: writes down connections and requests of clients.
 *
 * <p>Thread-safe. No caller waits for it: it drops records that it cannot write and logs their
 * number.
 */
public final class AccessLog implements SessionListener, WrittenLog {
  public enum Format {
    /** The lines of slapd's level {@code stats}. */
    STATS,
    /** One JSON object on each line. */
    JSON
  }

  private static final byte[] HIDDEN = {};
  private static final int NAMES = 64;
  private static final long RECORD_BYTES = 256;
  private static final long NAME_BYTES = 64;

  /** A record with its format and its weight. */
  private record Line(AccessRecord happened, AccessFormat format, long bytes) implements LogRecord {
    @Override
    public void appendTo(StringBuilder text) {
      format.append(happened, text);
    }
  }

  private final LogWriter writer;
  private final AccessFormat format;
  private final InstantSource clock;
  private final boolean withStarts;

  private AccessLog(LogWriter writer, AccessFormat format, InstantSource clock) {
    this.writer = writer;
    this.format = format;
    this.clock = clock;
    this.withStarts = format instanceof StatsFormat;
  }

  /**
   * Opens the log.
   *
   * @throws IOException if its file cannot be written
   */
  public static AccessLog open(LogSettings settings, Format format, InstantSource clock)
      throws IOException {
    boolean isJson = format == Format.JSON;
    LogWriter writer =
        LogWriter.start(
            settings, "access", count -> LogFields.drops(isJson, clock.instant(), count));
    return new AccessLog(writer, isJson ? new JsonFormat() : new StatsFormat(), clock);
  }

  /** Returns the number of dropped records. */
  @Override
  public long dropped() {
    return writer.dropped();
  }

  private void add(AccessRecord happened, long bytes) {
    writer.add(new Line(happened, format, RECORD_BYTES + bytes));
  }

  @Override
  public void opened(Session session) {
    var connection = session.connection();
    add(
        new AccessRecord.Opened(
            clock.instant(),
            connection.number(),
            connection.descriptor(),
            connection.peer(),
            connection.local()),
        0);
  }

  @Override
  public void encrypted(Session session, String protocol, String cipher) {
    var connection = session.connection();
    add(
        new AccessRecord.Encrypted(
            clock.instant(),
            connection.number(),
            connection.descriptor(),
            protocol,
            cipher,
            connection.strengthBits()),
        bytes(protocol) + bytes(cipher));
  }

  @Override
  public void closed(Session session) {
    var connection = session.connection();
    add(new AccessRecord.Closed(clock.instant(), connection.number(), connection.descriptor()), 0);
  }

  @Override
  public void started(Session session, int number, Request request) {
    if (withStarts || request.type().isUnanswered()) {
      Instant now = clock.instant();
      Request bare = bare(request);
      String detail =
          withStarts && request instanceof Request.Extended extended
              ? ExtendedWords.of(extended, LogText::quoted)
              : "";
      add(
          new AccessRecord.Started(now, session.connectionNumber(), number, bare, detail),
          bytes(bare) + bytes(detail));
    }
  }

  @Override
  public void completed(Session session, Operation operation, @Nullable LdapResult answer) {
    Request bare = bare(named(operation));
    AccessRecord.Names names = AccessRecord.Names.of(operation.trail());
    Map<Phase, Long> phases = new EnumMap<>(Phase.class);
    for (Phase phase : Phase.values()) {
      long nanos = operation.nanos(phase);
      if (nanos > 0) {
        phases.put(phase, nanos);
      }
    }
    add(
        new AccessRecord.Ended(
            clock.instant(),
            session.connectionNumber(),
            operation.number(),
            bare,
            answer,
            phases,
            operation.totalNanos(),
            operation.sink().entries(),
            operation.identity().dn().toString(),
            names,
            session.connection().strengthBits()),
        bytes(bare) + names.bytes());
  }

  /** Returns the request; a bind by SASL, which names no entry, with the one its names lead to. */
  private static Request named(Operation operation) {
    if (!(operation.request() instanceof Request.Bind bind) || bind.saslMechanism() == null) {
      return operation.request();
    }
    Dn name = SecurityLog.entry(operation);
    return name == null
        ? bind
        : new Request.Bind(
            bind.messageId(),
            bind.version(),
            name.toString(),
            bind.saslMechanism(),
            HIDDEN,
            List.of());
  }

  /** Returns the line of the access log that describes a request. */
  public static String summary(Request request) {
    return StatsFormat.summary(bare(request));
  }

  /**
   * Returns the request without values and controls: neither passwords nor photographs wait in the
   * queue.
   */
  private static Request bare(Request request) {
    return switch (request) {
      case Request.Bind bind ->
          new Request.Bind(
              bind.messageId(),
              bind.version(),
              bind.name(),
              bind.saslMechanism(),
              HIDDEN,
              List.of());
      case Request.Compare compare ->
          new Request.Compare(
              compare.messageId(), compare.name(), compare.attribute(), HIDDEN, List.of());
      case Request.Extended extended ->
          new Request.Extended(extended.messageId(), extended.oid(), null, List.of(), null);
      case Request.Add add ->
          new Request.Add(
              add.messageId(),
              add.name(),
              add.attributes().stream().limit(NAMES).map(AccessLog::bare).toList(),
              List.of());
      case Request.Modify modify ->
          new Request.Modify(
              modify.messageId(),
              modify.name(),
              modify.changes().stream()
                  .limit(NAMES)
                  .map(change -> new Request.Change(change.kind(), bare(change.attribute())))
                  .toList(),
              List.of());
      case Request.Search _,
          Request.Unbind _,
          Request.Abandon _,
          Request.Delete _,
          Request.ModifyDn _ ->
          request;
    };
  }

  private static Request.AttributeValues bare(Request.AttributeValues attribute) {
    return new Request.AttributeValues(attribute.attribute(), List.of());
  }

  private static long bytes(Request bare) {
    return switch (bare) {
      case Request.Bind bind -> bytes(bind.name());
      case Request.Search search ->
          bytes(search.base())
              + LogText.bytes(search.filter())
              + search.attributes().size() * NAME_BYTES;
      case Request.Compare compare -> bytes(compare.name());
      case Request.Extended extended -> bytes(extended.oid());
      case Request.Add add -> bytes(add.name()) + add.attributes().size() * NAME_BYTES;
      case Request.Delete delete -> bytes(delete.name());
      case Request.ModifyDn rename -> bytes(rename.name()) + bytes(rename.newRdn());
      case Request.Modify modify -> bytes(modify.name()) + modify.changes().size() * NAME_BYTES;
      case Request.Unbind _, Request.Abandon _ -> 0;
    };
  }

  private static long bytes(String text) {
    return 2L * text.length();
  }

  /** Writes the records in the queue, then closes the log. */
  @Override
  public void close() {
    writer.close();
  }
}
