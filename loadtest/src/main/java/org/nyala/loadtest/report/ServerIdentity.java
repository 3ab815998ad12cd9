package org.nyala.loadtest.report;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.Optional;
import org.nyala.loadtest.ldap.BerCursor;
import org.nyala.loadtest.ldap.Pdu;
import org.nyala.loadtest.workload.LoadSettings;
import org.nyala.loadtest.workload.Security;

/** The identity that a server states: the vendor in its root DSE (RFC 3045). */
public final class ServerIdentity {
  private static final int PATIENCE_MILLIS = 2000;
  private static final int MAX_MESSAGE_BYTES = 64 << 10;

  private ServerIdentity() {}

  /** The identity of the server of a test, which is asked only if plain connections are used. */
  public static String of(LoadSettings settings) {
    return settings.security().kind() == Security.Kind.NONE
        ? of(settings.server())
        : ResultJson.url(settings);
  }

  /** Its name and version with its address; the address alone if the server does not state them. */
  public static String of(InetSocketAddress server) {
    String address = server.getHostString() + ":" + server.getPort();
    try (Socket socket = new Socket()) {
      socket.setSoTimeout(PATIENCE_MILLIS);
      socket.connect(new InetSocketAddress(server.getAddress(), server.getPort()), PATIENCE_MILLIS);
      socket.getOutputStream().write(Pdu.rootDse("vendorName", "vendorVersion"));
      byte[] content = message(new DataInputStream(socket.getInputStream()));
      socket.getOutputStream().write(Pdu.unbind());
      return vendor(content).map(vendor -> vendor + " at " + address).orElse(address);
    } catch (IOException e) {
      return address;
    }
  }

  /** The content of the next message. */
  private static byte[] message(DataInputStream in) throws IOException {
    in.readUnsignedByte();
    int length = in.readUnsignedByte();
    if (length > 0x80) {
      int octets = length & 0x7f;
      length = 0;
      for (int i = 0; i < octets && length <= MAX_MESSAGE_BYTES; i++) {
        length = length << 8 | in.readUnsignedByte();
      }
    }
    return in.readNBytes(Math.clamp(length, 0, MAX_MESSAGE_BYTES));
  }

  /**
   * The vendor in a message with an entry (RFC 4511, section 4.5.2); empty if it is no such
   * message.
   */
  static Optional<String> vendor(byte[] content) {
    ByteBuf in = Unpooled.wrappedBuffer(content);
    BerCursor entry = new BerCursor();
    entry.reset(in, 0, content.length);
    if (!entry.next(Pdu.INTEGER) || !entry.next(Pdu.SEARCH_ENTRY)) {
      return Optional.empty();
    }
    entry.enter();
    if (!entry.next(Pdu.OCTET_STRING) || !entry.next(Pdu.SEQUENCE)) {
      return Optional.empty();
    }
    entry.enter();
    String name = "";
    String version = "";
    BerCursor attribute = new BerCursor();
    while (entry.next(Pdu.SEQUENCE)) {
      attribute.reset(in, entry.contentStart(), entry.contentEnd());
      boolean isName =
          attribute.next(Pdu.OCTET_STRING) && attribute.text().equalsIgnoreCase("vendorName");
      String value = firstValue(attribute);
      name = isName ? value : name;
      version = isName ? version : value;
    }
    // Most versions begin with the name.
    String vendor = version.startsWith(name) ? version : (name + " " + version).strip();
    return !entry.isAtEnd() || vendor.isEmpty() ? Optional.empty() : Optional.of(vendor);
  }

  private static String firstValue(BerCursor attribute) {
    if (!attribute.next(Pdu.SET)) {
      return "";
    }
    attribute.enter();
    return attribute.next(Pdu.OCTET_STRING) ? attribute.text() : "";
  }
}
