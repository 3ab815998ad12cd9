package org.nyala.log;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.nyala.core.dn.Dn;
import org.nyala.core.message.ResultCode;
import org.nyala.core.session.ClientSource;
import org.nyala.core.session.SecurityTrail;

/**
 * An event of the security log, without passwords and values. Immutable.
 *
 * <p>The fields that clients choose are the last ones of a line.
 */
sealed interface SecurityEvent {
  String name();

  void append(LogFields fields);

  /** Returns the approximate memory of names that it holds, in bytes. */
  default long bytes() {
    return 0;
  }

  /** The place of an operation: its source, connection and number. Immutable. */
  record Place(ClientSource source, int connection, int operation) {
    void append(LogFields fields) {
      appendSource(source, fields);
      fields.number("conn", connection);
      if (operation >= 0) {
        fields.number("op", operation);
      }
    }
  }

  /**
   * The outcome of a bind.
   *
   * @param code null if the bind was abandoned
   * @param reason the reason of a failure; empty for success
   * @param policy what the password policy makes of a success; empty for nothing
   * @param mechanism {@code SIMPLE}, or that of SASL as the client has sent it
   * @param bits the strength of the encryption
   * @param sent the DN as it was sent
   * @param user the name of the user that SASL has sent; empty if none
   * @param asked the identity to act as; empty for its own
   * @param rule the number of the rule of {@code sasl.map} that was in charge, 0 for none; {@link
   *     SecurityTrail#NO_RULE} if no rule was asked, or the bind has succeeded
   * @param entry the entry that the names have led to; null if there is none
   * @param actor the entry that has proved who it is, if it acts as another
   */
  record Bind(
      String name,
      Place place,
      @Nullable ResultCode code,
      String reason,
      String policy,
      String mechanism,
      int bits,
      String sent,
      String user,
      String asked,
      int rule,
      @Nullable Dn entry,
      @Nullable Dn actor)
      implements SecurityEvent {
    @Override
    public void append(LogFields fields) {
      place.append(fields);
      appendCode(code, reason, fields);
      appendWord("policy", policy, fields);
      fields.number("ssf", bits);
      if (rule != SecurityTrail.NO_RULE) {
        fields.number("rule", rule);
      }
      fields.text("mech", mechanism);
      fields.text("dn", sent);
      appendText("user", user, fields);
      appendText("authzid", asked, fields);
      appendName("entry", entry, fields);
      appendName("actor", actor, fields);
    }

    @Override
    public long bytes() {
      return 2L * (sent.length() + user.length() + asked.length() + mechanism.length())
          + length(entry)
          + length(actor);
    }
  }

  /**
   * An operation that was refused by rule, or is carried out on behalf of another.
   *
   * @param operation the kind of operation
   * @param identity the identity that the client has proved
   * @param asked the identity that it asks to act as; empty for its own
   * @param target the name that the operation is about
   */
  record Acted(
      String name,
      Place place,
      ResultCode code,
      String reason,
      String operation,
      Dn identity,
      String asked,
      String target)
      implements SecurityEvent {
    @Override
    public void append(LogFields fields) {
      place.append(fields);
      appendCode(code, reason, fields);
      fields.word("operation", operation);
      fields.text("identity", identity.toString());
      appendText("authzid", asked, fields);
      fields.text("target", target);
    }

    @Override
    public long bytes() {
      return 2L * (asked.length() + target.length()) + length(identity);
    }
  }

  /** A lock that follows from a wrong password. */
  record Locked(Place place, Dn account) implements SecurityEvent {
    @Override
    public String name() {
      return "account-locked";
    }

    @Override
    public void append(LogFields fields) {
      place.append(fields);
      fields.text("entry", account.toString());
    }

    @Override
    public long bytes() {
      return length(account);
    }
  }

  /** An act of an administrator on a copy of another server's naming context. */
  record CopyAdministered(Administrator caller, String action, String suffix)
      implements SecurityEvent {
    @Override
    public String name() {
      return "copy-administered";
    }

    @Override
    public void append(LogFields fields) {
      caller.append(action, fields);
      fields.text("entry", suffix);
    }

    @Override
    public long bytes() {
      return caller.bytes() + suffix.length();
    }
  }

