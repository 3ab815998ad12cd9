package org.nyala.build;

import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.Socket;
import org.nyala.core.ber.BerReader;
import org.nyala.core.ber.BerWriter;
import org.nyala.core.ber.InvalidBerException;

/**
 * The smallest LDAP client that can make a server work: it sends binds and searches and reads
 * answers to their end. Confined to one thread.
 */
final class TrainingClient implements AutoCloseable {
  private static final int BIND_REQUEST = 0x60;
  private static final int BIND_RESPONSE = 0x61;
  private static final int SEARCH_REQUEST = 0x63;
  private static final int SEARCH_RESULT_DONE = 0x65;
  private static final int VERSION = 3;
  private static final int SIMPLE = 0x80;
  private static final int FILTER_EQUALITY = 0xa3;
  private static final int FILTER_PRESENT = 0x87;
  private static final int SUBTREE = 2;

  private final Socket socket;
  private final DataInputStream in;

  TrainingClient(String host, int port) throws IOException {
    socket = new Socket(host, port);
    in = new DataInputStream(socket.getInputStream());
  }

  /** Binds by name and password. */
  void bind(String dn, String password) throws IOException {
    BerWriter request = new BerWriter().integer(VERSION).text(dn).text(SIMPLE, password);
    exchange(BIND_REQUEST, request, BIND_RESPONSE);
  }

  /** Searches a subtree by equality. */
  void search(String base, String attribute, String value) throws IOException {
    BerWriter assertion = new BerWriter().text(attribute).text(value);
    search(base, new BerWriter().constructed(FILTER_EQUALITY, assertion));
  }

  /** Reads a whole subtree. */
  void scan(String base) throws IOException {
    search(base, new BerWriter().text(FILTER_PRESENT, "objectClass"));
  }

  private void search(String base, BerWriter filter) throws IOException {
    BerWriter request =
        new BerWriter()
            .text(base)
            .enumerated(SUBTREE)
            .enumerated(0)
            .integer(0)
            .integer(0)
            .bool(false)
            .raw(filter.toByteArray())
            .sequence(new BerWriter());
    exchange(SEARCH_REQUEST, request, SEARCH_RESULT_DONE);
  }

  private void exchange(int tag, BerWriter request, int lastResponse) throws IOException {
    BerWriter message = new BerWriter().integer(1).constructed(tag, request);
    socket.getOutputStream().write(new BerWriter().sequence(message).toByteArray());
    while (readResponse() != lastResponse) {
      // The entries before the result.
    }
  }

  /** Returns the tag of the next response. */
  private int readResponse() throws IOException {
    if (in.read() != BerReader.SEQUENCE) {
      throw new EOFException("the server hung up");
    }
    byte[] message = new byte[readLength()];
    in.readFully(message);
    try {
      BerReader reader = BerReader.trusted(message);
      reader.integer();
      return reader.nextTag();
    } catch (InvalidBerException e) {
      throw new IOException("no LDAP response", e);
    }
  }

  private int readLength() throws IOException {
    int first = in.readUnsignedByte();
    if (first < 0x80) {
      return first;
    }
    int length = 0;
    for (int i = 0; i < (first & 0x7f); i++) {
      length = length << 8 | in.readUnsignedByte();
    }
    return length;
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
