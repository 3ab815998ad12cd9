package org.nyala.loadtest.report;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.Optional;
import org.nyala.core.ber.BerReader;
import org.nyala.core.ber.InvalidBerException;
import org.nyala.loadtest.ldap.Pdu;
import org.nyala.loadtest.workload.LoadSettings;
import org.nyala.loadtest.workload.Security;

/** What a server says that it is: the vendor in its root DSE (RFC 3045). */
public final class ServerIdentity {
  private static final int PATIENCE_MILLIS = 2000;
  private static final int MAX_MESSAGE_BYTES = 64 << 10;

  private ServerIdentity() {}

  /** The same of the server of a test, which is asked only where plain connections are used. */
  public static String of(LoadSettings settings) {
    return settings.security().kind() == Security.Kind.NONE
        ? of(settings.server())
        : ResultJson.url(settings);
  }

  /** Its name and version with its address; the address alone where it does not say. */
  public static String of(InetSocketAddress server) {
    String address = server.getHostString() + ":" + server.getPort();
    try (Socket socket = new Socket()) {
      socket.setSoTimeout(PATIENCE_MILLIS);
      socket.connect(new InetSocketAddress(server.getAddress(), server.getPort()), PATIENCE_MILLIS);
      socket.getOutputStream().write(Pdu.rootDse("vendorName", "vendorVersion"));
      byte[] content = message(new DataInputStream(socket.getInputStream()));
      socket.getOutputStream().write(Pdu.unbind());
      return vendor(content).map(vendor -> vendor + " at " + address).orElse(address);
    } catch (IOException | InvalidBerException e) {
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

  /** The vendor in a message with an entry (RFC 4511, section 4.5.2). */
  static Optional<String> vendor(byte[] content) throws InvalidBerException {
    BerReader message = new BerReader(content);
    message.integer();
    if (message.nextTag() != Pdu.SEARCH_ENTRY) {
      return Optional.empty();
    }
    BerReader entry = message.enter(Pdu.SEARCH_ENTRY);
    entry.text();
    BerReader attributes = entry.sequence();
    String name = "";
    String version = "";
    while (attributes.hasNext()) {
      BerReader attribute = attributes.sequence();
      boolean isName = attribute.text().equalsIgnoreCase("vendorName");
      BerReader values = attribute.enter(BerReader.SET);
      String value = values.hasNext() ? values.text() : "";
      name = isName ? value : name;
      version = isName ? version : value;
    }
    // Most versions begin with the name.
    String vendor = version.startsWith(name) ? version : (name + " " + version).strip();
    return vendor.isEmpty() ? Optional.empty() : Optional.of(vendor);
  }
}