  /** The end, or the beginning, of all changes of a server by an administrator. */
  record ReadOnlySwitched(Administrator caller, boolean isOn) implements SecurityEvent {
    @Override
    public String name() {
      return "read-only-switched";
    }

    @Override
    public void append(LogFields fields) {
      caller.append(isOn ? "on" : "off", fields);
    }

    @Override
    public long bytes() {
      return caller.bytes();
    }
  }

  /** A change of the state of an account by an administrator. */
  record Administered(Administrator caller, String action, Dn account) implements SecurityEvent {
    @Override
    public String name() {
      return "account-administered";
    }

    @Override
    public void append(LogFields fields) {
      caller.append(action, fields);
      fields.text("entry", account.toString());
    }

    @Override
    public long bytes() {
      return caller.bytes() + length(account);
    }
  }

  /** A handshake that has failed. */
  record Handshake(ClientSource source, String reason) implements SecurityEvent {
    @Override
    public String name() {
      return "handshake-failed";
    }

    @Override
    public void append(LogFields fields) {
      appendSource(source, fields);
      fields.text("reason", reason);
    }

    @Override
    public long bytes() {
      return 2L * reason.length();
    }
  }

  /**
   * A client of a management port.
   *
   * @param user the account; empty if it was refused
   */
  record Login(String name, ClientSource source, String port, String user)
      implements SecurityEvent {
    @Override
    public void append(LogFields fields) {
      appendSource(source, fields);
      fields.word("via", port);
      appendText("user", user, fields);
    }
  }

  /**
   * A change of the server: another configuration, other certificates.
   *
   * @param label the name of the field with the details
   */
  record Change(String name, String label, String details) implements SecurityEvent {
    @Override
    public void append(LogFields fields) {
      fields.text(label, details);
    }
  }

  /**
   * Lines about a source that are left out.
   *
   * @param lines their number; 0 if it is not known yet
   */
  record LeftOut(ClientSource source, int lines) implements SecurityEvent {
    @Override
    public String name() {
      return lines == 0 ? "lines-left-out-from-now-on" : "lines-left-out";
    }

    @Override
    public void append(LogFields fields) {
      appendSource(source, fields);
      if (lines > 0) {
        fields.number("lines", lines);
      }
    }
  }

  private static void appendCode(@Nullable ResultCode code, String reason, LogFields fields) {
    if (code != null) {
      fields.number("code", code.code());
    }
    appendWord("reason", reason, fields);
  }

  private static void appendWord(String name, String value, LogFields fields) {
    if (!value.isEmpty()) {
      fields.word(name, value);
    }
  }

  private static void appendText(String name, String value, LogFields fields) {
    if (!value.isEmpty()) {
      fields.text(name, value);
    }
  }

  private static void appendName(String name, @Nullable Dn value, LogFields fields) {
    if (value != null) {
      fields.text(name, value.toString());
    }
  }

  private static long length(@Nullable Dn name) {
    return name == null ? 0 : name.raw().length;
  }

  private static void appendSource(ClientSource source, LogFields fields) {
    InetSocketAddress client = source.client();
    if (client != null) {
      fields.word("from", host(client.getAddress()));
      if (client.getPort() > 0) {
        fields.number("port", client.getPort());
      }
    }
    InetSocketAddress proxy = source.proxy();
    if (proxy != null) {
      fields.word("proxy", host(proxy.getAddress()));
    }
    ClientSource.LocalProcess process = source.process();
    if (process != null) {
      fields.number("uid", Integer.toUnsignedLong(process.uid()));
      fields.number("gid", Integer.toUnsignedLong(process.gid()));
      fields.number("pid", process.pid());
    }
  }

  /** Returns an address as firewalls take it: IPv4 as such, IPv6 without brackets and zone. */
  private static String host(InetAddress address) {
    byte[] octets = address.getAddress();
    boolean isMapped =
        address instanceof Inet6Address
            && Arrays.equals(
                octets, 0, 12, new byte[] {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, -1}, 0, 12);
    try {
      byte[] plain = isMapped ? Arrays.copyOfRange(octets, 12, octets.length) : octets;
      // Without the zone, which belongs to the former object.
      return InetAddress.getByAddress(plain).getHostAddress();
    } catch (UnknownHostException e) {
      throw new IllegalStateException("an address has 4 or 16 octets", e);
    }
  }
}
