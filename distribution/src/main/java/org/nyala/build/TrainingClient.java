package org.nyala.build;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.Socket;

/**
 * The smallest LDAP client that can make a server work: it writes binds and searches by hand and
 * reads answers to their end. Confined to one thread.
 */
final class TrainingClient implements AutoCloseable {
  private static final int INTEGER = 0x02;
  private static final int OCTET_STRING = 0x04;
  private static final int ENUMERATED = 0x0a;
  private static final int SEQUENCE = 0x30;
  private static final int BIND_REQUEST = 0x60;
  private static final int BIND_RESPONSE = 0x61;
  private static final int SEARCH_REQUEST = 0x63;
  private static final int SEARCH_RESULT_DONE = 0x65;
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
    byte[] request =
        tlv(
            BIND_REQUEST,
            tlv(INTEGER, 3),
            tlv(OCTET_STRING, dn.getBytes(UTF_8)),
            tlv(SIMPLE, password.getBytes(UTF_8)));
    exchange(request, BIND_RESPONSE);
  }

  /** Searches a subtree by equality. */
  void search(String base, String attribute, String value) throws IOException {
    byte[] filter =
        tlv(
            FILTER_EQUALITY,
            tlv(OCTET_STRING, attribute.getBytes(UTF_8)),
            tlv(OCTET_STRING, value.getBytes(UTF_8)));
    exchange(searchRequest(base, filter), SEARCH_RESULT_DONE);
  }

  /** Reads a whole subtree. */
  void scan(String base) throws IOException {
    byte[] filter = tlv(FILTER_PRESENT, "objectClass".getBytes(UTF_8));
    exchange(searchRequest(base, filter), SEARCH_RESULT_DONE);
  }

  private static byte[] searchRequest(String base, byte[] filter) {
    return tlv(
        SEARCH_REQUEST,
        tlv(OCTET_STRING, base.getBytes(UTF_8)),
        tlv(ENUMERATED, SUBTREE),
        tlv(ENUMERATED, 0),
        tlv(INTEGER, 0),
        tlv(INTEGER, 0),
        tlv(0x01, 0),
        filter,
        tlv(SEQUENCE, new byte[0]));
  }

  private void exchange(byte[] request, int lastResponse) throws IOException {
    socket.getOutputStream().write(tlv(SEQUENCE, tlv(INTEGER, 1), request));
    int tag;
    do {
      tag = readResponse();
    } while (tag != lastResponse);
  }

  /* LDAPMessage ::= SEQUENCE { messageID INTEGER (one octet here), protocolOp ... } */
  private int readResponse() throws IOException {
    if (in.read() != SEQUENCE) {
      throw new EOFException("the server hung up");
    }
    byte[] message = new byte[readLength()];
    in.readFully(message);
    return message[3] & 0xff;
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

  private static byte[] tlv(int tag, int value) {
    return new byte[] {(byte) tag, 1, (byte) value};
  }

  private static byte[] tlv(int tag, byte[]... parts) {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      body.writeBytes(part);
    }
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.write(tag);
    if (body.size() < 0x80) {
      out.write(body.size());
    } else {
      out.write(0x82);
      out.write(body.size() >>> 8);
      out.write(body.size());
    }
    out.writeBytes(body.toByteArray());
    return out.toByteArray();
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
