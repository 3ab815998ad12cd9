package org.nyala.loadtest.failover;

import io.netty.buffer.Unpooled;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.security.cert.Certificate;
import java.security.cert.CertificateEncodingException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.BiConsumer;
import javax.net.ssl.SSLSocket;
import org.nyala.loadtest.ldap.BerCursor;
import org.nyala.loadtest.ldap.Pdu;
import org.nyala.loadtest.ldap.ResultNames;
import org.nyala.loadtest.sasl.ScramExchange;

/**
 * A connection to a server that sends a request and waits for its answer, one at a time. It must be
 * closed after an exception, since a late answer may still come.
 *
 * <p>Confined to one thread.
 */
final class Line implements AutoCloseable {
  /** The greatest message accepted, in bytes: answers are about one small entry each. */
  private static final int MAX_MESSAGE = 1 << 20;

  private static final int LONG_LENGTH = 0x80;
  private static final int REFERRALS = 0xa3;
  private static final int SERVER_CREDENTIALS = 0x87;
  private static final byte[] NOTHING = {};

  private final Socket socket;
  private final DataInputStream in;
  private final OutputStream out;
  private final BerCursor cursor = new BerCursor();
  private final BerCursor values = new BerCursor();
  private byte[] message = {};
  private int messageId = Pdu.FIRST_MESSAGE_ID - 1;

  /**
   * The end of an operation.
   *
   * @param code the result code (RFC 4511, section 4.1.9)
   * @param text what the server says about it
   * @param credentials the server's part of a bind by SASL; empty if there is none
   */
  @SuppressWarnings("ArrayRecordComponent") // Read once, by the one who asked.
  record Answer(int code, String text, byte[] credentials) {
    boolean isSuccess() {
      return code == 0;
    }

    /** Returns the result code in words, and what the server says. */
    String inWords() {
      return ResultNames.of(code) + (text.isEmpty() ? "" : ": " + text);
    }
  }

  /** Takes over a connected socket, whose time-out bounds each read. */
  Line(Socket socket) throws IOException {
    this.socket = socket;
    this.in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
    this.out = socket.getOutputStream();
  }

  /** Sends a request and waits for its answer. */
  Answer ask(byte[] request) throws IOException {
    return ask(request, (_, _) -> {});
  }

  /**
   * Sends a search and waits for its end.
   *
   * @param entries takes the names and the attributes of entries, whose names are in lower case
   */
  Answer ask(byte[] request, BiConsumer<String, Map<String, List<String>>> entries)
      throws IOException {
    out.write(numbered(request));
    out.flush();
    while (true) {
      int tag = receive();
      if (tag == Pdu.SEARCH_ENTRY) {
        String dn = text(Pdu.OCTET_STRING);
        entries.accept(dn, attributes());
      } else if (tag != Pdu.SEARCH_REFERENCE) {
        require(cursor.next(Pdu.ENUMERATED));
        int code = cursor.number();
        text(Pdu.OCTET_STRING);
        return new Answer(code, text(Pdu.OCTET_STRING), credentials());
      }
    }
  }

  /**
   * Returns a request with the next message id: a server may still have the last one in use for a
   * moment after its answer.
   */
  private byte[] numbered(byte[] request) {
    messageId = messageId < Pdu.LAST_MESSAGE_ID ? messageId + 1 : Pdu.FIRST_MESSAGE_ID;
    byte[] numbered = request.clone();
    int place = Pdu.messageIdPlace(numbered);
    numbered[place] = (byte) (messageId >>> 16);
    numbered[place + 1] = (byte) (messageId >>> 8);
    numbered[place + 2] = (byte) messageId;
    return numbered;
  }

  /** Returns what follows the text of an answer to a bind, and perhaps referrals. */
  private byte[] credentials() {
    boolean _ = cursor.next(REFERRALS);
    return cursor.next(SERVER_CREDENTIALS) ? cursor.octets() : NOTHING;
  }

  /** Returns the data that binds an exchange of SCRAM to the connection; empty if there is none. */
  byte[] channelBinding() throws IOException {
    if (!(socket instanceof SSLSocket encrypted)) {
      return NOTHING;
    }
    try {
      Certificate first = encrypted.getSession().getPeerCertificates()[0];
      return first instanceof X509Certificate own ? ScramExchange.binding(own) : NOTHING;
    } catch (CertificateEncodingException e) {
      throw new IOException("the server's certificate cannot be read", e);
    }
  }

  private String text(int tag) throws IOException {
    require(cursor.next(tag));
    return cursor.text();
  }

  private Map<String, List<String>> attributes() throws IOException {
    require(cursor.next(Pdu.SEQUENCE));
    cursor.enter();
    Map<String, List<String>> attributes = new HashMap<>();
    while (!cursor.isAtEnd()) {
      require(cursor.next(Pdu.SEQUENCE));
      values.reset(Unpooled.wrappedBuffer(message), cursor.contentStart(), cursor.contentEnd());
      require(values.next(Pdu.OCTET_STRING));
      String name = values.text().toLowerCase(Locale.ROOT);
      require(values.next(Pdu.SET));
      values.enter();
      List<String> texts = new ArrayList<>(1);
      while (!values.isAtEnd()) {
        require(values.next(Pdu.OCTET_STRING));
        texts.add(values.text());
      }
      attributes.put(name, texts);
    }
    return attributes;
  }

  /** Reads a message, and moves into its operation, whose tag is returned. */
  private int receive() throws IOException {
    require(in.readUnsignedByte() == Pdu.SEQUENCE);
    int length = in.readUnsignedByte();
    if (length >= LONG_LENGTH) {
      int octets = length - LONG_LENGTH;
      require(octets >= 1 && octets <= 4);
      length = 0;
      for (int i = 0; i < octets; i++) {
        length = length << 8 | in.readUnsignedByte();
      }
    }
    require(length > 0 && length <= MAX_MESSAGE);
    message = in.readNBytes(length);
    require(message.length == length);
    cursor.reset(Unpooled.wrappedBuffer(message), 0, length);
    require(cursor.next(Pdu.INTEGER) && cursor.contentEnd() < length);
    if (cursor.number() == 0) {
      throw new IOException("the server ends the connection");
    }
    if (cursor.number() != messageId) {
      throw new IOException("the server answered a request that it was not sent");
    }
    int tag = message[cursor.contentEnd()] & 0xff;
    require(cursor.next(tag));
    cursor.enter();
    return tag;
  }

  private static void require(boolean holds) throws IOException {
    if (!holds) {
      throw new IOException("the server sent bytes that are no answer");
    }
  }

  @Override
  public void close() {
    try {
      socket.close();
    } catch (IOException _) {
      // The connection is given up.
    }
  }
}
