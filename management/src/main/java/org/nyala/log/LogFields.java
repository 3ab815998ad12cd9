package org.nyala.log;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.nyala.core.session.ClientSource;

/**
 * The fields of an event of a log: as {@code name=value}, separated by single blanks, which no
 * value has, or as one JSON object. Clients cannot forge a field: their values are in quotes.
 *
 * <p>Confined to the thread that writes the log.
 */
final class LogFields {
  private static final DateTimeFormatter SECOND =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.", Locale.ROOT).withZone(ZoneOffset.UTC);

  private static final int MICROS_PER_SECOND = (int) TimeUnit.SECONDS.toMicros(1);
  private static final int NANOS_PER_MICRO = 1000;
  private static final byte[] MAPPED = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, -1};

  /** The text of a second: records of the same second share it. */
  private record Second(long number, String text) {}

  private static volatile Second last = new Second(0, SECOND.format(Instant.EPOCH));

  private final StringBuilder line;
  private final boolean isJson;
  private final int maximum;

  /**
   * Creates fields at the end of a text.
   *
   * @param maximum the most characters of a value in JSON
   */
  LogFields(StringBuilder line, boolean isJson, int maximum) {
    this.line = line;
    this.isJson = isJson;
    this.maximum = maximum;
  }

  /** Returns the line, or the lines, that report events that were not written. */
  static String drops(boolean isJson, Instant time, long count) {
    if (isJson) {
      return "{\"time\":\"" + time + "\",\"event\":\"dropped\",\"records\":" + count + "}\n";
    }
    StringBuilder text = new StringBuilder();
    append(time, text);
    return text + " dropped=" + count + " records: the log could not keep up\n";
  }

  /** Appends a time as RFC 3339 in UTC, in microseconds. */
  private static void append(Instant time, StringBuilder target) {
    Second second = last;
    if (second.number != time.getEpochSecond()) {
      second = new Second(time.getEpochSecond(), SECOND.format(time));
      last = second;
    }
    String micros = Integer.toString(MICROS_PER_SECOND + time.getNano() / NANOS_PER_MICRO);
    target.append(second.text).append(micros, 1, micros.length()).append('Z');
  }

  /** Begins an event with its time. */
  LogFields begin(Instant time) {
    line.append(isJson ? "{\"time\":\"" : "");
    append(time, line);
    line.append(isJson ? "\"" : "");
    return this;
  }

  /** Begins an event with its time and name. */
  LogFields begin(Instant time, String event) {
    begin(time);
    return isJson ? word("event", event) : literal(" ").literal(event);
  }

  /** Appends text that is no field. */
  LogFields literal(String text) {
    line.append(text);
    return this;
  }

  /** Appends a value of the server's own, which needs no quotes as text. */
  LogFields word(String name, String value) {
    StringBuilder at = name(name);
    if (isJson) {
      at.append('"').append(value).append('"');
    } else {
      at.append(value);
    }
    return this;
  }

  LogFields number(String name, long value) {
    name(name).append(value);
    return this;
  }

  /** Appends a value of a client. */
  LogFields text(String name, String value) {
    StringBuilder at = name(name);
    if (isJson) {
      LogText.json(value, maximum, at);
    } else {
      LogText.field(value, at);
    }
    return this;
  }

  /** Appends a value of a client, unless it is empty. */
  LogFields optional(String name, String value) {
    return value.isEmpty() ? this : text(name, value);
  }

  /** Appends the name of an entry, unless it is null. */
  LogFields known(String name, @Nullable Object entry) {
    return entry == null ? this : text(name, entry.toString());
  }

  /** Appends a value of the server's own, unless it is empty. */
  LogFields optionalWord(String name, String value) {
    return value.isEmpty() ? this : word(name, value);
  }

  /** Appends the source of a connection. */
  LogFields source(ClientSource source) {
    InetSocketAddress client = source.client();
    if (client != null) {
      word("from", host(client.getAddress()));
      if (client.getPort() > 0) {
        number("port", client.getPort());
      }
    }
    InetSocketAddress proxy = source.proxy();
    if (proxy != null) {
      word("proxy", host(proxy.getAddress()));
    }
    ClientSource.LocalProcess process = source.process();
    if (process != null) {
      number("uid", Integer.toUnsignedLong(process.uid()));
      number("gid", Integer.toUnsignedLong(process.gid()));
      number("pid", process.pid());
    }
    return this;
  }

  /** Returns the text of an address; one of IPv4 that is mapped to IPv6 is one of IPv4. */
  private static String host(InetAddress address) {
    byte[] octets = address.getAddress();
    boolean isMapped =
        address instanceof Inet6Address
            && Arrays.equals(octets, 0, MAPPED.length, MAPPED, 0, MAPPED.length);
    try {
      byte[] plain = isMapped ? Arrays.copyOfRange(octets, MAPPED.length, octets.length) : octets;
      return InetAddress.getByAddress(plain).getHostAddress();
    } catch (UnknownHostException e) {
      throw new IllegalStateException("an address has 4 or 16 octets", e);
    }
  }

  /** Appends the name of a field; its value follows. */
  StringBuilder name(String name) {
    return isJson
        ? line.append(",\"").append(name).append("\":")
        : line.append(' ').append(name).append('=');
  }

  /** Ends the event's line. */
  void end() {
    line.append(isJson ? "}\n" : "\n");
  }
}
